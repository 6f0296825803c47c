"""What glossaries ask of a sentence, beside what its caller asks."""

import warnings
from collections.abc import Sequence
from functools import lru_cache

from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary, Match, Matcher, MatchOptions
from lexalign.text.subwords import Languages

Asked = tuple[Constraint, Match | None]  # and how a glossary came to ask for it


def matcher_of(glossary: Glossary | Matcher | None, languages: Languages | None = None) -> Matcher | None:
    """A glossary is compiled once, for the languages of the model, also where it is given with every
    sentence."""
    return _compiled(glossary, languages) if isinstance(glossary, Glossary) else glossary


def ask(text: str, constraints: Sequence[Constraint], matcher: Matcher | None) -> list[Asked]:
    """What the caller asks comes first, and a glossary is silent about the source of it."""
    asked: list[Asked] = [(constraint, None) for constraint in constraints]
    if matcher is None:
        return asked
    taken = [constraint.source for constraint in constraints if constraint.source is not None]
    for match in matcher.match(text):
        start, end = match.span
        if not any(start < last and first < end for first, last in taken):
            asked.append((match.constraint, match))
    return asked


@lru_cache(maxsize=4)
def _compiled(glossary: Glossary, languages: Languages | None) -> Matcher:
    """Inflected forms that nobody asked for are left out with a warning where they cannot be had."""
    source, target = (language or None for language in languages or ("", ""))
    if len(glossary) and not len(glossary.for_languages(source, target)):
        warnings.warn(f"the glossary has no terms from {source} to {target}", stacklevel=2)
    try:
        return Matcher(glossary, source_language=source, target_language=target)
    except LexalignError as error:
        warnings.warn(str(error), stacklevel=2)
    exact = MatchOptions(source_forms="exact")
    return Matcher(glossary, exact, source_language=source, target_language=target)
