"""The word alignment of a translation by units: the source characters to which each unit is aligned.

Links may be between subwords or words, one or many for a unit. Each counts by its probability and by the
share of the unit that it covers, so that the weight of a word is about its probability, however many subwords
it has. A unit without a link is aligned to the whole source, with a low weight.
"""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from lexalign.contracts.alignment import Span, SpanLink
from lexalign.markup.units import is_word, units_of

UNLINKED_WEIGHT = 0.02  # of a unit without links; it must not outweigh a unit with links


# The bonus for a tag without text beside the translation of the unit that, in the source, it directly
# follows; that it directly precedes; that is only next to it. Chosen on development data.
_FOLLOWED, _PRECEDED, _NEAR = 1.5, 1.0, 0.5


@dataclass(frozen=True, slots=True)
class Origin:
    """A source span to which a target unit is aligned."""

    source: Span
    weight: float


@dataclass(frozen=True)
class Evidence:
    """A source text, its translation, and their links."""

    source: str
    target: str
    links: Sequence[SpanLink]
    cuts: Sequence[tuple[int, int]] = ()  # sentence boundaries, in the source and in the target
    mutual: bool = False  # whether links are the mean of both directions
    whole: Sequence[Span] = ()  # of the target, in order: no tag is set inside of them

    @cached_property
    def units(self) -> list[Span]:
        """The units of the target."""
        cuts = {target for _, target in self.cuts}
        return _joined(units_of(self.target, cuts), self.whole, cuts)

    @cached_property
    def source_units(self) -> list[Span]:
        return units_of(self.source, {source for source, _ in self.cuts})

    @cached_property
    def source_words(self) -> dict[str, list[Span]]:
        """The units of the source by their text."""
        found: dict[str, list[Span]] = {}
        for span in self.source_units:
            found.setdefault(self.source[slice(*span)], []).append(span)
        return found

    @cached_property
    def target_words(self) -> dict[str, list[int]]:
        """The numbers of the target's units by their text."""
        found: dict[str, list[int]] = {}
        for number, span in enumerate(self.units):
            found.setdefault(self.target[slice(*span)], []).append(number)
        return found

    @cached_property
    def origins(self) -> list[list[Origin]]:
        """The origins of each target unit."""
        found: list[list[Origin]] = [[] for _ in self.units]
        starts = [start for start, _ in self.units]
        for link in self.links:
            index = max(0, bisect_right(starts, link.target[0]) - 1)
            while index < len(self.units) and self.units[index][0] < link.target[1]:
                share = overlap(link.target, self.units[index]) / _length(self.units[index])
                if share and link.source[0] < link.source[1]:
                    probability = 1.0 if link.probability is None else link.probability
                    found[index].append(Origin(link.source, share * probability))
                index += 1
        anywhere = [Origin((0, len(self.source)), UNLINKED_WEIGHT)] if self.source else []
        return [origins or anywhere for origins in found]

    def inside(self, span: Span) -> list[float]:
        """For each target unit the weight of its origins inside of `span`, less that of those outside."""
        return [
            sum(
                origin.weight * (2 * overlap(origin.source, span) / _length(origin.source) - 1)
                for origin in origins
            )
            for origins in self.origins
        ]

    def hints(self, span: Span) -> list[float]:
        """For each target unit the weight of its links inside of `span`, whatever others it has."""
        return [
            sum(
                origin.weight * overlap(origin.source, span) / _length(origin.source)
                for origin in origins
                if origin.weight > UNLINKED_WEIGHT
            )
            for origins in self.origins
        ]

    def boundary_costs(self, position: int) -> list[float]:
        """The cost of setting a tag without text at `position` behind 0, 1, 2, ... target units.

        Every unit on the wrong side is a cost, which halves with each unit between its origin and the tag. If
        the tag's neighbours are the translations of its neighbours in the source, that is a bonus, above all
        if it touches them.
        """
        here = bisect_right([end for _, end in self.source_units], position)
        before, after = self._sides(position, here)
        cost = sum(before)
        costs = [cost]
        for comes_before, comes_after in zip(before, after, strict=True):
            cost += comes_after - comes_before
            costs.append(cost)
        for unit, share in enumerate(self._shares(here - 1)):
            costs[unit + 1] -= share * (_FOLLOWED if self._touches(here - 1, position) else _NEAR)
        for unit, share in enumerate(self._shares(here)):
            costs[unit] -= share * (_PRECEDED if self._touches(here, position) else _NEAR)
        return costs

    def _sides(self, position: int, here: int) -> tuple[list[float], list[float]]:
        """For each target unit the weight of its origins before `position`, and of those after it."""
        ends = [end for _, end in self.source_units]
        before, after = [0.0] * len(self.units), [0.0] * len(self.units)
        for index, origins in enumerate(self.origins):
            for origin in origins:
                middle = sum(origin.source) / 2
                away = bisect_right(ends, middle) - here
                if middle < position:
                    before[index] += origin.weight * 0.5 ** max(0, -1 - away)
                else:
                    after[index] += origin.weight * 0.5 ** max(0, away)
        return before, after

    def _touches(self, index: int, position: int) -> bool:
        unit = self.source_units[index]
        return unit[0] <= position <= unit[1] and (unit[1] == position or is_word(self.source, unit))

    def _shares(self, index: int) -> list[float]:
        """For each target unit how much of it is aligned to the source unit `index`."""
        if not 0 <= index < len(self.source_units):
            return []
        unit = self.source_units[index]
        return [
            sum(origin.weight * overlap(origin.source, unit) / _length(origin.source) for origin in origins)
            for origins in self.origins
        ]


def _joined(units: Sequence[Span], whole: Sequence[Span], cuts: Collection[int]) -> list[Span]:
    """The units, with those inside of one `whole` span joined, unless a sentence begins there."""
    found: list[Span] = []
    ends = [end for _, end in whole]
    for start, end in units:
        index = bisect_right(ends, start)
        inside = index < len(whole) and whole[index][0] < start
        if inside and found and start not in cuts and overlap(found[-1], whole[index]):
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found


def overlap(one: Span, other: Span) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def _length(span: Span) -> int:
    return span[1] - span[0]
