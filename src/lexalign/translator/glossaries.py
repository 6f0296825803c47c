"""What glossaries ask of a sentence, beside what its caller asks."""

from collections.abc import Sequence
from functools import lru_cache

from lexalign.contracts.constraint import Constraint
from lexalign.glossary import Glossary, Match, Matcher

Asked = tuple[Constraint, Match | None]  # and how a glossary came to ask for it


def matcher_of(glossary: Glossary | Matcher | None) -> Matcher | None:
    """A glossary is compiled once, also where it is given with every sentence."""
    return _compiled(glossary) if isinstance(glossary, Glossary) else glossary


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
def _compiled(glossary: Glossary) -> Matcher:
    return Matcher(glossary)
