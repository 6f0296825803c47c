"""Where constraints stand in a text, each at a place of its own.

A constraint is met by any of its targets, as whole words. Where several constraints ask for the same words,
each needs its own occurrence, so who gets which is a matching of constraints and places (Kuhn's algorithm):

    constraints  {dog, cat}  {dog}      text  "a dog and a cat"
    first come   dog         -          best  cat         dog

Different places may share words: "security system" and "system" are both met by "security system". As many
constraints as possible get a place; they choose in their order, the leftmost place first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lexalign.contracts.constraint import Constraint
from lexalign.metrics.words import WordOptions, forms, split_words

Phrase = tuple[str, ...]


@dataclass(frozen=True, order=True, slots=True)
class Place:
    """Words of a text: the first, and the last + 1."""

    start: int
    end: int


def phrases_of(constraint: Constraint, options: WordOptions) -> tuple[Phrase, ...]:
    """The words of each target; a target without any would stand everywhere, and is left out."""
    found = (forms(split_words(target, options)) for target in constraint.targets)
    return tuple(dict.fromkeys(phrase for phrase in found if phrase))


def find_phrase(phrase: Phrase, text: Sequence[str]) -> list[Place]:
    """All places of a phrase, from left to right; they may overlap."""
    size = len(phrase)
    starts = range(len(text) - size + 1) if size else ()
    return [
        Place(start, start + size)
        for start in starts
        if text[start] == phrase[0] and tuple(text[start : start + size]) == phrase
    ]


def find_constraint(phrases: Sequence[Phrase], text: Sequence[str]) -> list[Place]:
    """All places of any of the phrases, from left to right, the longer first."""
    found = {place for phrase in phrases for place in find_phrase(phrase, text)}
    return sorted(found, key=lambda place: (place.start, -place.end))


def place_constraints(constraints: Sequence[Sequence[Phrase]], text: Sequence[str]) -> list[Place | None]:
    """A place for each constraint, given as its phrases, or None for those that must go without."""
    wanted = [find_constraint(phrases, text) for phrases in constraints]
    owner: dict[Place, int] = {}
    for index in range(len(wanted)):
        _settle(index, wanted, owner, set())
    places: list[Place | None] = [None] * len(wanted)
    for place, index in owner.items():
        places[index] = place
    return places


def _settle(index: int, wanted: Sequence[list[Place]], owner: dict[Place, int], tried: set[Place]) -> bool:
    """Give a constraint a place, a free one before one whose owner would have to move."""
    for place in wanted[index]:
        if place not in owner:
            owner[place] = index
            return True
    for place in wanted[index]:
        if place in tried:
            continue
        tried.add(place)
        if _settle(owner[place], wanted, owner, tried):
            owner[place] = index
            return True
    return False
