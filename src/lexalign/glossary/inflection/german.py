"""Forms of German terms: cases and plurals of nouns, adjectives with their nouns, verbs.

Haus                     Hauses, Häuser, Häusern            a noun, with its capital
Verkaufsvorlage          Verkaufsvorlagen                   a compound changes as its last part
geistiges Eigentum       geistige Eigentum, geistigen Eigentums ...    adjectives agree with their noun
Schutz personenbezogener Daten    Schutzes ...              what follows the first noun stays as it is
gültig                   gültige, gültigen, gültiger ...    an adjective
prüfen                   prüft, geprüft, prüfte ...         a verb, see `german_verbs.py`

The rules make more forms than there are, and the dictionary keeps those that it lists for the noun. Of a noun
that it does not know, nor its last part, only endings that leave no choice are used: -ung has -ungen.
"""

import re
from collections.abc import Iterator, Sequence

from lexalign.glossary.inflection.dictionary import Dictionary
from lexalign.glossary.inflection.german_verbs import is_verb, verb_forms

_ADJECTIVE = re.compile(r"(\w{3,})(e|er|es|en|em)")
_ENDINGS = ("e", "en", "er", "es", "em")
# Endings of adjectives before a noun in the singular, by the ending of the dictionary form, which tells the
# gender: -er is masculine, -es neuter, -e feminine. The most frequent come first.
_SINGULAR = {"er": ("en", "e", "em"), "es": ("e", "en", "em"), "e": ("en", "er")}
_PLURAL = ("en", "e", "er")
_ANY_GENDER = ("en", "er", "es", "e", "em")  # for terms listed in an oblique case: "weißen Hund"
_ADJECTIVE_SUFFIXES = ("ig", "lich", "isch", "bar", "sam", "los", "haft", "iert", "bezogen", "fähig", "frei")
_FEMININE = ("ung", "heit", "keit", "schaft", "tion", "sion", "tät", "enz", "anz")
# Nouns with a plural in -en, of which dictionaries also list a dative in -e.
_WEAK = (
    "staat", "mensch", "herr", "held", "schmerz", "strahl", "zins", "ohr", "bett", "hemd", "statut", "dent",
    "tant", "ist",
)  # fmt: skip
_SIBILANTS = ("s", "ß", "x", "z", "sch")
_LATIN = re.compile(r"(.*)(um|us|a|o|is|on)")
_UMLAUTS = str.maketrans("aouAOU", "äöüÄÖÜ")
_NAME = re.compile(r".*[\d_.@/&+].*|.+[A-ZÄÖÜ].*", re.DOTALL)  # a code, capitals, or a capital inside


def forms(term: str, dictionary: Dictionary, *, verb: bool) -> Iterator[str]:  # noqa: ARG001
    words = term.split(" ")
    if any(_NAME.fullmatch(part) for word in words for part in word.split("-")):
        return
    if len(words) == 1:
        yield from word_forms(term, dictionary)
        return
    index = _noun_index(words)
    if index is None or _is_object(words[index + 1 :], dictionary):
        return
    phrases = _phrase_forms(words[:index], words[index], dictionary)
    for phrase in phrases:
        yield " ".join([*phrase, *words[index + 1 :]])


def word_forms(word: str, dictionary: Dictionary) -> Iterator[str]:
    if len(word) < 3 or not word[-1].isalpha():
        return iter(())
    if word[0].isupper():
        return noun_forms(word, dictionary)
    if is_verb(word, dictionary):
        return verb_forms(word, dictionary)
    return _adjective_forms(word, dictionary)


def noun_forms(noun: str, dictionary: Dictionary) -> Iterator[str]:
    """Genitive, plural and dative plural."""
    before, hyphen, last = noun.rpartition("-")
    for form in _of_last_part(last, dictionary):
        yield before + hyphen + form


def _of_last_part(noun: str, dictionary: Dictionary) -> Iterator[str]:
    if sure := _sure_forms(noun):
        yield from sure
    elif dictionary.knows(noun):
        yield from _listed_forms(noun, dictionary)
    else:
        for head in dictionary.heads(noun):
            if found := list(_of_last_part(head, dictionary)):
                start = len(noun) - len(head)
                lower = head[0].lower() == noun[start]
                yield from (
                    noun[:start] + (form[0].lower() if lower else form[0]) + form[1:] for form in found
                )
                return


def _sure_forms(noun: str) -> tuple[str, ...]:
    """The forms of nouns whose ending leaves no choice."""
    if noun.endswith(_FEMININE) and len(noun) > 5:
        return (noun + "en",)
    if noun.endswith("erin") and len(noun) > 6:
        return (noun + "nen",)
    return (noun + "s",) if noun.endswith(("chen", "lein")) and len(noun) > 6 else ()


def _listed_forms(noun: str, dictionary: Dictionary) -> Iterator[str]:
    """Of all forms that the rules can make, those that the dictionary lists."""
    found = [form for form in _possible_forms(noun) if dictionary.has_form(form, noun)]
    umlauts = any(form[: len(noun)] != noun for form in found)
    for form in found:
        # The old dative: "dem Hause" beside "Häuser", "dem Felde" beside "Felder".
        old = form == noun + "e" and (umlauts or noun + "er" in found)
        if not old and not (form == noun + "en" and noun + "er" in found):
            yield form


def _possible_forms(noun: str) -> Iterator[str]:
    changed = _umlaut(noun)
    if noun.endswith("e"):
        endings: tuple[str, ...] = ("n", "ns", "s", "r", "m")
    elif noun.endswith(("er", "el", "en")):
        endings = ("s", "n")
    elif noun.endswith("nis"):
        endings = ("ses", "se", "sen")
    elif noun.endswith("tum"):
        endings = ("s",)
    elif noun.lower().endswith(_WEAK):
        endings = ("s", "es", "en") if noun.endswith("staat") else ("en",)
    else:
        endings = ("es", "e", "en", "er", "ern", "n", "nen", "se")
        endings = endings if noun.endswith(_SIBILANTS) else ("s", *endings)
    yield from (noun + ending for ending in endings)
    if noun.endswith("er"):
        yield from (noun[:-1] + ending for ending in ("", "n", "m"))  # Abgeordneter
    if changed != noun:
        yield from (changed + ending for ending in ("", "n", "e", "en", "er", "ern"))
    if latin := _LATIN.fullmatch(noun):
        yield latin[1] + "en"


def _umlaut(word: str) -> str:
    """The word with an umlaut for its last vowel that can have one: Häus, Büch, Väter."""
    found = re.fullmatch(r"(.*?)(au|[aouAOU])([^aouAOU]*)", word)
    if found is None:
        return word
    vowel = found[2][0].translate(_UMLAUTS) + found[2][1:]
    return found[1] + vowel + found[3]


def _adjective_forms(word: str, dictionary: Dictionary) -> Iterator[str]:
    known = dictionary.knows(word)
    if not known and not word.endswith(_ADJECTIVE_SUFFIXES):
        return
    stem = _adjective_stem(word)
    for ending in _ENDINGS:
        if stem + ending != word and (not known or dictionary.has_form(stem + ending, word)):
            yield stem + ending


def _adjective_stem(word: str) -> str:
    """dunkel: dunkle; teuer: teure; hoch: hohe."""
    if word.endswith(("el", "euer", "auer")):
        return word[:-2] + word[-1]
    return word[:-2] + "h" if word.endswith("hoch") else word.removesuffix("e")


def _noun_index(words: Sequence[str]) -> int | None:
    """The index of the noun that is inflected, with adjectives before it and anything behind it."""
    for index, word in enumerate(words):
        if index and not words[index - 1][:1].isalpha():
            return None
        is_adjective = _ADJECTIVE.fullmatch(word) is not None and index + 1 < len(words)
        if word[:1].isupper() and not (is_adjective and words[index + 1][:1].isupper()):
            return index
        if not is_adjective:
            return None
    return None


def _is_object(rest: Sequence[str], dictionary: Dictionary) -> bool:
    """Whether what follows a noun leaves it as it is: "Datei öffnen", "Datum Kreditlimit"."""
    return bool(rest) and (rest[0][:1].isupper() or is_verb(rest[-1], dictionary))


def _phrase_forms(adjectives: Sequence[str], noun: str, dictionary: Dictionary) -> Iterator[tuple[str, ...]]:
    """The forms of a noun, each with the endings of adjectives that can stand before it."""
    found = list(noun_forms(noun, dictionary))
    if not adjectives:
        yield from ((form,) for form in found)
        return
    split = [match for word in adjectives if (match := _ADJECTIVE.fullmatch(word))]
    listed = split[-1][2]
    if listed == "em" or (listed == "en" and not dictionary.is_form(noun)):
        listed = ""
    for form in (noun, *found):
        for ending in _endings_before(form, noun, found, listed):
            phrase = (*(one[1] + ending for one in split), form)
            if phrase != (*adjectives, noun):
                yield phrase


def _endings_before(form: str, noun: str, forms: Sequence[str], listed: str) -> tuple[str, ...]:
    """The endings of an adjective before a form of a noun.

    `listed` is the one before the noun itself, or nothing if that is a case which tells no gender.
    """
    if form == noun:
        return (listed, *_SINGULAR.get(listed, ())) if listed else _ANY_GENDER
    if listed in ("er", "es", "") and form in {noun + ending for ending in ("s", "es", "ses", "ns")}:
        return ("en",)
    # The dative of a plural: "Gesetzen" beside "Gesetze", "Vertretern" beside "Vertreter".
    is_dative = form.endswith("n") and (form[:-1] in forms or (form[:-1] == noun and not noun.endswith("e")))
    return ("en",) if is_dative else _PLURAL
