"""The dictionary form of a German term that is listed in another one; other languages have none here.

Handschuhen          Handschuh
Verkaufsaufträge     Verkaufsauftrag       a compound by its last part
roten Kleidern       roten Kleid           the adjective stays: its ending tells no gender

An ending is taken away, and an umlaut too, and the dictionary must say that what is left is the lemma.
"""

from collections.abc import Iterator

from lexalign.glossary.inflection.dictionary import Dictionary
from lexalign.glossary.matching.lemmas import Lemmas
from lexalign.glossary.matching.words import fold
from lexalign.text.languages import primary

_ENDINGS = ("n", "en", "nen", "e", "er", "ern", "s", "es", "ses", "sen", "se")
_UMLAUTS = str.maketrans("äöüÄÖÜ", "aouAOU")


def base_form(term: str, language: str | None, lemmas: Lemmas | None) -> str | None:
    """None where the term is its own dictionary form, or none is known."""
    if language is None or primary(language) != "de" or lemmas is None:
        return None
    before, space, noun = term.rpartition(" ")
    adjectives = before.split()
    if not noun[:1].isupper() or any(not word.islower() for word in adjectives):
        return None
    base = _base_noun(noun, Dictionary(lemmas), lemmas)
    return None if base is None else before + space + base


def _base_noun(noun: str, dictionary: Dictionary, lemmas: Lemmas) -> str | None:
    before, hyphen, last = noun.rpartition("-")
    if dictionary.knows(last):
        base = _listed_base(last, dictionary, lemmas)
        return base and before + hyphen + base
    for head in dictionary.heads(last):
        if lemmas.of(head)[0] == fold(head):
            return None
        if base := _listed_base(head, dictionary, lemmas):
            start = len(last) - len(head)
            return before + hyphen + last[:start] + base[0].lower() + base[1:]
    return None


def _listed_base(noun: str, dictionary: Dictionary, lemmas: Lemmas) -> str | None:
    lemma = lemmas.of(noun)[0]
    if lemma == fold(noun):
        return None
    return next((base for base in _stems(noun) if fold(base) == lemma and dictionary.knows(base)), None)


def _stems(noun: str) -> Iterator[str]:
    for ending in ("", *_ENDINGS):
        if noun.endswith(ending) and len(noun) > len(ending) + 2:
            stem = noun.removesuffix(ending)
            yield stem
            if stem.translate(_UMLAUTS) != stem:
                yield stem.translate(_UMLAUTS)
