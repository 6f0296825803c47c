"""Matchers of few terms, with a small table of lemmas."""

from lexalign.glossary import Entry, Glossary, Matcher, MatchOptions, parse_term
from lexalign.glossary.matching.lemmas import TableLemmas

LEMMAS = TableLemmas(
    {
        "aas": "aa",
        "aass": "aa",
        "ab": "aa",
        "goods": "good",
        "best": "good",
        "Häuser": "Haus",
        "Menschenrechte": "Menschenrecht",
        "Menschenrechten": "Menschenrecht",
        "houses": "house",
        "house": "house",
    }
)


def matcher(*terms: str | Entry, options: MatchOptions | None = None, **fields: object) -> Matcher:
    entries = tuple(parse_term(term) if isinstance(term, str) else term for term in terms)
    return Matcher(Glossary(entries), options, lemmas=LEMMAS, **fields)  # type: ignore[arg-type]
