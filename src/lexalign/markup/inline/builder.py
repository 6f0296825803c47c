"""Tagged text from a sequence of events: text, opening tags, closing tags, empty tags.

A closing tag belongs to the last open tag of the same name. Strict tags, as the elements of XML, must be
closed before any tag around them. Others, as the `<bx/>` and `<ex/>` of XLIFF or the tags of an invalid HTML
page, may cross each other; those that do stay single halves, each at its position.
"""

from collections.abc import Sequence
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
    """Methods that add a tag return its index."""

    _parts: list[str] = field(default_factory=list)
    _tags: list[Tag] = field(default_factory=list)
    _open: list[_Open] = field(default_factory=list)
    _position: int = 0

    def text(self, text: str) -> None:
        self._parts.append(text)
        self._position += len(text)

    @property
    def depth(self) -> int:
        """The number of open tags."""
        return len(self._open)

    def empty(self, markup: str, *, breaks: bool = False) -> int:
        return self._add(markup, "empty", breaks)

    def open(self, markup: str, name: str, *, strict: bool = False, breaks: bool = False) -> int:
        if len(self._open) == MAX_DEPTH:
            raise LexalignError(f"tags are nested more than {MAX_DEPTH} deep; is this file malicious?")
        index = self._add(markup, "pair", breaks)
        self._open.append(_Open(index, name, strict))
        return index

    def close(self, markup: str, name: str) -> int:
        depth = self._find(name)
        if depth is None:
            return self._add(markup, "closing", False)
        self._isolate([one.tag for one in self._open[depth + 1 :]])
        del self._open[depth + 1 :]
        opened = self._open.pop().tag
        self._tags[opened] = replace(self._tags[opened], end=self._position, closing=markup)
        return opened

    def build(self) -> TaggedText:
        self._isolate([one.tag for one in self._open])
        self._open.clear()
        return absorb_spaces(TaggedText("".join(self._parts), tuple(self._tags)))

    def _add(self, markup: str, kind: TagKind, breaks: bool) -> int:
        parent = self._open[-1].tag if self._open else None
        here = self._position
        self._tags.append(Tag(start=here, end=here, opening=markup, kind=kind, parent=parent, breaks=breaks))
        return len(self._tags) - 1

    def _find(self, name: str) -> int | None:
        """The depth of the open tag that a closing tag belongs to."""
        for depth in range(len(self._open) - 1, -1, -1):
            if self._open[depth].name == name:
                return depth
            if self._open[depth].strict:
                return None
        return None

    def _isolate(self, unclosed: Sequence[int]) -> None:
        """Make tags that are never closed single halves; their children get their parent."""
        if not unclosed:
            return
        # A parent precedes its children, so its own parent is known before theirs.
        parents: dict[int, int | None] = {}
        isolated = frozenset(unclosed)
        for index in range(unclosed[0], len(self._tags)):
            tag = self._tags[index]
            parent = parents.get(tag.parent, tag.parent) if tag.parent is not None else None
            if index in isolated:
                parents[index] = parent
                self._tags[index] = replace(tag, kind="opening", parent=parent)
            elif parent != tag.parent:
                self._tags[index] = replace(tag, parent=parent)
