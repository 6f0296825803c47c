"""Dictionary forms of words: "Häuser" is a form of "Haus"."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Protocol

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.matching.words import fold
from lexalign.text.languages import primary

_MOST_WORDS = 200_000  # remembered at a time
_LONGEST_WORD = 80  # what is longer is in no dictionary
_SHORTEST_HEAD = 4  # of a compound
# Degrees of adjectives: to translate "oldest" as if it were "old" would be wrong.
_ENGLISH_DEGREES = re.compile(r"\w+(er|est)|worse|worst|less|least|more|most")
_GERMAN_DEGREES = re.compile(r"\w+st(e|en|er|es|em)|\w+er(e|en|er|es|em)")


class Lemmas(Protocol):
    """Who knows the dictionary form of a word."""

    def of(self, word: str) -> tuple[str, ...]:
        """Those that it may have, folded as words are compared; the first is that of this very spelling."""

    def knows(self, word: str) -> bool:
        """Whether there is such a word, for certain."""


class TableLemmas:
    """A few words, for tests and for lists of one's own."""

    def __init__(self, forms: Mapping[str, str]) -> None:
        self._forms = {fold(form): fold(lemma) for form, lemma in forms.items()}

    def of(self, word: str) -> tuple[str, ...]:
        folded = fold(word)
        return (self._forms.get(folded, folded),)

    def knows(self, word: str) -> bool:
        return fold(word) in self._forms


class SimplemmaLemmas:
    """By simplemma's dictionaries, which hold some fifty languages; reading one takes up to a second."""

    def __init__(self, language: str) -> None:
        """Raises ValueError for a language that simplemma does not know."""
        try:
            from simplemma import is_known, lemmatize
        except ImportError:
            raise LexalignError(
                "inflected forms of terms need simplemma: pip install 'lexalign[glossary]', "
                "or match terms exactly"
            ) from None
        self._language, self._lemmatize, self._is_known = primary(language), lemmatize, is_known
        self._found: dict[str, tuple[str, ...]] = {}
        self.of("a")

    def of(self, word: str) -> tuple[str, ...]:
        known = self._found.get(word)
        if known is None and len(word) > _LONGEST_WORD:
            return (fold(word),)
        if known is None:
            if len(self._found) > _MOST_WORDS:
                self._found.clear()
            known = self._found[word] = self._look_up(word)
        return known

    def knows(self, word: str) -> bool:
        return self._is_known(word, lang=self._language)

    def _look_up(self, word: str) -> tuple[str, ...]:
        """A capital may be that of a sentence, a title or a headline: "Weißen Haus", "BANKEN"."""
        spellings = [word] if word.islower() else [word, word.lower(), word.capitalize()]
        lemmas = [fold(self._lemmatize(spelling, lang=self._language)) for spelling in spellings]
        if self._language == "de" and word[:1].isupper() and not self.knows(word):
            lemmas.extend(self._compound(word))
        folded = fold(word)
        return tuple(dict.fromkeys(folded if self._is_degree(folded, one) else one for one in lemmas))

    def _compound(self, word: str) -> Iterator[str]:
        """A German compound that no dictionary has is inflected as its last part: Server-räume, -raum."""
        for start in range(3, len(word) - _SHORTEST_HEAD + 1):
            head = word[start:].capitalize()
            if self.knows(head):
                lemma = self._lemmatize(head, lang=self._language)
                if lemma[0].isupper():  # a noun
                    yield fold(word[:start] + lemma)
                    return

    def _is_degree(self, word: str, lemma: str) -> bool:
        """Verbs that look like superlatives ("passte", of "passen") have lemmas in -n."""
        if self._language == "en":
            return word != lemma and _ENGLISH_DEGREES.fullmatch(word) is not None
        if self._language == "de":
            return _GERMAN_DEGREES.fullmatch(word) is not None and not lemma.endswith(("st", "er", "n", "e"))
        return False


@cache
def find_lemmas(language: str) -> Lemmas | None:
    """Those of a language, or None where simplemma does not know it."""
    try:
        return SimplemmaLemmas(language)
    except ValueError:
        return None
