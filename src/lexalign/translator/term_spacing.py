"""A term that follows an opening mark in the source follows it in the translation, without a space.

The tokens of a term begin a word, and a word begins with a space; behind a bracket there is none:

    source         Geben Sie den Wert (Menge) ein.
    search         Enter the value ( quantity).
    translation    Enter the value (quantity).

Where the vocabulary spells the beginning of a word apart, and the model had begun one before the term, two
spaces would stand there; one is enough.
"""

from collections.abc import Sequence

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.hypothesis import ConstraintResult

_OPENING = frozenset("([{<„“”\"'‚‘«»‹›¿¡/-–#_*`")


def close_up_terms(
    source: str,
    text: str,
    spans: Sequence[Span],
    constraints: Sequence[Constraint],
    results: Sequence[ConstraintResult],
) -> tuple[str, list[Span]]:
    """The text without such spaces, and the places of its tokens in it."""
    places = sorted(
        (first_letter(text, spans[result.tokens[0]][0]), _follows_mark(source, constraint))
        for constraint, result in zip(constraints, results, strict=False)
        if result.tokens is not None
    )
    spans = list(spans)
    for place, after_mark in reversed(places):
        before = text[max(0, place - 2) : place]
        if before == "  " or (after_mark and before[1:] == " " and before[0] in _OPENING):
            text = text[: place - 1] + text[place:]
            spans = [(_moved(start, place), _moved(end, place)) for start, end in spans]
    return text, spans


def first_letter(text: str, start: int) -> int:
    """The place of the first character from here on that is not a space."""
    return len(text) - len(text[start:].lstrip(" "))


def _follows_mark(source: str, constraint: Constraint) -> bool:
    return constraint.source is not None and source[: constraint.source[0]][-1:] in _OPENING


def _moved(position: int, place: int) -> int:
    return position - 1 if position >= place else position
