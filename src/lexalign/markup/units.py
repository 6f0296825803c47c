"""Units of a text, between which tags may be set: a word, or a single punctuation mark.

    Die E-Mail kostet 3,50 €.     Die | E-Mail | kostet | 3,50 | € | .

A word is letters, digits and combining marks; a hyphen or an apostrophe between two such characters belongs
to the word, and so does a full stop or a comma between digits, and a full stop or a colon between letters, as
in `example.com`. Han characters, hiragana, Thai, Lao, Khmer and Burmese letters are single units, since their
words are not known. Every character that is not white space is in one unit.
"""

import unicodedata
from collections.abc import Collection
from functools import lru_cache

from lexalign.contracts.alignment import Span

_WORD_INTERNAL = frozenset("-'’_@·\u00ad\u2010\u2011\u200d\u200c")
_HYPHENS = frozenset("-\u2010")
_JOINERS = frozenset("\u200d\u200c")


def is_word(text: str, unit: Span) -> bool:
    """Whether a unit is a word, not punctuation."""
    return any(_class(character) in ("letter", "alone") for character in text[slice(*unit)])


def units_of(text: str, cuts: Collection[int] = ()) -> list[Span]:
    """The spans of the units; none crosses the `cuts`."""
    starts = [
        index
        for index in range(len(text))
        if not text[index].isspace() and (index in cuts or _begins(text, index))
    ]
    return [
        (start, _last_visible(text, start, end))
        for start, end in zip(starts, [*starts[1:], len(text)], strict=False)
    ]


def _last_visible(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _begins(text: str, index: int) -> bool:
    """Whether the visible character at `index` begins a unit."""
    if index == 0 or text[index - 1].isspace():
        return True
    before, here = _class(text[index - 1]), _class(text[index])
    if here == "combining" or text[index - 1] in _JOINERS:
        return False
    if here == "letter":
        return not (_joins(text, _base(text, index - 1)) or _is_letter(text, index - 1))
    return not (before != "mark" and _joins(text, index))


def _joins(text: str, index: int) -> bool:
    """Whether punctuation joins the letters or digits on both sides."""
    if (
        not 0 < index < len(text) - 1
        or not _is_letter(text, index - 1)
        or _class(text[index + 1]) != "letter"
    ):
        return False
    before, after = text[index - 1], text[index + 1]
    if text[index] in _HYPHENS and after.isupper():
        return index == 1 or not _is_letter(text, index - 2)  # the hyphen of E-Mail, not of BIP-Wachstum
    if text[index] in _WORD_INTERNAL:
        return True
    if before.isdigit() or after.isdigit():
        return text[index] in ".,:" and before.isdigit() and after.isdigit()
    # A sentence may begin directly after a full stop, but not with a lower-case letter.
    return text[index] in ".:" and (after.islower() or (index == 1 or not _is_letter(text, index - 2)))


def _is_letter(text: str, index: int) -> bool:
    return _class(text[_base(text, index)]) == "letter"


def _base(text: str, index: int) -> int:
    """The base character of the combining mark at `index`, or that character itself."""
    while index > 0 and _class(text[index]) == "combining" and not text[index - 1].isspace():
        index -= 1
    return index


@lru_cache(maxsize=4096)
def _class(character: str) -> str:
    category = unicodedata.category(character)
    if category[0] == "M" or character in _JOINERS:
        return "combining"
    if category == "Lo" and _stands_alone(character):
        return "alone"
    return "letter" if category[0] in "LN" else "mark"


def _stands_alone(character: str) -> bool:
    name = unicodedata.name(character, "")
    return name.startswith(
        ("CJK UNIFIED", "CJK COMPATIBILITY", "HIRAGANA", "THAI", "LAO", "KHMER", "MYANMAR")
    )
