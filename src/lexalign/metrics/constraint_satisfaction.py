"""How many constraints a translation meets, and what became of each.

    CSR = constraints whose words occur in the output / constraints

counted with multiplicity: two constraints "dog" need two dogs. One of several targets is enough. Words to be
avoided are counted apart.
"""

from collections.abc import Sequence

from lexalign import __version__
from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint
from lexalign.metrics.occurrences import Phrase, Place, find_constraint, phrases_of, place_constraints
from lexalign.metrics.segment_statistics import SegmentStatistics, check_segments, ratio_statistics
from lexalign.metrics.words import WordOptions, forms, split_words

Constraints = Sequence[Sequence[Constraint]]  # of each segment


def constraint_satisfaction(
    hypotheses: Sequence[str], constraints: Constraints, options: WordOptions | None = None
) -> SegmentStatistics:
    """CSR of what is asked for, be it a must or only preferred."""
    options = options or WordOptions()
    check_segments(hypotheses, constraints, "lines of constraints")
    rows = []
    for hypothesis, asked in zip(hypotheses, constraints, strict=True):
        places = places_in(hypothesis, asked, options)
        rows.append((sum(place is not None for place in places), len(places)))
    signature = f"constraints:{sum(row[1] for row in rows)}|{term_signature(options)}"
    return ratio_statistics("CSR", rows, signature)


def avoidance(
    hypotheses: Sequence[str], constraints: Constraints, options: WordOptions | None = None
) -> SegmentStatistics:
    """How many of the constraints to avoid were indeed avoided."""
    options = options or WordOptions()
    check_segments(hypotheses, constraints, "lines of constraints")
    rows = []
    for hypothesis, asked in zip(hypotheses, constraints, strict=True):
        text = forms(split_words(hypothesis, options))
        unwanted = [phrases_of(constraint, options) for constraint in asked if constraint.kind == "avoid"]
        rows.append((sum(not find_constraint(phrases, text) for phrases in unwanted), len(unwanted)))
    signature = f"constraints:{sum(row[1] for row in rows)}|{term_signature(options)}"
    return ratio_statistics("avoided", rows, signature)


def places_in(text: str, constraints: Sequence[Constraint], options: WordOptions) -> list[Place | None]:
    """Where each of the wanted constraints stands in a text, if it does."""
    return place_constraints(wanted_phrases(constraints, options), forms(split_words(text, options)))


def spans_in(text: str, constraints: Sequence[Constraint], options: WordOptions) -> list[Span | None]:
    """The same places in characters."""
    words = split_words(text, options)
    return [
        None if place is None else (words[place.start].start, words[place.end - 1].end)
        for place in places_in(text, constraints, options)
    ]


def wanted_phrases(constraints: Sequence[Constraint], options: WordOptions) -> list[tuple[Phrase, ...]]:
    """The phrases of each constraint that asks for something, which is all but those to avoid."""
    return [phrases_of(constraint, options) for constraint in constraints if constraint.kind != "avoid"]


def term_signature(options: WordOptions) -> str:
    return f"{options.signature}|lexalign:{__version__}"
