"""The tags of a source, set into its translation by word alignment.

    Das <b>alte</b> Haus<x/> brennt.       links  Das–The  alte–old  Haus–house  brennt–is burning  .–.
    The <b>old</b> house<x/> is burning.

Whatever the links say, the result has every tag once, nested as in the source, between words and not inside
them, and its text is the translation's.

A pair is set around the run of words that agrees best with the links: words that come from inside of the pair
speak for a run that holds them, others against it (the largest sum of a run, Kadane). It is found from the
outside in, and among tags with the same parent the surest chooses first. A tag without words is set where the
fewest words end up on the wrong side of it, those counting most that stand next to it in the source.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lexalign.contracts.alignment import Span, SpanLink
from lexalign.markup.edges import tighten
from lexalign.markup.evidence import Evidence
from lexalign.markup.tagged_text import Tag, TaggedText
from lexalign.markup.units import units_of


def transfer_tags(
    source: TaggedText, target: str, links: Sequence[SpanLink], cuts: Sequence[tuple[int, int]] = ()
) -> TaggedText:
    """`cuts` are the places in source and target where one sentence ends and the next begins."""
    if not source.tags:
        return TaggedText(target)
    return _Transfer(source, Evidence(source.text, target, links, cuts)).run()


def transfer_by_position(source: TaggedText, target: str) -> TaggedText:
    """Set tags by their relative position alone: a baseline, and what can be done without an alignment.

    A tag a third into the source comes a third into the translation, at the nearest edge of a word.
    """
    edges = sorted({0, len(target), *(edge for unit in units_of(target) for edge in unit)})
    scale = len(target) / max(1, len(source.text))

    def moved(position: int) -> int:
        # Never decreasing, so tags that were nested stay nested.
        wanted = position * scale
        place = min(bisect_left(edges, wanted), len(edges) - 1)
        nearer = place > 0 and wanted - edges[place - 1] < edges[place] - wanted
        return edges[place - 1] if nearer else edges[place]

    tags = (replace(tag, start=moved(tag.start), end=moved(tag.end)) for tag in source.tags)
    return TaggedText(target, tuple(tags))


@dataclass(frozen=True, slots=True)
class _Room:
    """What a parent encloses: characters of the source, units and characters of the target."""

    source: Span
    units: Span
    target: Span


@dataclass(frozen=True, slots=True)
class _Place:
    """Of a tag in the target."""

    units: Span
    target: Span


class _Transfer:
    def __init__(self, source: TaggedText, evidence: Evidence) -> None:
        self._source, self._evidence = source, evidence
        self._places: dict[int, _Place] = {}

    def run(self) -> TaggedText:
        source, target = self._source.text, self._evidence.target
        everything = _Room((0, len(source)), (0, len(self._evidence.units)), (0, len(target)))
        self._fill(None, everything)
        tags = [
            replace(tag, start=self._places[index].target[0], end=self._places[index].target[1])
            for index, tag in enumerate(self._source.tags)
        ]
        return TaggedText(target, tuple(tags))

    def _fill(self, parent: int | None, room: _Room) -> None:
        children = self._source.families.get(parent, [])
        enclosing = self._place_pairs(children, room)
        self._place_points([child for child in children if child not in enclosing], enclosing, room)
        for child in children:
            tag, place = self._source.tags[child], self._places[child]
            self._fill(child, _Room(tag.span, place.units, place.target))

    def _place_pairs(self, children: Sequence[int], room: _Room) -> set[int]:
        """Place the pairs that enclose a word of the translation, and say which those are."""
        wanted: list[tuple[float, int, list[float]]] = []
        for child in children:
            tag = self._source.tags[child]
            if self._source.text[tag.start : tag.end].strip():
                scores = self._scores(tag, room)
                wanted.append((_best_run(scores, [room.units])[0], child, scores))
        enclosing: set[int] = set()
        for _, child, scores in sorted(wanted, key=lambda entry: (-entry[0], entry[1])):
            taken = [self._places[other].units for other in enclosing]
            score, units = _best_run(scores, list(_free(room.units, taken)))
            if score > 0:
                enclosing.add(child)
                if not self._is_all(self._source.tags[child], room):
                    units = tighten(self._evidence, self._source.tags[child].span, units)
                self._places[child] = _Place(units, self._characters(self._source.tags[child], units, room))
        return enclosing

    def _scores(self, tag: Tag, room: _Room) -> list[float]:
        """What speaks for each unit's being inside of the tag."""
        if self._is_all(tag, room):
            return [1.0] * len(self._evidence.units)
        scores = self._evidence.inside(tag.span)
        if max(scores[slice(*room.units)], default=0) <= 0:
            # No word comes from there rather than from elsewhere, but one may come from there too.
            hints = self._evidence.hints(tag.span)
            best = max(range(*room.units), key=hints.__getitem__, default=None)
            if best is not None and hints[best] > 0:
                scores[best] = hints[best]
        return scores

    def _is_all(self, tag: Tag, room: _Room) -> bool:
        """Whether there is no text of the tag's parent outside of it."""
        text = self._source.text
        return not (text[room.source[0] : tag.start] + text[tag.end : room.source[1]]).strip()

    def _characters(self, tag: Tag, units: Span, room: _Room) -> Span:
        """From the first to the last word; up to the parent's edge where the source goes there."""
        start, end = self._evidence.units[units[0]][0], self._evidence.units[units[1] - 1][1]
        if tag.start == room.source[0] and units[0] == room.units[0]:
            start = room.target[0]
        if tag.end == room.source[1] and units[1] == room.units[1]:
            end = room.target[1]
        return start, end

    def _place_points(self, points: Sequence[int], enclosing: set[int], room: _Room) -> None:
        """Place what encloses no word. Single halves stay in their order, so that none closes too soon."""
        siblings = [self._places[child] for child in enclosing]
        earliest = _Place((room.units[0],) * 2, (room.target[0],) * 2)
        for index in points:
            tag = self._source.tags[index]
            half = tag.kind in ("opening", "closing")
            lowest = earliest.units[0] if half else room.units[0]
            unit = self._boundary(tag, range(lowest, room.units[1] + 1), siblings, room)
            position = self._position(tag, unit, siblings, room)
            if half:
                position = max(position, earliest.target[0])
                earliest = _Place((unit, unit), (position, position))
            self._places[index] = _Place((unit, unit), (position, position))

    def _boundary(self, tag: Tag, allowed: range, siblings: Sequence[_Place], room: _Room) -> int:
        """The number of units before the tag; what stands at an edge of its parent stays there."""
        text = self._source.text
        if not text[room.source[0] : tag.start].strip():
            return allowed[0]
        if not text[tag.start : room.source[1]].strip():
            return allowed[-1]
        costs = self._evidence.boundary_costs(tag.start)
        free = [
            unit
            for unit in allowed
            if not any(sibling.units[0] < unit < sibling.units[1] for sibling in siblings)
        ]
        left = self._leans_left(tag)
        return min(free, key=lambda unit: (round(costs[unit], 6), unit if left else -unit))

    def _position(self, tag: Tag, unit: int, siblings: Sequence[_Place], room: _Room) -> int:
        """The character of a boundary between units; the white space there is on one side of the tag."""
        units = self._evidence.units
        first, last = room.units
        if first == last or (unit == first and tag.start == room.source[0]):
            position = room.target[0]
        elif unit == last and tag.start == room.source[1]:
            position = room.target[1]
        elif unit > first and (unit == last or self._leans_left(tag)):
            position = units[unit - 1][1]
        else:
            position = units[unit][0]
        lowest = max([room.target[0], *(one.target[1] for one in siblings if one.units[1] <= unit)])
        highest = min([room.target[1], *(one.target[0] for one in siblings if one.units[0] >= unit)])
        return min(max(position, lowest), highest)

    def _leans_left(self, tag: Tag) -> bool:
        """Whether the tag belongs to the word before it rather than to the one after it."""
        if tag.kind in ("opening", "closing"):
            return tag.kind == "closing"
        text, here = self._source.text, tag.start
        return here > 0 and not text[here - 1].isspace()


def _free(units: Span, taken: Sequence[Span]) -> Iterator[Span]:
    """What is left of a range without others that do not overlap."""
    start = units[0]
    for first, last in sorted(taken):
        yield start, first
        start = last
    yield start, units[1]


def _best_run(scores: Sequence[float], windows: Sequence[Span]) -> tuple[float, Span]:
    """The largest sum of neighbouring scores within a window, and where; 0 where none is positive."""
    best, found = 0.0, (0, 0)
    for first, last in windows:
        total, start = 0.0, first
        for place in range(first, last):
            if total <= 0:
                total, start = 0.0, place
            total += scores[place]
            if total > best:
                best, found = total, (start, place + 1)
    return best, found
