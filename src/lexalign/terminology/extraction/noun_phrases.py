"""German noun phrases, told by their capitals and endings: is it one, and what is its dictionary form?

Liste offener Rechnungen          yes: an adjective behind a noun is one in the genitive
Status der aktuellen Version      yes
Tom fragte Maria                  no: neither a link nor an adjective in the genitive
Auswirkungen der gemeinsamen      no: cut off, there is no noun at the end

erweiterten Anmeldung             erweiterte Anmeldung
boolesches Feld, boolesche Feld   boolesches Feld
Europäischen Union                Europäische Union, if that is seen: it could be a noun, as in "Daten Union"
"""

import re
from collections.abc import Container, Mapping
from functools import cache

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.inflection.base_forms import base_form
from lexalign.glossary.matching.lemmas import Lemmas, find_lemmas
from lexalign.terminology.extraction.closed_classes import closed_classes
from lexalign.text.languages import primary

_LINKS, _CLOSED = (getattr(closed_classes("de"), name) for name in ("links", "words"))
_ADJECTIVE = re.compile(r"([^\W\d_][\w-]{2,}?)(e[rsnm]?)")
_POLITE = re.compile("Sie|Ihnen|Ihr(e[mnrs]?)?")
_NOMINATIVE = ("es", "e", "er")  # -es tells the neuter; -e is of all genders, and of the plural


def has_noun_capitals(language: str | None) -> bool:
    return language is not None and primary(language) == "de"


def is_noun_phrase(form: str, *, initial: bool = False) -> bool:
    """`initial`: it begins a text, so that its first word may have a capital in any case."""
    words = form.split(" ")
    return _is_noun_phrase(words) or (initial and _is_noun_phrase([words[0].lower(), *words[1:]]))


def has_noun(form: str) -> bool:
    """Whether there is a noun, and nobody is spoken to."""
    kinds = set(map(_kind, form.split(" ")))
    return "noun" in kinds and "polite" not in kinds


def _is_noun_phrase(words: list[str]) -> bool:
    before = ""  # "", "noun", "adjective" or "link"
    for index, word in enumerate(words):
        kind = _kind(word)
        following = words[index + 1] if index + 1 < len(words) else ""
        if (
            kind in ("other", "polite")
            or (kind == "link" and before == "")
            or (kind == "link" and before == "adjective" and word not in ("und", "oder"))
            or (kind == "adjective" and before == "noun" and not _is_genitive(word, following))
        ):
            return False
        before = kind
    return before == "noun"


def _kind(word: str) -> str:
    if _POLITE.fullmatch(word):
        return "polite"
    if not word.islower():  # a name, a number, or a sign between words
        return "noun"
    if word in _LINKS:
        return "link"
    return "other" if word in _CLOSED else "adjective"


def _is_genitive(adjective: str, noun: str) -> bool:
    """Whether both are a genitive without an article: "offener Rechnungen", "tierischen Ursprungs"."""
    return adjective.endswith("er") or (adjective.endswith("en") and noun.endswith("s"))


def _nominative(noun: str, *, may_be_plural: bool) -> str:
    """A noun without the ending of a genitive, or of a dative plural where the plural has none of its own."""
    base = base_form(noun, "de", _lemmas())
    if base is not None and noun in (base + "s", base + "es", base + "ses"):
        return base
    return noun[:-1] if may_be_plural and base is not None and noun.endswith(("ern", "eln")) else noun


@cache
def _lemmas() -> Lemmas | None:
    """Without simplemma nouns stay as they are."""
    try:
        return find_lemmas("de")
    except LexalignError:
        return None


def dictionary_form(listed: str, forms: Mapping[str, int], source_words: Container[str] = ()) -> str:
    """The listed form in the nominative; of adjectives one that is seen, or else the one in -e.

    A noun that is copied from the source stays as it is: "Human Resources" is no genitive.
    """
    *before, noun = listed.split(" ")
    if not noun[:1].isupper():
        return listed
    if noun not in source_words:
        # "Speichern" alone is more often a verb made a noun than the dative plural of "Speicher".
        noun = _nominative(noun, may_be_plural=bool(before) or noun[:-1] in forms)
    phrase = " ".join([*before, noun])
    found = [_ADJECTIVE.fullmatch(word) for word in before]
    stems = [one[1] for one in found if one is not None and one[0] not in _CLOSED]
    if not before or len(stems) < len(before):
        return phrase
    made = [" ".join([*(stem + ending for stem in stems), noun]) for ending in _NOMINATIVE]
    neuter, common, _ = made
    if phrase in made and neuter not in forms:
        return phrase
    guess = common if all(word.islower() for word in before) else phrase
    return next((one for one in made if one in forms), guess)
