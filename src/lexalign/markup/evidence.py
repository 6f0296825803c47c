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
from lexalign.markup.units import units_of

WEAK = 0.02  # the weight of such an origin; no word that is linked should be outweighed by one that is not


@dataclass(frozen=True, slots=True)
class Origin:
    source: Span
    weight: float


@dataclass(frozen=True)
class Evidence:
    source: str
    target: str
    links: Sequence[SpanLink]

    @cached_property
    def units(self) -> list[Span]:
        """Of the target."""
        return units_of(self.target)

    @cached_property
    def source_units(self) -> list[Span]:
        return units_of(self.source)

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
        """For each target unit how much says that some of it comes from `span`, whatever speaks against it."""
        return [
            sum(
                origin.weight * overlap(origin.source, span) / _length(origin.source)
                for origin in origins
                if origin.weight > WEAK
            )
            for origins in self.origins
        ]

    def sides(self, position: int) -> tuple[list[float], list[float]]:
        """For each target unit how much speaks for its coming from before `position`, and from after it.

        What is near counts for more: the weight halves with every unit in between.
        """
        ends = [end for _, end in self.source_units]
        here = bisect_right(ends, position)
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


def overlap(one: Span, other: Span) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def _length(span: Span) -> int:
    return span[1] - span[0]
