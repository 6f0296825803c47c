"""Regular forms of German terms, by their spelling.

Haus                  Hauses, Hause, Häuser, Häusern ...         a noun, with its capital
prüfen                prüft, prüfte, geprüft ...                 a verb, in -en, -eln, -ern
gültig                gültige, gültigen, gültiger ...            any other small word may be an adjective
Europäisches Recht    Europäischen Rechts ...                    an adjective agrees with its noun

Endings follow the word's own ending; the plural of a short noun cannot be predicted, so more forms are made
than exist, and a dictionary removes those that it does not know.
"""

import re
from collections.abc import Sequence

_ADJECTIVE = re.compile(r"(\w{3,})(e|er|es|en|em)")
_ENDINGS = ("e", "en", "er", "es", "em")
# By the ending in the dictionary form: -e is feminine or a plural, -er masculine, -es neuter.
_ENDINGS_OF = {"e": ("e", "en", "er"), "er": ("er", "e", "en", "em"), "es": ("es", "e", "en", "em")}
_FEMININE = ("ung", "heit", "keit", "schaft", "ion", "tät", "ei", "ur")
_INSEPARABLE_PREFIXES = (
    "be",
    "emp",
    "ent",
    "er",
    "ge",
    "miss",
    "ver",
    "zer",
)  # verbs with these have no ge- in the participle
_UMLAUTS = str.maketrans("aouAOU", "äöüÄÖÜ")


def forms(term: str) -> tuple[str, ...]:
    *before, word = term.split(" ")
    changed = word_forms(word)
    if heads := _declined(before, word):
        return tuple(f"{head} {form}" for form in (word, *changed) for head in heads)
    return tuple(" ".join([*before, form]) for form in changed)


def needed_forms(term: str) -> tuple[str, ...]:
    """The forms of an adjective before its noun, whose ending changes with the case of the noun."""
    *before, noun = term.split(" ")
    heads = _declined(before, noun)
    genitives = (noun + "s", noun + "es") if before and before[-1].endswith(("er", "es")) else ()
    return tuple(f"{head} {form}" for form in (noun, *genitives) for head in heads)


def _declined(before: Sequence[str], noun: str) -> tuple[str, ...]:
    """The words before a noun, with the adjective in all endings; nothing without an adjective."""
    adjective = _ADJECTIVE.fullmatch(before[-1]) if before and noun[:1].isupper() else None
    if adjective is None:
        return ()
    endings = _ENDINGS_OF.get(adjective[2], _ENDINGS)
    return tuple(" ".join([*before[:-1], adjective[1] + ending]) for ending in endings)


def inflected_index(_: str) -> int:
    return -1


def word_forms(word: str) -> tuple[str, ...]:
    if len(word) < 2 or not word[-1].isalpha():
        return ()
    if word.isupper():
        return (word + "s",)  # LKWs
    if word[0].isupper():
        return noun_forms(word)
    if re.fullmatch(r"\w{2,}(en|eln|ern)", word):
        return verb_forms(word)
    return tuple(word.removesuffix("e") + ending for ending in _ENDINGS)


def noun_forms(noun: str) -> tuple[str, ...]:
    if noun.endswith("in") and len(noun) > 5:
        return (noun + "nen",)
    if noun.endswith(_FEMININE):
        return (noun + "en",)
    if noun.endswith("e"):
        return noun + "n", noun + "s", noun + "ns"
    if noun.endswith(("er", "el", "en", "chen", "lein")):
        dative = () if noun.endswith("n") else (noun + "n",)
        return (noun + "s", *dative, *(_umlaut(noun + ending) for ending in ("", "n")))
    if noun[-1] in "aiou":
        return (noun + "s",)
    plurals = [noun + ending for ending in ("e", "en", "er", "ern", "s", "es")]
    return (*plurals, *(_umlaut(noun + ending) for ending in ("e", "en", "er", "ern")))


def verb_forms(verb: str) -> tuple[str, ...]:
    """The forms of a weak verb: prüft, prüfe, prüfst, prüfte, prüften, geprüft."""
    stem = verb.removesuffix("n").removesuffix("e")
    link = "e" if stem.endswith(("t", "d")) else ""
    past = stem + link + "te"
    plain = stem.startswith(_INSEPARABLE_PREFIXES) or verb.endswith("ieren")
    participle = f"{'' if plain else 'ge'}{stem}{link}t"
    return (stem + "e", f"{stem}{link}st", f"{stem}{link}t", past, past + "n", participle)


def _umlaut(word: str) -> str:
    """The word with an umlaut for its last vowel that can have one: Häuser, Bücher, Väter."""
    found = re.fullmatch(r"(.*?)(au|[aouAOU])([^aouAOU]*)", word)
    if found is None:
        return word
    vowel = found[2][0].translate(_UMLAUTS) + found[2][1:]
    return found[1] + vowel + found[3]
