"""A message of a catalogue as edits: its texts are segments, its syntax is kept.

`style` says how the programs of a catalogue read a message: `icu`, where an apostrophe may quote a brace;
`java`, where every apostrophe of a message with arguments is doubled; `plain`, without quoting. Messages of
every style may have choices, which are then read as ICU's.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.catalogues.choices import Literal, Pattern, Placeholder, pieces
from lexalign.markup.documents.catalogues.icu import has_choice, parse_icu
from lexalign.markup.documents.document import Edit, Segment
from lexalign.markup.inline.accelerators import Accelerator, take_accelerator
from lexalign.markup.inline.messages import HeldPlaceholders, read_message_tags
from lexalign.markup.tagged_text import TaggedText

MessageStyle = OneOf["icu", "java", "plain"]
_JAVA_ARGUMENT = re.compile(r"\{\s*\d+\s*[,}]")
# Arguments, and the letters of dates as in %d.%m.%Y.
_ARGUMENT = re.compile(r"\{[^{}]*\}|%-?[A-Za-z](?![A-Za-z])")
# What only some programs know: another message by its key (i18next), a placeholder of a browser extension.
_OWN_PLACEHOLDERS = re.compile(r"\$t\([^()]{0,500}\)|\$[A-Za-z0-9_@]{1,60}\$")
_QUOTING = re.compile(r"'(?=[{}#|<])")


@dataclass(frozen=True, slots=True)
class MessageText:
    """A text of a message; `write` gives its translation as it stands in the message."""

    text: TaggedText
    held: HeldPlaceholders
    accelerator: Accelerator | None
    quote: Callable[[str], str]

    def write(self, translation: TaggedText) -> str:
        marked = self.accelerator.put(translation) if self.accelerator else translation
        return self.held.restore(self.quote(marked.render()))


def message_edits(
    span: tuple[int, int], message: str, where: str, escape: Callable[[str], str], style: MessageStyle
) -> Iterator[Edit]:
    """Edits that put the translation of a message in place of `span`; `escape` is that of the catalogue."""
    try:
        pattern = parse_icu(message) if _is_icu(message, style) else _plain_pattern(message)
    except LexalignError as error:
        raise LexalignError(f"{where}: {error}") from None
    yield from pattern_edits(span, pattern, where, escape, _quoting(message, style))


def pattern_edits(
    span: tuple[int, int],
    pattern: Pattern,
    where: str,
    escape: Callable[[str], str],
    quote: Callable[[str], str] = str,
) -> Iterator[Edit]:
    """The same for a message that was parsed already."""
    found = list(pieces(pattern))
    if not any(_has_letter(piece) for piece in found if not isinstance(piece, str)):
        return
    start, end = span
    for piece in found:
        if isinstance(piece, str):
            yield Edit(start=start, end=end, before=escape(piece))
        else:
            yield _text_edit((start, end), piece, where, escape, quote)
        start = end


def _text_edit(
    span: tuple[int, int],
    piece: Sequence[Literal | Placeholder],
    where: str,
    escape: Callable[[str], str],
    quote: Callable[[str], str],
) -> Edit:
    message = _message_text(piece, quote)
    return Edit(
        start=span[0],
        end=span[1],
        segment=Segment(message.text, where),
        write=lambda translation: escape(message.write(translation)),
    )


def _message_text(piece: Sequence[Literal | Placeholder], quote: Callable[[str], str]) -> MessageText:
    held = HeldPlaceholders("".join(node.text for node in piece if isinstance(node, Literal)))
    doubled = quote("'") == "''"
    text = "".join(
        (node.text.replace("''", "'") if doubled else node.text)
        if isinstance(node, Literal)
        else held.hold(node.markup)
        for node in piece
    )
    tagged, accelerator = take_accelerator(read_message_tags(text))
    return MessageText(tagged, held, accelerator, quote)


def _plain_pattern(message: str) -> Pattern:
    nodes: list[Literal | Placeholder] = []
    position = 0
    for match in _OWN_PLACEHOLDERS.finditer(message):
        nodes += (Literal(message[position : match.start()]), Placeholder(match[0]))
        position = match.end()
    return (*nodes, Literal(message[position:]))


def _is_icu(message: str, style: MessageStyle) -> bool:
    """Whether apostrophes quote: other programs have arguments in braces, too, but neither of these."""
    quotes = style == "icu" and "{{" not in message and ("'{" in message or "''" in message)
    return has_choice(message) or (quotes and "{" in message)


def _quoting(message: str, style: MessageStyle) -> Callable[[str], str]:
    if style == "java" and _JAVA_ARGUMENT.search(message):
        return _double
    if _is_icu(message, style):
        return _double if "''" in message else _double_before_syntax
    return str


def _double(text: str) -> str:
    return text.replace("'", "''")


def _double_before_syntax(text: str) -> str:
    return _QUOTING.sub("''", text)


def _has_letter(piece: Sequence[Literal | Placeholder]) -> bool:
    text = "".join(node.text for node in piece if isinstance(node, Literal))
    return any(character.isalpha() for character in _ARGUMENT.sub("", text))
