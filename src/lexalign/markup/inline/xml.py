"""Tagged text from a fragment of XML.

Expat is used, not a tree, because it has the offset of each tag: what is not translated stays unchanged, to
the byte.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal
from xml.parsers import expat
from xml.sax.saxutils import escape as _escape

from lexalign.contracts.errors import LexalignError
from lexalign.markup.inline.builder import TagBuilder
from lexalign.markup.tagged_text import TaggedText

_WRAPPER = "<x>"


@dataclass(frozen=True, slots=True)
class Role:
    """The role of an element in the text around it.

    A `pair` encloses text that is translated; a `code`, with all its content, is one empty tag, and so are
    the two halves of a pair, which have the same `name`. An element that `breaks` ends a sentence.
    """

    kind: Literal["pair", "code", "opening", "closing"]
    name: str = ""
    breaks: bool = False


@dataclass(frozen=True, kw_only=True)
class TagOptions:
    """How the elements of XML are told apart; what is named here comes before all rules.

    With `outline_detection` an element that is not named is one of its vocabulary, if that is known, or a
    block where it never stands beside text. Without it, every element that is not named is inline.
    """

    splitting_tags: frozenset[str] = frozenset({"br"})  # blocks, which no sentence crosses
    non_splitting_tags: frozenset[str] = frozenset()  # inline
    ignore_tags: frozenset[str] = frozenset()  # their content is not translated
    outline_detection: bool = True


PAIR, CODE = Role("pair"), Role("code")
Roles = Callable[[str, Mapping[str, str]], Role]


def escape_xml(text: str) -> str:
    return _escape(text)


def read_xml(markup: str, roles: Roles, where: str) -> TaggedText:
    """Parse a fragment; `where` is its location, for errors."""
    reader = _Reader(markup, roles)
    try:
        reader.parse()
    except (expat.ExpatError, LexalignError) as error:
        raise LexalignError(f"{where}: {_reason(error)}") from None
    return reader.builder.build()


def _reason(error: Exception) -> str:
    return expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else str(error)


class _Reader:
    """Handles the events of expat; the markup of a tag reaches from its own event to the next."""

    def __init__(self, markup: str, roles: Roles) -> None:
        self.builder = TagBuilder()
        self._content = f"{_WRAPPER}{markup}</x>".encode()
        self._roles = roles
        self._open: list[Role] = []
        self._pending: Callable[[str], object] | None = None  # gets the markup of the last tag
        self._pending_start = 0
        self._begun = False  # whether the last tag is the start of a pair
        self._code_depth = 0
        self._parser = expat.ParserCreate("utf-8")
        self._parser.buffer_text = False
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.CommentHandler = self._comment
        self._parser.ProcessingInstructionHandler = self._comment
        # A CDATA section is text; without these handlers its delimiter would count as part of a tag.
        self._parser.StartCdataSectionHandler = self._flush
        self._parser.EndCdataSectionHandler = self._flush

    def parse(self) -> None:
        self._parser.Parse(self._content, True)

    def _flush(self) -> None:
        """End the markup of the last tag at the parser's position."""
        if self._pending is not None and not self._code_depth:
            pending, self._pending, self._begun = self._pending, None, False
            pending(self._content[self._pending_start : self._parser.CurrentByteIndex].decode())

    def _expect(self, pending: Callable[[str], object], *, begun: bool = False) -> None:
        self._pending, self._pending_start = pending, self._parser.CurrentByteIndex
        self._begun = begun

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._open:
            self._open.append(PAIR)  # the wrapper
            return
        if self._code_depth:
            self._code_depth += 1
            return
        self._flush()
        role = self._roles(name, attributes)
        self._open.append(role)
        if role.kind == "pair":
            builder = self.builder
            self._expect(
                lambda markup: builder.open(markup, name, strict=True, breaks=role.breaks), begun=True
            )
        else:
            self._expect(lambda markup: self._add_half_or_code(role, markup))
            self._code_depth = 1

    def _add_half_or_code(self, role: Role, markup: str) -> None:
        if role.kind == "opening":
            self.builder.open(markup, role.name)
        elif role.kind == "closing":
            self.builder.close(markup, role.name)
        else:
            self.builder.empty(markup, breaks=role.breaks)

    def _end(self, name: str) -> None:
        if self._code_depth > 1:
            self._code_depth -= 1
            return
        if self._code_depth == 1:
            self._code_depth = 0  # its markup continues to the next event
            self._open.pop()
            return
        if len(self._open) == 1:
            self._flush()
            return
        self._open.pop()
        if self._begun and self._content.endswith(b"/>", 0, self._parser.CurrentByteIndex):
            # It is self-closing: its whole markup is the opening.
            self._flush()
            self.builder.close("", name)
            return
        self._flush()
        builder = self.builder
        self._expect(lambda markup: builder.close(markup, name))

    def _text(self, text: str) -> None:
        if not self._code_depth:
            self._flush()
            self.builder.text(text)

    def _comment(self, *_: str) -> None:
        """A comment or a processing instruction becomes an empty tag."""
        if not self._code_depth:
            self._flush()
            builder = self.builder
            self._expect(lambda markup: builder.empty(markup))
