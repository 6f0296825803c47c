"""Spans of a text: a set with overlap queries in logarithmic time, and text without what they cover."""

from bisect import bisect_left
from collections.abc import Iterable

from lexalign.text.surface import Span


class SpanSet:
    def __init__(self, spans: Iterable[Span]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def overlap(self, span: Span) -> bool:
        """Whether any of the spans shares a character with this one."""
        index = bisect_left(self._starts, span[1]) - 1
        return index >= 0 and span[0] < self._ends[index]

    def cover(self, span: Span) -> bool:
        """Whether every character of this span is in one of the spans."""
        index = bisect_left(self._starts, span[0] + 1) - 1
        return index >= 0 and span[1] <= self._ends[index]


def blanked(text: str, spans: Iterable[Span], filler: str) -> str:
    """The text with a filler for each character of these spans, which are in order: offsets stay the same."""
    parts: list[str] = []
    position = 0
    for start, end in spans:
        parts += (text[position:start], filler * (end - start))
        position = end
    return "".join([*parts, text[position:]])
