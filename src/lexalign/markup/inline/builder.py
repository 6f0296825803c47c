"""Tagged text from a row of events: text, tags that open, tags that close, tags that stand alone.

A closing tag belongs to the last tag that was opened by the same name and is still open. Some opened tags
must be closed before anything around them can be, as the elements of XML are: they are `strict`. Others, as
the `<bx/>` and `<ex/>` of XLIFF or the tags of a careless HTML page, may cross each other; where they do,
they stay single halves, each of which keeps its place.
"""

from dataclasses import dataclass, field, replace

from lexalign.contracts.errors import LexalignError
from lexalign.markup.inline.spacing import absorb_spaces
from lexalign.markup.tagged_text import Tag, TaggedText, TagKind

# Deeper nesting is an attack or an accident, as for libxml2.
MAX_DEPTH = 256


@dataclass(slots=True)
class _Open:
    tag: int
    name: str
    strict: bool


@dataclass(slots=True)
class TagBuilder:
    _parts: list[str] = field(default_factory=list)
    _tags: list[Tag] = field(default_factory=list)
    _open: list[_Open] = field(default_factory=list)
    _position: int = 0

    def text(self, text: str) -> None:
        self._parts.append(text)
        self._position += len(text)

    @property
    def depth(self) -> int:
        """How many tags are open."""
        return len(self._open)

    def alone(self, markup: str, *, breaks: bool = False) -> int:
        """The place of the tag in the list; of `open` and `close` too."""
        return self._add(markup, "empty", breaks)

    def open(self, markup: str, name: str, *, strict: bool = False, breaks: bool = False) -> int:
        if len(self._open) == MAX_DEPTH:
            raise LexalignError(f"tags are nested more than {MAX_DEPTH} deep; is this file made to harm?")
        index = self._add(markup, "pair", breaks)
        self._open.append(_Open(index, name, strict))
        return index

    def close(self, markup: str, name: str) -> int:
        depth = self._find(name)
        if depth is None:
            return self._add(markup, "closing", False)
        while len(self._open) > depth + 1:
            self._isolate(self._open.pop().tag)
        opened = self._open.pop().tag
        self._tags[opened] = replace(self._tags[opened], end=self._position, closing=markup)
        return opened

    def build(self) -> TaggedText:
        while self._open:
            self._isolate(self._open.pop().tag)
        return absorb_spaces(TaggedText("".join(self._parts), tuple(self._tags)))

    def _add(self, markup: str, kind: TagKind, breaks: bool) -> int:
        parent = self._open[-1].tag if self._open else None
        here = self._position
        self._tags.append(Tag(start=here, end=here, opening=markup, kind=kind, parent=parent, breaks=breaks))
        return len(self._tags) - 1

    def _find(self, name: str) -> int | None:
        """How deep the tag stands that is to be closed."""
        for depth in range(len(self._open) - 1, -1, -1):
            if self._open[depth].name == name:
                return depth
            if self._open[depth].strict:
                return None
        return None

    def _isolate(self, index: int) -> None:
        """What was opened is never closed: it encloses nothing, and its children are its parent's."""
        lost = replace(self._tags[index], kind="opening")
        self._tags[index] = lost
        for place in range(index + 1, len(self._tags)):
            if self._tags[place].parent == index:
                self._tags[place] = replace(self._tags[place], parent=lost.parent)
