"""A term that follows an opening mark in the source follows it in the translation, without a space.

The tokens of a term begin a word, and a word begins with a space; behind a bracket there is none:

    source         Geben Sie den Wert (Menge) ein.
    search         Enter the value ( quantity).
    translation    Enter the value (quantity).
"""

from collections.abc import Sequence

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.hypothesis import ConstraintResult

_OPENING = frozenset("([{<„“”\"'‚‘«»‹›¿¡/-–#")


def close_up_terms(
    source: str,
    text: str,
    spans: Sequence[Span],
    constraints: Sequence[Constraint],
    results: Sequence[ConstraintResult],
) -> tuple[str, list[Span]]:
    """The text without such spaces, and the places of its tokens in it."""
    places = sorted(
        spans[result.tokens[0]][0]
        for constraint, result in zip(constraints, results, strict=False)
        if result.tokens is not None and _follows_mark(source, constraint)
    )
    spans = list(spans)
    for place in reversed(places):
        if place >= 2 and text[place - 1] == " " and text[place - 2] in _OPENING:
            text = text[: place - 1] + text[place:]
            spans = [(_moved(start, place), _moved(end, place)) for start, end in spans]
    return text, spans


def _follows_mark(source: str, constraint: Constraint) -> bool:
    return constraint.source is not None and source[: constraint.source[0]][-1:] in _OPENING


def _moved(position: int, place: int) -> int:
    return position - 1 if position >= place else position
