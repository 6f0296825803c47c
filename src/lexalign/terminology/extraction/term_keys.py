"""What the forms of one term have in common: its key.

    sales orders     sales order          en: singular and plural alone; "posting" is no form of "post" here
    Verkaufsaufträgen  verkaufsauftrag    de: the lemma, that of a compound by its last part
    neuen Aufträge   neu auftrag          de: an adjective before its noun by its stem

In other languages it is the lemma of each word, where simplemma has the language, and otherwise its spelling.
"""

from collections.abc import Sequence

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.matching.headwords import adjective_stem
from lexalign.glossary.matching.lemmas import Lemmas, find_lemmas
from lexalign.glossary.matching.words import Word, fold
from lexalign.text.languages import primary

_MAX_CACHED = 500_000  # words
_SINGULAR_S = ("ss", "us", "is", "as")  # words in these endings are no plurals


class TermKeys:
    def __init__(self, language: str | None, lemmas: Lemmas | None = None) -> None:
        """`lemmas` replaces simplemma's."""
        self._language = primary(language) if language else None
        self._lemmas = lemmas if lemmas is not None else _find(language)
        self._cached: dict[tuple[str, bool], str] = {}

    def key(self, words: Sequence[Word]) -> str:
        """The key of some words; what is written without a space has none in its key either."""
        parts = [self.word(words[0], last=len(words) == 1)]
        for index in range(1, len(words)):
            word = words[index]
            parts.append(("" if word.attached else " ") + self.word(word, last=index == len(words) - 1))
        return "".join(parts)

    def word(self, word: Word, *, last: bool) -> str:
        found = self._cached.get((word.text, last))
        if found is None:
            if len(self._cached) > _MAX_CACHED:
                self._cached.clear()
            found = self._cached[word.text, last] = self._look_up(word.text, last)
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


def _find(language: str | None) -> Lemmas | None:
    """The lemmas of a language; without simplemma, forms are told apart by their spelling."""
    try:
        return find_lemmas(language) if language else None
    except LexalignError:
        return None
