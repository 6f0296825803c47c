"""What the forms of one term have in common: its key.

    sales orders     sales order          en: singular and plural alone; "posting" is no form of "post" here
    Verkaufsaufträgen  verkaufsauftrag    de: the lemma, that of a compound by its last part
    neuen Aufträge   neu auftrag          de: an adjective before its noun by its stem

In other languages it is the lemma of each word, where simplemma has the language, and otherwise its spelling.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.matching.headwords import adjective_stem
from lexalign.glossary.matching.lemmas import Lemmas, find_lemmas
from lexalign.glossary.matching.words import Word, fold
from lexalign.terminology.extraction.text_words import Indexes, TextWords
from lexalign.text.languages import primary

_MAX_CACHED = 250_000  # words
_SINGULAR_S = ("ss", "us", "is", "as")  # words in these endings are no plurals


class TermKeys:
    def __init__(self, language: str | None, lemmas: Lemmas | None = None) -> None:
        """`lemmas` replaces simplemma's."""
        self._language = primary(language) if language else None
        self._lemmas = lemmas if lemmas is not None else _find(language)
        self._cached: tuple[dict[str, str], dict[str, str]] = {}, {}  # of words before others, of last ones

    def key(self, words: Sequence[Word]) -> str:
        """The key of some words; what is written without a space has none in its key either."""
        final = len(words) - 1
        parts = [
            ("" if word.attached or not index else " ") + self.word(word, last=index == final)
            for index, word in enumerate(words)
        ]
        return "".join(parts)

    def of_phrases(self, words: TextWords, first: Indexes, last: Indexes) -> list[str]:
        """The keys of phrases; those of their words are looked up once for all of them."""
        ends, inner = (self._spaced(words, used) for used in _words_used(words, first, last))
        ids, found = words.ids.tolist(), []
        for start, end in zip(first.tolist(), (last - 1).tolist(), strict=True):
            if start == end:
                found.append(ends[ids[start]].removeprefix(" "))
            else:
                before = "".join([inner[each] for each in ids[start:end]])
                found.append((before + ends[ids[end]]).removeprefix(" "))
        return found

    def _spaced(self, words: TextWords, used: tuple[Indexes, bool]) -> dict[int, str]:
        """The keys of some words of a vocabulary, with the space before them."""
        vocabulary, (ids, last) = words.vocabulary, used
        return {
            each: ("" if vocabulary[each].attached else " ") + self.word(vocabulary[each], last=last)
            for each in ids.tolist()
        }

    def word(self, word: Word, *, last: bool) -> str:
        cached = self._cached[last]
        found = cached.get(word.text)
        if found is None:
            if len(cached) > _MAX_CACHED:
                cached.clear()
            found = cached[word.text] = self._look_up(word.text, last)
        return found

    def _look_up(self, text: str, last: bool) -> str:
        folded = fold(text)
        if not folded[:1].isalpha():
            return folded
        if self._language == "en":
            return self._singular(folded)
        if self._language == "de" and not last and not text[:1].isupper():
            return adjective_stem(folded, "de") or folded
        if self._lemmas is None or text.isupper():
            return folded
        return self._lemmas.of(text)[0]

    def _singular(self, folded: str) -> str:
        if not folded.endswith("s") or folded.endswith(_SINGULAR_S) or len(folded) < 4:
            return folded
        lemma = self._lemmas.of(folded)[0] if self._lemmas is not None else folded[:-1]
        plurals = (lemma + "s", lemma + "es", lemma[:-1] + "ies")
        if folded in plurals:
            return lemma
        return folded if self._lemmas is not None and self._lemmas.knows(folded) else folded[:-1]


def _words_used(words: TextWords, first: Indexes, last: Indexes) -> Iterator[tuple[Indexes, bool]]:
    """The words that end phrases, and those before them, as ids of the vocabulary."""
    yield np.unique(words.ids[last - 1]), True
    depths = np.zeros(len(words.ids) + 1, dtype=np.int64)  # of phrases that a word is inside of
    np.add.at(depths, first, 1)
    np.add.at(depths, last - 1, -1)
    yield np.unique(words.ids[np.cumsum(depths[:-1]) > 0]), False


def _find(language: str | None) -> Lemmas | None:
    """The lemmas of a language; without simplemma, forms are told apart by their spelling."""
    try:
        return find_lemmas(language) if language else None
    except LexalignError:
        return None
