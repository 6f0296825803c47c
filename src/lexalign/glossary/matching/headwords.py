"""Dictionary forms without what dictionaries add: the "to" of English verbs, a leading article.

to save       save       en      a verb: not looked for after an article, where a noun stands
the report    report     en
die Daten     Daten      de      only before a noun: not in "das heißt"
The Hague     The Hague          an article with a capital belongs to a name
"""

import re
from dataclasses import dataclass

from lexalign.text.languages import primary

_ENGLISH = re.compile(
    r"(?:(?P<to>to)|the|The(?= [a-z])|an?(?! (?:priori|posteriori|fortiori|la|cappella)\b)) "
)
_GERMAN = re.compile(r"(?:der|die|das|ein|eine) (?=.*\b[A-ZÄÖÜ])")
# What stands before a noun, and never before a verb.
DETERMINERS = frozenset("the a an my your our their its every".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class Headword:
    text: str
    verb: bool = False


def headword(term: str, language: str | None) -> Headword:
    """What of a term is looked for in running text; the term itself in languages without rules."""
    pattern = {"en": _ENGLISH, "de": _GERMAN}.get(primary(language)) if language else None
    found = pattern.match(term) if pattern else None
    rest = term[found.end() :].strip() if found else ""
    if found is None or not rest:
        return Headword(term)
    return Headword(rest, verb=bool(found.groupdict().get("to")))
