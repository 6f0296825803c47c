"""Occurrences of constraints in a text, each constraint with an occurrence of its own.

A constraint is met by any of its targets, as whole words. If several constraints have the same words, each
needs its own occurrence, so they are assigned by bipartite matching (Kuhn's algorithm):

    constraints  {dog, cat}  {dog}      text  "a dog and a cat"
    greedy       dog         -          best  cat         dog

Different occurrences may share words: "security system" and "system" are both met by "security system". As
many constraints as possible get an occurrence, in their order, and the leftmost one first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lexalign.contracts.constraint import Constraint
from lexalign.metrics.words import WordOptions, forms, split_words

Phrase = tuple[str, ...]


@dataclass(frozen=True, order=True, slots=True)
class Occurrence:
    """An occurrence in the words of a text: the first word, and the last + 1."""

    start: int
    end: int


def phrases_of(constraint: Constraint, options: WordOptions) -> tuple[Phrase, ...]:
    """The words of each target, without targets that have none."""
    found = (forms(split_words(target, options)) for target in constraint.targets)
    return tuple(dict.fromkeys(phrase for phrase in found if phrase))


def find_phrase(phrase: Phrase, text: Sequence[str]) -> list[Occurrence]:
    """All occurrences of a phrase, from left to right; they may overlap."""
    size = len(phrase)
    starts = range(len(text) - size + 1) if size else ()
    return [
        Occurrence(start, start + size)
        for start in starts
        if text[start] == phrase[0] and tuple(text[start : start + size]) == phrase
    ]


def find_constraint(phrases: Sequence[Phrase], text: Sequence[str]) -> list[Occurrence]:
    """All occurrences of any of the phrases, from left to right, longer ones first."""
    found = {occurrence for phrase in phrases for occurrence in find_phrase(phrase, text)}
    return sorted(found, key=lambda occurrence: (occurrence.start, -occurrence.end))


def match_constraints(
    constraints: Sequence[Sequence[Phrase]], text: Sequence[str]
) -> list[Occurrence | None]:
    """The occurrence of each constraint, given as its phrases, or None."""
    wanted = [find_constraint(phrases, text) for phrases in constraints]
    owner: dict[Occurrence, int] = {}
    for index in range(len(wanted)):
        _assign(index, wanted, owner, set())
    occurrences: list[Occurrence | None] = [None] * len(wanted)
    for occurrence, index in owner.items():
        occurrences[index] = occurrence
    return occurrences


def _assign(
    index: int, wanted: Sequence[list[Occurrence]], owner: dict[Occurrence, int], tried: set[Occurrence]
) -> bool:
    """Assign an occurrence to a constraint: a free one, else one whose owner can get another."""
    for occurrence in wanted[index]:
        if occurrence not in owner:
            owner[occurrence] = index
            return True
    for occurrence in wanted[index]:
        if occurrence in tried:
            continue
        tried.add(occurrence)
        if _assign(owner[occurrence], wanted, owner, tried):
            owner[occurrence] = index
            return True
    return False
