"""What English says right before a term: a search may say it before it knows the term.

X1 presents with a X2.      a otitis media              an otitis media
                            a lymph node metastases     a lymph node metastasis
"""

import re
from collections.abc import Sequence

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.hypothesis import ConstraintResult
from lexalign.glossary.inflection.english import is_plural_of
from lexalign.translator.term_spacing import first_letter

_ONE_OF_MANY = re.compile(r"(?<!\w)(?:an?|another|each|every) $", re.IGNORECASE)
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


def fit_number(
    text: str, spans: Sequence[Span], constraints: Sequence[Constraint], results: Sequence[ConstraintResult]
) -> tuple[str, list[Span]]:
    """The text with the singular of a term, if it is allowed, behind a word such as "a" or "every".

    Of a model that hardly knows a term, the choice among its forms is a guess.
    """
    spans = list(spans)
    for constraint, result in zip(constraints, results, strict=False):
        if not result.met or not result.tokens:
            continue
        start, end = first_letter(text, spans[result.tokens[0]][0]), spans[result.tokens[1] - 1][1]
        if not _ONE_OF_MANY.search(text, max(0, start - len("another ") - 1), start):
            continue
        singular = next((one for one in constraint.targets if is_plural_of(text[start:end], one)), None)
        if singular is None:
            continue
        text = text[:start] + singular + text[end:]
        first, last = result.tokens
        moved = start + len(singular)
        spans[first:last] = [(min(left, moved), min(right, moved)) for left, right in spans[first:last]]
        spans[last - 1] = (spans[last - 1][0], moved)
        spans[last:] = [(left + moved - end, right + moved - end) for left, right in spans[last:]]
    return text, spans


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
