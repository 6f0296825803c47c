"""German adjectives before their nouns: one stem, five endings.

    personenbezogene   personenbezogener   personenbezogenen      stem personenbezogen
    höhere             höherer             höheren                stem höher, and so no form of "hoch"

Dictionaries lack many adjectives and are at variance about participles; within a term of several words the
stem tells enough. Of a word alone it does not: "Messer" is no form of "Messe".
"""

import re

from lexalign.text.languages import primary

_DECLINED = re.compile(r"(\w{3,60})(?:e[nmrs]?)")


def adjective_stem(key: str, language: str | None) -> str | None:
    """The stem that a folded word has if it is an adjective before a noun."""
    if language is None or primary(language) != "de":
        return None
    found = _DECLINED.fullmatch(key)
    return found[1] if found else None


def may_be_small(words: tuple[str, ...], language: str | None) -> bool:
    """Whether the first capital of a term of several words is that of a heading or of a list.

    "Personal data", "Allgemeine Geschäftsbedingungen"; but not "White House". German nouns keep theirs.
    """
    if len(words) < 2 or not words[0][:1].isupper() or not words[0][1:].islower():
        return False
    if language is not None and primary(language) == "de":
        return adjective_stem(words[0].lower(), language) is not None and words[1][:1].isalpha()
    return not any(letter.isupper() for word in words[1:] for letter in word)
