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
from lexalign.metrics.occurrences import Occurrence, Phrase, find_constraint, match_constraints, phrases_of
from lexalign.metrics.segment_statistics import SegmentStatistics, check_segments, ratio_statistics
from lexalign.metrics.words import Word, WordOptions, forms, split_words

Constraints = Sequence[Sequence[Constraint]]  # of each segment


@dataclass(frozen=True, slots=True)
class ConstraintOccurrences:
    """The words of a text, and the occurrence of each positive constraint in it, if there is one."""

    text: str
    words: tuple[Word, ...]
    occurrences: tuple[Occurrence | None, ...]

    def spans(self, window: int = 0) -> list[Span | None]:
        """The character spans of the occurrences, with `window` words on either side."""
        return [
            None if occurrence is None else self._span(occurrence, window) for occurrence in self.occurrences
        ]

    def _span(self, occurrence: Occurrence, window: int) -> Span:
        words = self.words[max(0, occurrence.start - window) : occurrence.end + window]
        return words[0].start, words[-1].end


def constraint_satisfaction(
    hypotheses: Sequence[str], constraints: Constraints, options: WordOptions | None = None
) -> SegmentStatistics:
    """CSR of positive constraints, required or preferred."""
    options = options or WordOptions()
    check_segments(hypotheses, constraints, "lines of constraints")
    rows = []
    for hypothesis, segment_constraints in zip(hypotheses, constraints, strict=True):
        occurrences = find_occurrences(hypothesis, segment_constraints, options).occurrences
        rows.append((sum(occurrence is not None for occurrence in occurrences), len(occurrences)))
    signature = f"constraints:{sum(row[1] for row in rows)}|{term_signature(options)}"
    return ratio_statistics("CSR", rows, signature)


def avoidance(
    hypotheses: Sequence[str], constraints: Constraints, options: WordOptions | None = None
) -> SegmentStatistics:
    """The rate of phrases to avoid that do not occur."""
    options = options or WordOptions()
    check_segments(hypotheses, constraints, "lines of constraints")
    rows = []
    for hypothesis, segment_constraints in zip(hypotheses, constraints, strict=True):
        text = forms(split_words(hypothesis, options))
        unwanted = [
            phrases_of(constraint, options)
            for constraint in segment_constraints
            if constraint.kind == "avoid"
        ]
        rows.append((sum(not find_constraint(phrases, text) for phrases in unwanted), len(unwanted)))
    signature = f"constraints:{sum(row[1] for row in rows)}|{term_signature(options)}"
    return ratio_statistics("avoided", rows, signature)


def find_occurrences(
    text: str, constraints: Sequence[Constraint], options: WordOptions
) -> ConstraintOccurrences:
    return _find_occurrences(text, tuple(constraints), options)


def spans_in(text: str, constraints: Sequence[Constraint], options: WordOptions) -> list[Span | None]:
    """The character span of each positive constraint in a text, if it occurs."""
    return find_occurrences(text, constraints, options).spans()


def wanted_phrases(constraints: Sequence[Constraint], options: WordOptions) -> list[tuple[Phrase, ...]]:
    """The phrases of each positive constraint: of all but those to avoid."""
    return [phrases_of(constraint, options) for constraint in constraints if constraint.kind != "avoid"]


def term_signature(options: WordOptions) -> str:
    return f"{options.signature}|lexalign:{__version__}"


# References are the same for all systems that are compared, and each text for several metrics.
@lru_cache(maxsize=2**13)
def _find_occurrences(
    text: str, constraints: tuple[Constraint, ...], options: WordOptions
) -> ConstraintOccurrences:
    words = split_words(text, options)
    occurrences = match_constraints(wanted_phrases(constraints, options), forms(words))
    return ConstraintOccurrences(text, tuple(words), tuple(occurrences))
