"""What word alignment says of each unit of a translation: from which characters of the source it comes.

Links may be of subwords or of words, one or many for a unit. Each counts by its probability and by the share
of the unit that it speaks of, so that a word weighs about as much as it is sure, however many pieces it has.
A unit that no link speaks of comes from anywhere in the source, which counts for little.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from lexalign.contracts.alignment import Span, SpanLink
from lexalign.markup.units import is_word, units_of

WEAK = 0.02  # the weight of such an origin; no word that is linked should be outweighed by one that is not


# What it is worth to a tag without text to stand beside the translation of the word, or the mark, that it
# follows and touches in the source; that it comes before and touches; that is only near. Chosen on
# development data.
_FOLLOWED, _PRECEDED, _NEAR = 1.5, 1.0, 0.5


@dataclass(frozen=True, slots=True)
class Origin:
    source: Span
    weight: float


@dataclass(frozen=True)
class Evidence:
    source: str
    target: str
    links: Sequence[SpanLink]
    cuts: Sequence[tuple[int, int]] = ()  # where sentences meet, in the source and in the target

    @cached_property
    def units(self) -> list[Span]:
        """Of the target."""
        return units_of(self.target, {target for _, target in self.cuts})

    @cached_property
    def source_units(self) -> list[Span]:
        return units_of(self.source, {source for source, _ in self.cuts})

    @cached_property
    def origins(self) -> list[list[Origin]]:
        """Of each target unit."""
        found: list[list[Origin]] = [[] for _ in self.units]
        starts = [start for start, _ in self.units]
        for link in self.links:
            place = max(0, bisect_right(starts, link.target[0]) - 1)
            while place < len(self.units) and self.units[place][0] < link.target[1]:
                share = overlap(link.target, self.units[place]) / _length(self.units[place])
                if share and link.source[0] < link.source[1]:
                    probability = 1.0 if link.probability is None else link.probability
                    found[place].append(Origin(link.source, share * probability))
                place += 1
        anywhere = [Origin((0, len(self.source)), WEAK)] if self.source else []
        return [origins or anywhere for origins in found]

    def inside(self, span: Span) -> list[float]:
        """For each target unit how much speaks for its coming from `span`, less what speaks against it."""
        return [
            sum(
                origin.weight * (2 * overlap(origin.source, span) / _length(origin.source) - 1)
                for origin in origins
            )
            for origins in self.origins
        ]

    def hints(self, span: Span) -> list[float]:
        """For each target unit how much says that some of it comes from `span`, whatever else is said."""
        return [
            sum(
                origin.weight * overlap(origin.source, span) / _length(origin.source)
                for origin in origins
                if origin.weight > WEAK
            )
            for origins in self.origins
        ]

    def boundary_costs(self, position: int) -> list[float]:
        """For each number of target units before a tag without text at `position`: what speaks against it.

        Every unit on the wrong side does, for half as much with each unit that stands between its origin and
        the tag. That the tag's neighbours are the translations of its neighbours in the source speaks for it,
        above all if it touches them.
        """
        here = bisect_right([end for _, end in self.source_units], position)
        before, after = self._sides(position, here)
        wrong = sum(before)
        costs = [wrong]
        for comes_before, comes_after in zip(before, after, strict=True):
            wrong += comes_after - comes_before
            costs.append(wrong)
        for place, share in enumerate(self._shares(here - 1)):
            costs[place + 1] -= share * (_FOLLOWED if self._touches(here - 1, position) else _NEAR)
        for place, share in enumerate(self._shares(here)):
            costs[place] -= share * (_PRECEDED if self._touches(here, position) else _NEAR)
        return costs

    def _sides(self, position: int, here: int) -> tuple[list[float], list[float]]:
        """For each target unit how much speaks for its coming from before `position`, and from after it."""
        ends = [end for _, end in self.source_units]
        before, after = [0.0] * len(self.units), [0.0] * len(self.units)
        for place, origins in enumerate(self.origins):
            for origin in origins:
                middle = sum(origin.source) / 2
                away = bisect_right(ends, middle) - here
                if middle < position:
                    before[place] += origin.weight * 0.5 ** max(0, -1 - away)
                else:
                    after[place] += origin.weight * 0.5 ** max(0, away)
        return before, after

    def _touches(self, index: int, position: int) -> bool:
        unit = self.source_units[index]
        return unit[0] <= position <= unit[1] and (unit[1] == position or is_word(self.source, unit))

    def _shares(self, index: int) -> list[float]:
        """For each target unit how much of it comes from the source's unit `index`."""
        if not 0 <= index < len(self.source_units):
            return []
        unit = self.source_units[index]
        return [
            sum(origin.weight * overlap(origin.source, unit) / _length(origin.source) for origin in origins)
            for origins in self.origins
        ]


def overlap(one: Span, other: Span) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def _length(span: Span) -> int:
    return span[1] - span[0]
