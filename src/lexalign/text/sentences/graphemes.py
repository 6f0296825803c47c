"""Boundaries between user-perceived characters (grapheme clusters, Unicode UAX #29).

    e + ́ · 👩 + ZWJ + 💻 · 🇩 + 🇪 · क + ् + ष

The rules are those that matter in practice, by the standard library's tables alone: there is no boundary
between a letter and its marks, around a joiner, inside a flag, a Korean syllable or an Indic conjunct.
"""

import unicodedata

from lexalign.text.surface import Span

_VIRAMA = 9  # the combining class of signs that join two consonants
_EXTENDING = frozenset("\u0e33\u0eb3\u200c\u200d\uff9e\uff9f" + "".join(map(chr, range(0x1F3FB, 0x1F400))))


def nearest_boundary(text: str, position: int, span: Span) -> int | None:
    """The boundary inside `span` that is nearest to `position`; None if `span` is one cluster."""
    start, end = span
    for distance in range(end - start):
        for candidate in (position - distance, position + distance):
            if start < candidate < end and _is_boundary(text, candidate, start):
                return candidate
    return None


def _is_boundary(text: str, position: int, start: int) -> bool:
    before, after = text[position - 1], text[position]
    if before < "\u0300" and after < "\u0300":
        return (before, after) != ("\r", "\n")
    if _extends(after) or before == "\u200d" or unicodedata.combining(before) == _VIRAMA:
        return False
    if _is_flag_letter(before) and _is_flag_letter(after):
        return _num_flag_letters(text, position, start) % 2 == 0
    return not ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")


def _extends(character: str) -> bool:
    """Whether a character belongs to the one before it."""
    return (
        unicodedata.category(character)[0] == "M"
        or character in _EXTENDING
        or "\u1160" <= character <= "\u11ff"  # vowels and finals of Korean syllables
        or "\ud7b0" <= character <= "\ud7fb"
        or "\U000e0020" <= character <= "\U000e007f"  # the tags of regional flags
    )


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _num_flag_letters(text: str, position: int, start: int) -> int:
    first = position
    while first > start and _is_flag_letter(text[first - 1]):
        first -= 1
    return position - first
