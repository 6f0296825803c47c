"""How frequent words are in general text, against which the words of a memory stand out.

wordfreq has some forty languages (Robyn Speer 2022, https://doi.org/10.5281/zenodo.7199437; the extra
`terms`). Frequencies are on Zipf's scale, the logarithm of the occurrences in a billion words: "the" has 7.7,
"invoice" 3.3. Without them a term stands out only by what the memory itself says of it.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from lexalign.terminology.extraction.closed_classes import closed_classes
from lexalign.text.languages import primary

_NUM_FUNCTION_WORDS = 120
_UNKNOWN_ZIPF = 1.0  # of a word that is in no list
_OWN_SHARE = 0.003  # of a memory's words, from which on a word is taken for a function word


class GeneralFrequencies(Protocol):
    @property
    def function_words(self) -> frozenset[str]:
        """Folded words that no term begins or ends with: articles, pronouns, prepositions."""

    def zipf(self, word: str) -> float | None:
        """The frequency of a folded word; None where frequencies are not known at all."""


class WordLists:
    """wordfreq's lists of a language."""

    def __init__(self, language: str) -> None:
        """Raises LookupError for a language without lists, and ImportError without wordfreq."""
        from wordfreq import get_frequency_dict, top_n_list

        self._frequencies = get_frequency_dict(primary(language))
        words = top_n_list(primary(language), _NUM_FUNCTION_WORDS)
        closed = closed_classes(language)
        self.function_words = (
            frozenset(word for word in words if not word[0].isdigit()) if closed is None else closed.words
        )

    def zipf(self, word: str) -> float | None:
        frequency = self._frequencies.get(word)
        return _UNKNOWN_ZIPF if frequency is None else 9 + math.log10(frequency)


@dataclass(frozen=True)
class FunctionWords:
    """Function words alone, in place of lists."""

    function_words: frozenset[str]

    @classmethod
    def most_frequent(cls, words: Iterable[str], language: str | None = None) -> "FunctionWords":
        """The words of closed classes, or the most frequent words of the memory itself."""
        closed = closed_classes(language)
        if closed is not None:
            return cls(closed.words)
        counts = Counter(words)
        total = sum(counts.values())
        frequent = (word for word, count in counts.items() if count >= _OWN_SHARE * total)
        return cls(frozenset(word for word in frequent if word[0].isalpha()))

    def zipf(self, _word: str) -> float | None:
        return None


def word_lists(language: str | None) -> WordLists | None:
    """The lists of a language, where wordfreq is installed and has it."""
    try:
        return WordLists(language) if language is not None else None
    except (ImportError, LookupError):
        return None


def find_frequencies(language: str | None, words: Iterable[str]) -> GeneralFrequencies:
    """The lists of a language, or else what the words of a part of the memory say."""
    return word_lists(language) or FunctionWords.most_frequent(words, language)
