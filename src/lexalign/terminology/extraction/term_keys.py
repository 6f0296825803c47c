"""What the forms of one term have in common: its key.

    sales orders     sales order          en: singular and plural alone; "posting" is no form of "post" here
    Verkaufsaufträgen  verkaufsauftrag    de: the lemma, that of a compound by its last part
    neuen Aufträge   neu auftrag          de: an adjective before its noun by its stem

In other languages it is the lemma of each word, where simplemma has the language, and otherwise its spelling.
"""

from collections.abc import Sequence
from operator import add

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.matching.headwords import adjective_stem
from lexalign.glossary.matching.lemmas import Lemmas, find_lemmas
from lexalign.glossary.matching.words import Word, fold
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

    def of(self, words: Sequence[Word]) -> "TextKeys":
        """The keys of a text's windows, of which there are several times as many as words."""
        last = [self.word(word, last=True) for word in words]
        inner = last if self._language != "de" else [self.word(word, last=False) for word in words]
        return TextKeys(words, inner, last)

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


class TextKeys:
    """The keys of a text's words, each inside of a window and as its last word."""

    def __init__(self, words: Sequence[Word], inner: Sequence[str], last: Sequence[str]) -> None:
        spaces = ["" if word.attached else " " for word in words]
        self.words = last
        self._inner = list(map(add, spaces, inner))
        self._last = list(map(add, spaces, last)) if last is not inner else self._inner

    def key(self, start: int, end: int) -> str:
        """The key of the words `start` to `end`."""
        if end - start == 1:
            return self.words[start]
        return "".join((*self._inner[start : end - 1], self._last[end - 1])).removeprefix(" ")


def _find(language: str | None) -> Lemmas | None:
    """The lemmas of a language; without simplemma, forms are told apart by their spelling."""
    try:
        return find_lemmas(language) if language else None
    except LexalignError:
        return None
