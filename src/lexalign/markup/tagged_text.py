"""Text without its tags, and the tags with the characters they enclose.

    Das <b>alte <i>Haus</i></b><br/>    text  Das alte Haus
                                        tags  <b>  4–13
                                              <i>  9–13, inside of tag 0
                                              <br/> 13–13

Tags that share a parent do not overlap, so they make a tree, and every rendering of it is well-formed. A
parent stands before its children in the list; otherwise the list's order decides only between tags that stand
in the same place. A translation's tags have the places of the source's in the list: tag 1 stays tag 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from lexalign.contracts.alignment import Span

# A pair encloses text. An empty tag stands alone by nature. An opening or a closing one has its other half
# outside of this text: in another segment, or nowhere.
TagKind = Literal["pair", "empty", "opening", "closing"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tag:
    """`opening` and `closing` are the markup as it stands in the document."""

    start: int
    end: int
    opening: str
    closing: str = ""
    kind: TagKind = "pair"
    parent: int | None = None  # the place in the list of the tag that directly encloses this one
    breaks: bool = False  # what stands before it and what stands after it are different sentences

    @property
    def span(self) -> Span:
        return self.start, self.end


@dataclass(frozen=True)
class TaggedText:
    text: str
    tags: Sequence[Tag] = ()

    def __post_init__(self) -> None:
        for index, tag in enumerate(self.tags):
            if tag.kind != "pair" and tag.start != tag.end:
                raise ValueError(f"tag {index} is not a pair and encloses text")
            if tag.parent is not None and not 0 <= tag.parent < index:
                raise ValueError(f"tag {index} stands before its parent")
        for parent, children in self.families.items():
            start, limit = (0, len(self.text)) if parent is None else self.tags[parent].span
            for child in children:
                if not start <= self.tags[child].start <= self.tags[child].end <= limit:
                    raise ValueError(f"tag {child} crosses another tag, or the end of the text")
                start = self.tags[child].end

    @cached_property
    def families(self) -> dict[int | None, list[int]]:
        """The tags that each tag directly encloses, in the order of the text; None encloses all."""
        found: dict[int | None, list[int]] = {None: []}
        for index, tag in enumerate(self.tags):
            found.setdefault(tag.parent, []).append(index)
        for children in found.values():
            children.sort(key=lambda index: (self.tags[index].span, index))
        return found

    def render(self, escape: Callable[[str], str] = str) -> str:
        """The text with its tags; `escape` makes characters fit for the document."""
        parts: list[str] = []
        self._render(None, 0, len(self.text), escape, parts)
        return "".join(parts)

    def _render(
        self, parent: int | None, start: int, end: int, escape: Callable[[str], str], parts: list[str]
    ) -> None:
        for index in self.families.get(parent, ()):
            tag = self.tags[index]
            parts += (escape(self.text[start : tag.start]), tag.opening)
            self._render(index, tag.start, tag.end, escape, parts)
            parts.append(tag.closing)
            start = tag.end
        parts.append(escape(self.text[start:end]))
