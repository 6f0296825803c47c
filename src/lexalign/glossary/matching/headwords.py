"""Headwords: dictionary forms without the "to" of English verbs and without a leading article.

to save       save       en      a verb: not matched after an article, where a noun is expected
the report    report     en
die Daten     Daten      de      only before a noun: not in "das heißt"
The Hague     The Hague          an article with a capital belongs to a name

German adjectives before their nouns have one stem and five endings:

    personenbezogene   personenbezogener   personenbezogenen      stem personenbezogen
    höhere             höherer             höheren                stem höher, and so no form of "hoch"

Dictionaries lack many adjectives and disagree about participles; within a term of several words the stem is
enough. For a single word it is not: "Messer" is no form of "Messe".
"""

import re
from dataclasses import dataclass

from lexalign.text.languages import primary

_ENGLISH = re.compile(
    r"(?:(?P<to>to)|the|The(?= [a-z])|an?(?! (?:priori|posteriori|fortiori|la|cappella)\b)) "
)
_DECLINED = re.compile(r"(\w{3,60})(?:e[nmrs]?)")
_GERMAN = re.compile(r"(?:der|die|das|ein|eine) (?=.*\b[A-ZÄÖÜ])")
# Words before a noun, and never before a verb.
DETERMINERS = frozenset("the a an my your our their its every".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class Headword:
    text: str
    verb: bool = False


def headword(term: str, language: str | None) -> Headword:
    """The part of a term that is matched in running text; the whole term in languages without rules."""
    pattern = {"en": _ENGLISH, "de": _GERMAN}.get(primary(language)) if language else None
    found = pattern.match(term) if pattern else None
    rest = term[found.end() :].strip() if found else ""
    if found is None or not rest:
        return Headword(term)
    return Headword(rest, verb=bool(found.groupdict().get("to")))


def adjective_stem(key: str, language: str | None) -> str | None:
    """The stem of a folded word, as if it were an adjective before a noun."""
    if language is None or primary(language) != "de":
        return None
    found = _DECLINED.fullmatch(key)
    return found[1] if found else None


def may_start_in_lower_case(words: tuple[str, ...], language: str | None) -> bool:
    """Whether the first capital of a term of several words comes from a heading or a list.

    "Personal data", "Allgemeine Geschäftsbedingungen"; but not "White House". German nouns keep theirs.
    """
    if len(words) < 2 or not words[0][:1].isupper() or not words[0][1:].islower():
        return False
    if language is not None and primary(language) == "de":
        return adjective_stem(words[0].lower(), language) is not None and words[1][:1].isalpha()
    return not any(letter.isupper() for word in words[1:] for letter in word)
