"""The capital of a term that begins a sentence.

    term    report      source   Berichte liegen vor.      translation   Reports are available.
    term    iPad        source   Das iPad ist neu.         translation   iPad is new.

A glossary lists words as they stand within a sentence, and a search can put them anywhere. What a caller asks
for is written as it was given, and so is what a glossary lists as typed, or keeps.
"""

from collections.abc import Sequence

from lexalign.translator.translation import TermResult


def with_sentence_capital(text: str, source: str, terms: Sequence[TermResult]) -> str:
    """The translation with a capital, if it begins with a term of a glossary and the source has one too."""
    start = _first_letter(text)
    if start is None or not text[start].islower() or len(text[start].upper()) > 1:
        return text
    first = _first_letter(source)
    if first is None or source[first].islower() or not any(_may_change(term, text, start) for term in terms):
        return text
    return text[:start] + text[start].upper() + text[start + 1 :]


def _may_change(term: TermResult, text: str, start: int) -> bool:
    if not term.met or term.target is None or term.target[0] != start or term.match is None:
        return False
    entry = term.match.entry
    form = text[slice(*term.target)]
    # A capital inside, as in iPad, shows that the first letter is meant to be small.
    return entry.case != "as-typed" and entry.policy != "keep" and form.split()[0].islower()


def _first_letter(text: str) -> int | None:
    """The index of the first letter, if nothing but marks stands before it."""
    for index, character in enumerate(text):
        if character.isalnum():
            return index if character.isalpha() else None
    return None
