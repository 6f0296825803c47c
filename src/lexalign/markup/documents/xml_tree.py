"""The elements of an XML document with their offsets in its text.

Malicious documents are refused: entities must not be declared, so that none can expand or fetch anything;
nothing outside of the document is ever read; elements are nested no deeper than in libxml2.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.document import Edit
from lexalign.markup.inline.builder import MAX_DEPTH

_START_TAG = re.compile(r"""<(?:[^>"']|"[^"]*"|'[^']*')*>""")


@dataclass(slots=True, eq=False)
class Element:
    """`start` to `end` are its characters, `inner_start` to `inner_end` those between its tags."""

    name: str  # without its prefix
    attributes: Mapping[str, str]
    start: int
    line: int
    parent: "Element | None"
    inner_start: int = 0
    inner_end: int = 0
    end: int = 0
    children: list["Element"] = field(default_factory=list)

    def child(self, name: str) -> "Element | None":
        return next((child for child in self.children if child.name == name), None)

    def all(self, name: str) -> Iterator["Element"]:
        """Descendants of that name, in the order of the document."""
        waiting = list(reversed(self.children))
        while waiting:
            element = waiting.pop()
            if element.name == name:
                yield element
            waiting.extend(reversed(element.children))

    def inherited(self, name: str) -> str | None:
        """An attribute of the element, or of its nearest ancestor with it."""
        element: Element | None = self
        while element is not None:
            if name in element.attributes:
                return element.attributes[name]
            element = element.parent
        return None

    @property
    def is_self_closing(self) -> bool:
        return self.inner_start == self.end

    def prefix(self, text: str) -> str:
        """The namespace prefix of the element, with its colon."""
        match = re.match(r"<([^\s:/>]+:)", text[self.start : self.inner_start])
        return match[1] if match else ""

    def has_text(self, text: str) -> bool:
        return bool(re.sub(r"<[^>]*>", "", text[self.inner_start : self.inner_end]).strip())

    def indentation(self, text: str) -> str:
        """The white space before the element."""
        start = self.start
        while start > 0 and text[start - 1].isspace():
            start -= 1
        return text[start : self.start]


def parse_xml(text: str) -> Element:
    return _TreeReader(text).parse()


def set_attribute(text: str, element: Element, name: str, value: str | None) -> Iterator[Edit]:
    """Set an attribute of an element, or replace it."""
    if value is None:
        return
    tag = text[element.start : element.inner_start]
    written = f" {name}={quoteattr(value)}"
    old = re.search(rf"""\s{re.escape(name)}\s*=\s*("[^"]*"|'[^']*')""", tag)
    if old:
        yield Edit(start=element.start + old.start(), end=element.start + old.end(), before=written)
        return
    position = element.start + len(tag) - (2 if tag.endswith("/>") else 1)
    yield Edit(start=position, end=position, before=written)


class _TreeReader:
    def __init__(self, text: str) -> None:
        self._text, self._content = text, text.encode("utf-8", "surrogatepass")
        self._byte = self._character = 0  # the same position, in bytes and in characters
        self._root: Element | None = None
        self._open: list[Element] = []
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.EntityDeclHandler = self._refuse_entity

    def parse(self) -> Element:
        try:
            self._parser.Parse(self._content, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise LexalignError(f"line {error.lineno}: not well-formed XML: {reason}") from None
        assert self._root is not None  # otherwise the parser has raised an error
        return self._root

    def _refuse_entity(self, name: str, *_: object) -> None:
        raise LexalignError(
            f"line {self._parser.CurrentLineNumber}: declares the entity {name!r}; "
            "entities can make a file harmful, so write out what it stands for"
        )

    def _here(self) -> int:
        """The parser's position in characters, which never decreases."""
        position = self._parser.CurrentByteIndex
        self._character += len(self._content[self._byte : position].decode("utf-8", "surrogatepass"))
        self._byte = position
        return self._character

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) == MAX_DEPTH:
            raise LexalignError(
                f"line {self._parser.CurrentLineNumber}: elements are nested more than {MAX_DEPTH} deep; "
                "is this file malicious?"
            )
        parent = self._open[-1] if self._open else None
        start = self._here()
        element = Element(name.rpartition(":")[2], attributes, start, self._parser.CurrentLineNumber, parent)
        tag = _START_TAG.match(self._text, start)
        element.inner_start = tag.end() if tag else start
        if parent is None:
            self._root = element
        else:
            parent.children.append(element)
        self._open.append(element)

    def _end(self, _name: str) -> None:
        element = self._open.pop()
        if self._text.endswith("/>", element.start, element.inner_start):
            element.inner_end = element.end = element.inner_start
        else:
            element.inner_end = self._here()
            element.end = self._text.index(">", element.inner_end) + 1
