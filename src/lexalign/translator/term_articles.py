"""The English indefinite article before a term: a search may say it before it knows the term.

X1 presents with a X2.      a otitis media      an otitis media
"""

import re
from collections.abc import Sequence

from lexalign.contracts.alignment import Span
from lexalign.contracts.hypothesis import ConstraintResult
from lexalign.translator.term_spacing import first_letter

_ARTICLE = re.compile(r"(?<!\w)([Aa])(n?) $")
_VOWEL_SOUND = re.compile(
    r"""
    (?![Ee][uw]|[Oo]n(?:e|ce)\b|[Uu](?:ni(?![mn])|s[aeiu]|t[eio]|r[aeio]|b[ei]|k))[AEIOUaeiou]
    | (?:[Hh](?:eir|onest|onou?r|our)) | 8 | 1[18](?!\d)
    """,
    re.VERBOSE,
)
# Words of capitals that are spelled, such as MRI, URL and HTML. Whether RAM is spelled cannot be seen.
_SPELLED = re.compile(r"(?:[B-DF-HJ-NP-TV-Z]{2}[A-Z]?|[A-Z][B-DF-HJ-NP-TV-Z]+|[A-Z]{1,2})(?![A-Za-z])")
_UNCLEAR = re.compile(r"[A-Z]{3,}(?![a-z])")
_NAMED_WITH_VOWEL = "AEFHILMNORSX"


def fit_articles(
    text: str, spans: Sequence[Span], results: Sequence[ConstraintResult]
) -> tuple[str, list[Span]]:
    """The text with "a" or "an" before each term, as it begins, and the places of its tokens in it."""
    spans = list(spans)
    places = sorted(first_letter(text, spans[one.tokens[0]][0]) for one in results if one.met and one.tokens)
    for place in reversed(places):
        article = _ARTICLE.search(text, max(0, place - 4), place)
        vowel = begins_with_vowel(text[place : place + 40])
        if article is None or vowel is None or vowel == bool(article[2]):
            continue
        end = article.end(1)
        if article[2]:
            text = text[:end] + text[end + 1 :]
            spans = [(start - (start > end), stop - (stop > end)) for start, stop in spans]
        else:
            text = text[:end] + "n" + text[end:]
            spans = [(start + (start >= end), stop + (stop >= end)) for start, stop in spans]
    return text, spans


def begins_with_vowel(text: str) -> bool | None:
    """Whether a text is read with a vowel first; None where it cannot be known."""
    if _SPELLED.match(text):
        return text[0] in _NAMED_WITH_VOWEL
    if _UNCLEAR.match(text) and text[0] not in "AEIO":
        return None
    return bool(_VOWEL_SOUND.match(text))
