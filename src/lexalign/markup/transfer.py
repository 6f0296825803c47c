"""Tag transfer: the tags of a source, set into its translation by word alignment.

    Das <b>alte</b> Haus<x/> brennt.       links  Das–The  alte–old  Haus–house  brennt–is burning  .–.
    The <b>old</b> house<x/> is burning.

Whatever the links are, the result has every tag once, nested as in the source, between words and not inside
of them, and its text is the translation. Only a word that stays as it is keeps the tags inside of it:
H<sub>2</sub>O.

A pair is set around the run of words that agrees best with the links: words that are aligned to the inside of
the pair count for a run, others against it (the maximum subarray, Kadane). Parents are set before their
children, and of tags with the same parent the one with the highest score first. A pair with words of which
none is translated gets a word that is left, near to where its own would be. A tag without words is set where
the fewest words are on the wrong side of it, with most weight on its neighbours in the source.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from lexalign.contracts.alignment import Span, SpanLink
from lexalign.markup.evidence import Evidence
from lexalign.markup.tagged_text import Tag, TaggedText
from lexalign.markup.trimming import trim_units
from lexalign.markup.units import is_word, units_of


def transfer_tags(
    source: TaggedText,
    target: str,
    links: Sequence[SpanLink],
    cuts: Sequence[tuple[int, int]] = (),
    *,
    mutual: bool = False,
    whole: Sequence[Span] = (),
) -> TaggedText:
    """`cuts` are the sentence boundaries, in source and target; `mutual` links are of both directions.

    No tag is set inside of the `whole` spans of the target, which are in order and apart.
    """
    if not source.tags:
        return TaggedText(target)
    return _Transfer(source, Evidence(source.text, target, links, cuts, mutual, whole)).run()


def transfer_by_position(source: TaggedText, target: str) -> TaggedText:
    """Set tags by their relative position alone: a baseline, and what can be done without an alignment.

    A tag a third into the source comes a third into the translation, at the nearest edge of a word.
    """
    edges = sorted({0, len(target), *(edge for unit in units_of(target) for edge in unit)})
    scale = len(target) / max(1, len(source.text))

    def scaled(position: int) -> int:
        # Never decreasing, so tags that were nested stay nested.
        exact = position * scale
        index = min(bisect_left(edges, exact), len(edges) - 1)
        nearer = index > 0 and exact - edges[index - 1] < edges[index] - exact
        return edges[index - 1] if nearer else edges[index]

    tags = (replace(tag, start=scaled(tag.start), end=scaled(tag.end)) for tag in source.tags)
    return TaggedText(target, tuple(tags))


@dataclass(frozen=True, slots=True)
class _Enclosure:
    """The inside of a parent: characters of the source, units and characters of the target."""

    source: Span
    units: Span
    target: Span


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a tag in the target."""

    units: Span
    target: Span


class _Transfer:
    def __init__(self, source: TaggedText, evidence: Evidence) -> None:
        self._source, self._evidence = source, evidence
        self._places: dict[int, _Place] = {}

    def run(self) -> TaggedText:
        source, target = self._source.text, self._evidence.target
        everything = _Enclosure((0, len(source)), (0, len(self._evidence.units)), (0, len(target)))
        self._fill(None, everything)
        tags = [
            replace(tag, start=self._places[index].target[0], end=self._places[index].target[1])
            for index, tag in enumerate(self._source.tags)
        ]
        return TaggedText(target, tuple(tags))

    def _fill(self, parent: int | None, enclosure: _Enclosure) -> None:
        children = self._source.children_of.get(parent, [])
        inside_words = self._place_in_copied_words(children, enclosure)
        others = [child for child in children if child not in inside_words]
        enclosing = inside_words | self._place_pairs(others, enclosure, inside_words)
        self._place_points([child for child in children if child not in enclosing], enclosing, enclosure)
        for child in children:
            tag, place = self._source.tags[child], self._places[child]
            self._fill(child, _Enclosure(tag.span, place.units, place.target))

    def _place_in_copied_words(self, children: Sequence[int], enclosure: _Enclosure) -> set[int]:
        """Place the pairs around a part of a word that the translation has too, and return these."""
        evidence = self._evidence
        units, found = evidence.source_units, set[int]()
        for child in children if units else ():
            tag = self._source.tags[child]
            word = units[max(0, bisect_right(units, (tag.start, len(evidence.source) + 1)) - 1)]
            if tag.start == tag.end or tag.span == word or not word[0] <= tag.start < tag.end <= word[1]:
                continue
            unit = self._copy_of(word, enclosure)
            if unit is not None:
                start = evidence.units[unit][0] - word[0]
                self._places[child] = _Place((unit, unit + 1), (tag.start + start, tag.end + start))
                found.add(child)
        return found

    def _copy_of(self, word: Span, enclosure: _Enclosure) -> int | None:
        """The unit that is the same word; of several, the one as far along as the word is."""
        evidence = self._evidence
        text = evidence.source[slice(*word)]
        sources, units = evidence.source_words[text], evidence.target_words.get(text, [])
        first, last = bisect_left(units, enclosure.units[0]), bisect_left(units, enclosure.units[1])
        if first == last or not enclosure.source[0] <= word[0] < word[1] <= enclosure.source[1]:
            return None
        rank = bisect_left(sources, word) - bisect_left(sources, (enclosure.source[0], 0))
        return units[min(first + rank, last - 1)]

    def _place_pairs(
        self, children: Sequence[int], enclosure: _Enclosure, placed: Iterable[int] = ()
    ) -> set[int]:
        """Place the pairs that enclose a word of the translation, and return which those are.

        The units of those that are placed already are left to them.
        """
        scored: list[tuple[float, int, list[float]]] = []
        for child in children:
            tag = self._source.tags[child]
            if self._source.text[tag.start : tag.end].strip():
                scores = self._scores(tag, enclosure)
                scored.append((_best_run(scores, [enclosure.units])[0], child, scores))
        runs = {child: self._places[child].units for child in placed}
        for _, child, scores in sorted(scored, key=lambda entry: (-entry[0], entry[1])):
            score, units = _best_run(scores, list(_free(enclosure.units, runs.values())))
            if score > 0:
                runs[child] = units
                if not self._encloses_all(self._source.tags[child], enclosure):
                    runs[child] = trim_units(self._evidence, self._source.tags[child].span, units)
        for _, child, _ in scored:
            if child not in runs:
                self._claim_unit(child, runs, enclosure)
        for child, units in runs.items():
            if child in self._places:
                continue
            tag = self._source.tags[child]
            self._places[child] = _Place(units, self._characters(tag, units, enclosure))
        return set(runs)

    def _claim_unit(self, child: int, runs: dict[int, Span], enclosure: _Enclosure) -> None:
        """Give a pair that no link speaks for the unit that suits it best, a free one if there is one.

        Else the best at an end of a sibling's run that has others. Where there is none, the pair stays empty.
        """
        tag, evidence = self._source.tags[child], self._evidence
        free = [unit for run in _free(enclosure.units, runs.values()) for unit in range(*run)]
        ends = {
            end: other
            for other, (first, last) in runs.items()
            if last - first > 1
            for end in (first, last - 1)
        }
        hints, costs = evidence.hints(tag.span), evidence.boundary_costs(tag.start)
        here = min(range(enclosure.units[0], enclosure.units[1] + 1), key=costs.__getitem__)
        has_word = is_word(self._source.text, tag.span)

        def suits(unit: int) -> tuple[bool, float, int]:
            fits = is_word(evidence.target, evidence.units[unit]) == has_word
            return fits, hints[unit], -abs(2 * unit + 1 - 2 * here)

        best = max(free or ends, key=suits, default=None)
        if best is None:
            return
        if best in ends:
            first, last = runs[ends[best]]
            runs[ends[best]] = (first + 1, last) if best == first else (first, last - 1)
        runs[child] = best, best + 1

    def _scores(self, tag: Tag, enclosure: _Enclosure) -> list[float]:
        """The score of each unit for being inside of the tag."""
        if self._encloses_all(tag, enclosure):
            return [1.0] * len(self._evidence.units)
        scores = self._evidence.inside(tag.span)
        if max(scores[slice(*enclosure.units)], default=0) <= 0:
            # No word is aligned mostly to the inside, but one may be aligned partly.
            hints = self._evidence.hints(tag.span)
            best = max(range(*enclosure.units), key=hints.__getitem__, default=None)
            if best is not None and hints[best] > 0:
                scores[best] = hints[best]
        return scores

    def _encloses_all(self, tag: Tag, enclosure: _Enclosure) -> bool:
        """Whether all text of its parent is inside of the tag."""
        text = self._source.text
        return not (text[enclosure.source[0] : tag.start] + text[tag.end : enclosure.source[1]]).strip()

    def _characters(self, tag: Tag, units: Span, enclosure: _Enclosure) -> Span:
        """From the first to the last word; up to the parent's edge where the source reaches it."""
        start, end = self._evidence.units[units[0]][0], self._evidence.units[units[1] - 1][1]
        if tag.start == enclosure.source[0] and units[0] == enclosure.units[0]:
            start = enclosure.target[0]
        if tag.end == enclosure.source[1] and units[1] == enclosure.units[1]:
            end = enclosure.target[1]
        return start, end

    def _place_points(self, points: Sequence[int], enclosing: set[int], enclosure: _Enclosure) -> None:
        """Place the tags that enclose no word; single halves keep their order, so none closes too early."""
        siblings = [self._places[child] for child in enclosing]
        earliest = _Place((enclosure.units[0],) * 2, (enclosure.target[0],) * 2)
        for index in points:
            tag = self._source.tags[index]
            half = tag.kind in ("opening", "closing")
            lowest = earliest.units[0] if half else enclosure.units[0]
            unit = self._boundary(tag, range(lowest, enclosure.units[1] + 1), siblings, enclosure)
            position = self._position(tag, unit, siblings, enclosure)
            if half:
                position = max(position, earliest.target[0])
                earliest = _Place((unit, unit), (position, position))
            self._places[index] = _Place((unit, unit), (position, position))

    def _boundary(self, tag: Tag, allowed: range, siblings: Sequence[_Place], enclosure: _Enclosure) -> int:
        """The number of units before the tag; a tag at an edge of its parent stays there."""
        text = self._source.text
        if not text[enclosure.source[0] : tag.start].strip():
            return allowed[0]
        if not text[tag.start : enclosure.source[1]].strip():
            return allowed[-1]
        costs = self._evidence.boundary_costs(tag.start)
        free = [
            unit
            for unit in allowed
            if not any(sibling.units[0] < unit < sibling.units[1] for sibling in siblings)
        ]
        left = self._belongs_left(tag)
        return min(free, key=lambda unit: (round(costs[unit], 6), unit if left else -unit))

    def _position(self, tag: Tag, unit: int, siblings: Sequence[_Place], enclosure: _Enclosure) -> int:
        """The character position of a boundary between units, before or after its white space."""
        units = self._evidence.units
        first, last = enclosure.units
        if first == last or (unit == first and tag.start == enclosure.source[0]):
            position = enclosure.target[0]
        elif unit == last and tag.start == enclosure.source[1]:
            position = enclosure.target[1]
        elif unit > first and (unit == last or self._belongs_left(tag)):
            position = units[unit - 1][1]
        else:
            position = units[unit][0]
        lowest = max([enclosure.target[0], *(one.target[1] for one in siblings if one.units[1] <= unit)])
        highest = min([enclosure.target[1], *(one.target[0] for one in siblings if one.units[0] >= unit)])
        return min(max(position, lowest), highest)

    def _belongs_left(self, tag: Tag) -> bool:
        """Whether the tag belongs to the word before it rather than to the one after it."""
        if tag.kind in ("opening", "closing"):
            return tag.kind == "closing"
        text, here = self._source.text, tag.start
        return here > 0 and not text[here - 1].isspace()


def _free(units: Span, taken: Iterable[Span]) -> Iterator[Span]:
    """The ranges between others that do not overlap."""
    start = units[0]
    for first, last in sorted(taken):
        yield start, first
        start = last
    yield start, units[1]


def _best_run(scores: Sequence[float], windows: Sequence[Span]) -> tuple[float, Span]:
    """The largest sum of neighbouring scores within a window, and its range; 0 where none is positive."""
    best, found = 0.0, (0, 0)
    for first, last in windows:
        total, start = 0.0, first
        for index in range(first, last):
            if total <= 0:
                total, start = 0.0, index
            total += scores[index]
            if total > best:
                best, found = total, (start, index + 1)
    return best, found
