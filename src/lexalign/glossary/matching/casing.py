"""Letter case: when a word of a text matches a term, and in which case its targets are written.

match-source    the text must have the term's capitals: "US" does not match "us", nor "Polish" "polish", but
                "house" matches "House" and "HOUSE". A source in capitals has targets in capitals; one that
                begins with a capital where the term does not has targets that do. At the start of a sentence
                a capital says little, and the target may have it or not. A target that is to be avoided is
                avoided in any case.
as-typed        the text must have the term's case, and the target is written as it is.
"""

import re
from collections.abc import Sequence

from lexalign.glossary.entries import CaseRule

_START = re.compile(r"(^|[.!?:…。？！][\"'”’»)\]]*\s|[\n\u2022•])[\s\"'“”„‘’«»(\[¿¡–—-]*$")


def case_matches(term: str, text: str, rule: CaseRule) -> bool:
    """Whether a word of the text has the case that the rule requires, letter by letter."""
    if rule == "as-typed":
        return all(one.isupper() == other.isupper() for one, other in zip(term, text, strict=False))
    return all(text[index : index + 1].isupper() for index, one in enumerate(term) if one.isupper())


def starts_sentence(text: str, position: int) -> bool:
    return _START.search(text[max(0, position - 20) : position]) is not None if position else True


def with_source_case(targets: Sequence[str], term: str, text: str, *, first: bool) -> tuple[str, ...]:
    """Targets in the case of the source text; `first` tells that it starts a sentence."""
    if _is_capitals(text) and not _is_capitals(term) and len(text) > 1:
        return tuple(target.upper() for target in targets)
    if text[:1].isupper() and not term[:1].isupper():
        capitalized = tuple(target[:1].upper() + target[1:] for target in targets)
        return (
            (*capitalized, *(target for target in targets if target not in capitalized))
            if first
            else capitalized
        )
    if first and text[:1].isupper():
        # A noun with a capital, as in German, may have a target without one.
        capitalized = tuple(target[:1].upper() + target[1:] for target in targets)
        return (*targets, *(target for target in capitalized if target not in targets))
    return tuple(targets)


def in_any_case(targets: Sequence[str]) -> tuple[str, ...]:
    """Targets as they are, with a first capital, and in capitals."""
    forms = ((target, target[:1].upper() + target[1:], target.upper()) for target in targets)
    return tuple(dict.fromkeys(form for ours in forms for form in ours))


def _is_capitals(text: str) -> bool:
    return text.isupper() and sum(character.isalpha() for character in text) > 1
