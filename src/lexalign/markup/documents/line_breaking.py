"""Dividing tagged text: among the cues of subtitles, and into lines of a given length."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil

from lexalign.markup.tagged_text import Tag, TaggedText

# A cue may have so much more or less of the translation than of the source, before alignment is not believed.
_TOLERANCE = 0.15


def divide(text: TaggedText, cuts: Sequence[int], lengths: Sequence[int]) -> list[TaggedText]:
    """Divide a text at white space, into as many parts as there are `lengths`.

    `cuts` are where the parts should begin. Where they would leave a part empty, or far from its share, the
    share decides.
    """
    spaces = [index for index, character in enumerate(text.text) if character.isspace()]
    total, share = max(1, sum(lengths)), 0
    found: list[int] = []
    for index, length in enumerate(lengths[:-1]):
        share += length
        wanted = len(text.text) * share / total
        cut = sorted(cuts)[index] if index < len(cuts) else None
        if cut is None or abs(cut - wanted) > _TOLERANCE * len(text.text) or cut <= (found or [0])[-1]:
            cut = round(wanted)
        found.append(_nearest(spaces, cut, after=(found or [0])[-1], leave=len(lengths) - 2 - index))
    edges = [0, *found, len(text.text)]
    return [part(text, start, end) for start, end in pairwise(edges)]


def break_lines(text: TaggedText, length: int) -> list[TaggedText]:
    """Lines of at most `length` characters, where words allow that, as few and as even as possible."""
    lines: list[TaggedText] = []
    start, end = 0, len(text.text)
    while end - start > length:
        num_lines = ceil((end - start) / length)
        wanted = start + min(length, ceil((end - start) / num_lines))
        cut = _line_end(text.text, start, wanted, start + length)
        if cut is None:
            break
        lines.append(part(text, start, cut))
        start = cut + 1
    return [*lines, part(text, start, end)]


def part(text: TaggedText, start: int, end: int) -> TaggedText:
    """Some characters with their tags; a pair that goes over the edge is closed and opened again there."""
    tags: list[Tag] = []
    new_index: dict[int, int] = {}
    for index, tag in enumerate(text.tags):
        inside = tag.start < end and tag.end > start if tag.start < tag.end else start <= tag.start < end
        at_end = tag.start == tag.end == end == len(text.text)
        if inside or at_end:
            new_index[index] = len(tags)
            first, last = max(tag.start, start) - start, min(tag.end, end) - start
            parent = None if tag.parent is None else new_index.get(tag.parent)
            tags.append(replace(tag, start=first, end=last, parent=parent))
    piece = text.text[start:end]
    left = len(piece) - len(piece.lstrip())
    stripped = piece.strip()
    kept = (
        replace(tag, start=_moved(tag.start, left, stripped), end=_moved(tag.end, left, stripped))
        for tag in tags
    )
    return TaggedText(stripped, tuple(kept))


def _moved(position: int, left: int, stripped: str) -> int:
    return min(max(0, position - left), len(stripped))


def _nearest(spaces: Sequence[int], position: int, *, after: int, leave: int) -> int:
    """The space nearest to a position that leaves a word before it, and spaces for the parts to come."""
    first = bisect_right(spaces, after)
    allowed = spaces[first : max(first, len(spaces) - leave)]
    if not allowed:
        return max(position, after)
    index = bisect_left(allowed, position)
    near = allowed[max(0, index - 1) : index + 1]
    return min(near, key=lambda space: abs(space - position))


def _line_end(text: str, start: int, wanted: int, limit: int) -> int | None:
    """The space at which a line ends: the first after `wanted`, the last before, or that of a long word."""
    after = text.find(" ", wanted, limit + 1)
    if after != -1:
        return after
    before = text.rfind(" ", start + 1, wanted)
    if before != -1:
        return before
    after = text.find(" ", limit)
    return after if after != -1 else None
