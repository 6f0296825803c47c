"""The case of terms: when a word of a text is one of the glossary, and how its targets are then written.

match-source    the term's capitals must be there: "US" is not found in "us", nor "Polish" in "polish",
                but "house" is found in "House" and "HOUSE". A source in capitals has targets in capitals;
                one that begins with a capital where the term does not has targets that do. At the start
                of a sentence that capital says little, and the target may have it or not. A target that is
                to be avoided is avoided in any case.
as-typed        the text must have the term's case, and the target is written as it stands.
"""

import re
from collections.abc import Sequence

from lexalign.glossary.entries import CaseRule

_START = re.compile(r"(^|[.!?:…。？！][\"'”’»)\]]*\s|[\n\u2022•])[\s\"'“”„‘’«»(\[¿¡–—-]*$")


def agrees(term: str, text: str, rule: CaseRule) -> bool:
    """Whether a word has the case that a word of the glossary asks for; compared letter by letter."""
    if rule == "as-typed":
        return all(one.isupper() == other.isupper() for one, other in zip(term, text, strict=False))
    return all(text[index : index + 1].isupper() for index, one in enumerate(term) if one.isupper())


def starts_sentence(text: str, position: int) -> bool:
    return _START.search(text[max(0, position - 20) : position]) is not None if position else True


def written(targets: Sequence[str], term: str, text: str, *, first: bool) -> tuple[str, ...]:
    """Targets in the case of the source as it stands; `first` where that starts a sentence."""
    if _is_capitals(text) and not _is_capitals(term) and len(text) > 1:
        return tuple(target.upper() for target in targets)
    if text[:1].isupper() and not term[:1].isupper():
        raised = tuple(target[:1].upper() + target[1:] for target in targets)
        return (*raised, *(target for target in targets if target not in raised)) if first else raised
    if first and text[:1].isupper():
        # A noun that is always written with a capital, as in German, may become one that is not.
        raised = tuple(target[:1].upper() + target[1:] for target in targets)
        return (*targets, *(target for target in raised if target not in targets))
    return tuple(targets)


def in_any_case(targets: Sequence[str]) -> tuple[str, ...]:
    """Targets as they stand, with a first capital, and in capitals."""
    forms = ((target, target[:1].upper() + target[1:], target.upper()) for target in targets)
    return tuple(dict.fromkeys(form for ours in forms for form in ours))


def _is_capitals(text: str) -> bool:
    return text.isupper() and sum(character.isalpha() for character in text) > 1
