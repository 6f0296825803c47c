"""Constraint satisfaction rate (CSR), and the occurrences of constraints in a text.

    CSR = constraints whose words occur in the output / constraints

counted with multiplicity: two constraints "dog" need two dogs. One of several targets is enough. Phrases to
avoid are counted separately.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from lexalign import __version__
from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint
from lexalign.metrics.occurrences import Phrase, Place, find_constraint, phrases_of, place_constraints
from lexalign.metrics.segment_statistics import SegmentStatistics, check_segments, ratio_statistics
from lexalign.metrics.words import Word, WordOptions, forms, split_words

Constraints = Sequence[Sequence[Constraint]]  # of each segment


@dataclass(frozen=True, slots=True)
class PlacedText:
    """The words of a text, and the occurrence of each positive constraint in it, if there is one."""

    text: str
    words: tuple[Word, ...]
    places: tuple[Place | None, ...]

    def spans(self, window: int = 0) -> list[Span | None]:
        """The character spans of the occurrences, with `window` words on either side."""
        return [None if place is None else self._span(place, window) for place in self.places]

    def _span(self, place: Place, window: int) -> Span:
        words = self.words[max(0, place.start - window) : place.end + window]
        return words[0].start, words[-1].end


def constraint_satisfaction(
    hypotheses: Sequence[str], constraints: Constraints, options: WordOptions | None = None
) -> SegmentStatistics:
    """CSR of positive constraints, required or preferred."""
    options = options or WordOptions()
    check_segments(hypotheses, constraints, "lines of constraints")
    rows = []
    for hypothesis, asked in zip(hypotheses, constraints, strict=True):
        places = place(hypothesis, asked, options).places
        rows.append((sum(place is not None for place in places), len(places)))
    signature = f"constraints:{sum(row[1] for row in rows)}|{term_signature(options)}"
    return ratio_statistics("CSR", rows, signature)


def avoidance(
    hypotheses: Sequence[str], constraints: Constraints, options: WordOptions | None = None
) -> SegmentStatistics:
    """The rate of phrases to avoid that do not occur."""
    options = options or WordOptions()
    check_segments(hypotheses, constraints, "lines of constraints")
    rows = []
    for hypothesis, asked in zip(hypotheses, constraints, strict=True):
        text = forms(split_words(hypothesis, options))
        unwanted = [phrases_of(constraint, options) for constraint in asked if constraint.kind == "avoid"]
        rows.append((sum(not find_constraint(phrases, text) for phrases in unwanted), len(unwanted)))
    signature = f"constraints:{sum(row[1] for row in rows)}|{term_signature(options)}"
    return ratio_statistics("avoided", rows, signature)


def place(text: str, constraints: Sequence[Constraint], options: WordOptions) -> PlacedText:
    return _placed(text, tuple(constraints), options)


def spans_in(text: str, constraints: Sequence[Constraint], options: WordOptions) -> list[Span | None]:
    """The character span of each positive constraint in a text, if it occurs."""
    return place(text, constraints, options).spans()


def wanted_phrases(constraints: Sequence[Constraint], options: WordOptions) -> list[tuple[Phrase, ...]]:
    """The phrases of each positive constraint: of all but those to avoid."""
    return [phrases_of(constraint, options) for constraint in constraints if constraint.kind != "avoid"]


def term_signature(options: WordOptions) -> str:
    return f"{options.signature}|lexalign:{__version__}"


# References are the same for all systems that are compared, and each text for several metrics.
@lru_cache(maxsize=2**13)
def _placed(text: str, constraints: tuple[Constraint, ...], options: WordOptions) -> PlacedText:
    words = split_words(text, options)
    places = place_constraints(wanted_phrases(constraints, options), forms(words))
    return PlacedText(text, tuple(words), tuple(places))
