"""Text without its tags, and the tags with the characters they enclose.

    Das <b>alte <i>Haus</i></b><br/>    text  Das alte Haus
                                        tags  <b>  4–13
                                              <i>  9–13, inside of tag 0
                                              <br/> 13–13

Tags with the same parent do not overlap, so they form a tree, and every rendering of it is well-formed. A
parent precedes its children in the list; otherwise the list's order matters only for tags at the same
position. A translation's tags have the same indices as the source's: tag 1 stays tag 1.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from lexalign.contracts.alignment import Span

CLOSING_PUNCTUATION = ".,;:!?…)]}»”"  # which no space precedes

# A pair encloses text. An empty tag has no content. An opening or a closing tag has its other half outside of
# this text: in another segment, or nowhere.
TagKind = Literal["pair", "empty", "opening", "closing"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tag:
    """A tag; `opening` and `closing` are its markup in the document."""

    start: int
    end: int
    opening: str
    closing: str = ""
    kind: TagKind = "pair"
    parent: int | None = None  # the index of the tag that directly encloses this one
    breaks: bool = False  # it ends a sentence
    space_before: bool = False  # white space is required on this side, wherever the tag is set
    space_after: bool = False

    @property
    def span(self) -> Span:
        return self.start, self.end


@dataclass(frozen=True)
class TaggedText:
    """A text and its tags."""

    text: str
    tags: Sequence[Tag] = ()

    def __post_init__(self) -> None:
        for index, tag in enumerate(self.tags):
            if tag.kind != "pair" and tag.start != tag.end:
                raise ValueError(f"tag {index} is not a pair and encloses text")
            if tag.parent is not None and not 0 <= tag.parent < index:
                raise ValueError(f"tag {index} precedes its parent")
        for parent, children in self.children_of.items():
            start, limit = (0, len(self.text)) if parent is None else self.tags[parent].span
            for child in children:
                if not start <= self.tags[child].start <= self.tags[child].end <= limit:
                    raise ValueError(f"tag {child} crosses another tag, or the end of the text")
                start = self.tags[child].end

    @cached_property
    def children_of(self) -> dict[int | None, list[int]]:
        """The children of each tag, in the order of the text; those of None are the outermost tags."""
        found: dict[int | None, list[int]] = {None: []}
        for index, tag in enumerate(self.tags):
            found.setdefault(tag.parent, []).append(index)
        for children in found.values():
            children.sort(key=lambda index: (self.tags[index].span, index))
        return found

    def render(self, escape: Callable[[str], str] = str) -> str:
        """The text with its tags; `escape` escapes characters for the document."""
        writer, position = TagWriter(escape), 0
        for edge, index, closes in self.edges():
            writer.text(self.text[position:edge])
            position = edge
            if closes:
                writer.close(self.tags[index])
            else:
                writer.open(self.tags[index])
        writer.text(self.text[position:])
        return "".join(writer.parts)

    def edges(self) -> Iterator[tuple[int, int, bool]]:
        """The openings and closings of tags, in the order of the text: position, index, whether it closes."""
        waiting = [(index, False) for index in reversed(self.children_of[None])]
        while waiting:
            index, closes = waiting.pop()
            tag = self.tags[index]
            yield (tag.end if closes else tag.start), index, closes
            if not closes:
                waiting.append((index, True))
                waiting += [(child, False) for child in reversed(self.children_of.get(index, ()))]


class TagWriter:
    """Writes text and tags, with a space beside tags that require one."""

    def __init__(self, escape: Callable[[str], str]) -> None:
        self.parts: list[str] = []
        self.length = 0
        self._escape = escape
        self._after_space = True  # so is the beginning
        self._space_required = False

    def text(self, text: str) -> int:
        """Write text, and return where it begins, after a required space."""
        if not text:
            return self.length
        if text[0] not in CLOSING_PUNCTUATION and not text[0].isspace():
            self._space()
        self._after_space, self._space_required = text[-1].isspace(), False
        return self._write(self._escape(text))

    def open(self, tag: Tag) -> int:
        if tag.space_before and not self._after_space:
            self._space_required = True
        self._space()
        self._after_space = False
        return self._write(tag.opening)

    def close(self, tag: Tag) -> int:
        self._space_required = self._space_required or tag.space_after
        return self._write(tag.closing)

    def want_space(self) -> None:
        """Require a space before what follows, unless it is closing punctuation."""
        self._space_required = True

    def _space(self) -> None:
        if self._space_required:
            self._write(" ")
            self._after_space, self._space_required = True, False

    def _write(self, text: str) -> int:
        start = self.length
        self.parts.append(text)
        self.length += len(text)
        return start
