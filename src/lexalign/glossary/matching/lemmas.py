"""Lemmas, the dictionary forms of words: that of "Häuser" is "Haus"."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Protocol

from lexalign.contracts.errors import MissingExtraError
from lexalign.glossary.matching.words import fold
from lexalign.text.languages import primary

_MAX_CACHED = 200_000  # words
_MAX_WORD_LENGTH = 80  # no dictionary has longer words
_MIN_HEAD_LENGTH = 4  # of the last part of a compound
# Comparatives and superlatives: to translate "oldest" as if it were "old" would be wrong.
_ENGLISH_COMPARISON = re.compile(r"\w+(er|est)|worse|worst|less|least|more|most")
_GERMAN_COMPARISON = re.compile(r"\w+st(e|en|er|es|em)|\w+er(e|en|er|es|em)")


class Lemmas(Protocol):
    """A lemmatizer."""

    def of(self, word: str) -> tuple[str, ...]:
        """The possible lemmas of a word, folded; the first is that of this very spelling."""

    def knows(self, word: str) -> bool:
        """Whether the dictionary has this word."""


class TableLemmas:
    """A lemmatizer by a table of a few words, for tests and for own lists."""

    def __init__(self, forms: Mapping[str, str]) -> None:
        self._forms = {fold(form): fold(lemma) for form, lemma in forms.items()}

    def of(self, word: str) -> tuple[str, ...]:
        folded = fold(word)
        return (self._forms.get(folded, folded),)

    def knows(self, word: str) -> bool:
        return fold(word) in self._forms


class SimplemmaLemmas:
    """A lemmatizer by simplemma's dictionaries of some fifty languages; loading one takes up to a second."""

    def __init__(self, language: str) -> None:
        """A language that simplemma does not have raises ValueError."""
        try:
            from simplemma import is_known, lemmatize
        except ImportError:
            raise MissingExtraError(
                "inflected forms of terms need simplemma: pip install simplemma; or match terms exactly"
            ) from None
        self._language, self._lemmatize, self._is_known = primary(language), lemmatize, is_known
        self._cached: dict[str, tuple[str, ...]] = {}
        self.of("a")

    def of(self, word: str) -> tuple[str, ...]:
        known = self._cached.get(word)
        if known is None and len(word) > _MAX_WORD_LENGTH:
            return (fold(word),)
        if known is None:
            if len(self._cached) > _MAX_CACHED:
                self._cached.clear()
            known = self._cached[word] = self._look_up(word)
        return known

    def knows(self, word: str) -> bool:
        return self._is_known(word, lang=self._language)

    def _look_up(self, word: str) -> tuple[str, ...]:
        """Look up other cases too: capitals may come from a title or a headline ("Weißen Haus", "BANKEN")."""
        spellings = [word] if word.islower() else [word, word.lower(), word.capitalize()]
        lemmas = [fold(self._lemmatize(spelling, lang=self._language)) for spelling in spellings]
        if self._language == "de" and word[:1].isupper() and not self.knows(word):
            lemmas.extend(self._compound(word))
        folded = fold(word)
        return tuple(dict.fromkeys(folded if self._is_comparison(folded, one) else one for one in lemmas))

    def _compound(self, word: str) -> Iterator[str]:
        """The lemma of a German compound, which is inflected as its last part: Server-räume, -raum."""
        for start in range(3, len(word) - _MIN_HEAD_LENGTH + 1):
            head = word[start:].capitalize()
            if self.knows(head):
                lemma = self._lemmatize(head, lang=self._language)
                if lemma[0].isupper():  # a noun
                    yield fold(word[:start] + lemma)
                    return

    def _is_comparison(self, word: str, lemma: str) -> bool:
        """Whether the word is a comparative or superlative; a verb as "passte" has a lemma in -n."""
        if self._language == "en":
            return word != lemma and _ENGLISH_COMPARISON.fullmatch(word) is not None
        if self._language == "de":
            return _GERMAN_COMPARISON.fullmatch(word) is not None and not lemma.endswith(
                ("st", "er", "n", "e")
            )
        return False


@cache
def find_lemmas(language: str) -> Lemmas | None:
    """The lemmatizer of a language, or None where simplemma does not have it."""
    try:
        return SimplemmaLemmas(language)
    except ValueError:
        return None
