"""The words of many texts as arrays: what a shard does for each of its words, it does for all at once.

    texts        "A file."   "The file"             white space is single spaces
    vocabulary   A   " file"   .   The              each with the space before it, or without
    ids          0   1   2   3   1
    starts       0   3   5                          text i has the words starts[i] to starts[i + 1]

A phrase is given by the indexes of its words, from `first` to before `last`.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise

import numpy as np
from numpy.typing import NDArray

from lexalign.glossary.matching.words import Word, fold, split_spaced

Indexes = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TextWords:
    text: str  # all texts, without anything between them
    vocabulary: list[Word]  # `attached` tells whether there is a space before the word
    ids: Indexes  # (N,) of each word in the vocabulary
    starts: Indexes

    @classmethod
    def read(cls, texts: Sequence[str]) -> "TextWords":
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        ids: list[int] = []
        starts = [0]
        for text in texts:
            ids.extend(map(numbers.__getitem__, split_spaced(text)))
            starts.append(len(ids))
        vocabulary = list(map(_word, numbers))
        return cls(
            "".join(texts), vocabulary, np.array(ids, dtype=np.int64), np.array(starts, dtype=np.int64)
        )

    def lists(self) -> list[list[str]]:
        """The words of each text."""
        texts = [word.text for word in self.vocabulary]
        words = [texts[each] for each in self.ids.tolist()]
        return [words[start:end] for start, end in pairwise(self.starts.tolist())]

    def flags(self, test: Callable[[Word], bool]) -> Flags:
        """Which words pass a test that depends on the word alone."""
        found: Flags = np.array([test(word) for word in self.vocabulary], dtype=np.bool_)[self.ids]
        return found

    @cached_property
    def rows(self) -> Indexes:
        """(N,) the text of each word."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def text_ends(self) -> Indexes:
        """(N,) the end of the text that each word is in, as an index of words."""
        return self.starts[1:][self.rows]

    @cached_property
    def is_first(self) -> Flags:
        """(N,) whether a word begins a text."""
        found: Flags = self.starts[self.rows] == np.arange(len(self.ids))
        return found

    def forms(self, first: Indexes, last: Indexes) -> list[str]:
        """Phrases as they are written."""
        starts, ends = self._spans
        begin, end = starts[first].tolist(), ends[last - 1].tolist()
        return [self.text[one:other] for one, other in zip(begin, end, strict=True)]

    def phrase_codes(self, first: Indexes, last: Indexes) -> Indexes:
        """A number for each phrase, the same for phrases of the same words with the same spaces inside."""
        codes, sizes = self._plain_ids[self.ids[first]], last - first
        num_words = len(self.vocabulary)
        next_code = num_words
        for offset in range(1, sizes.max(initial=0)):
            longer = np.flatnonzero(sizes > offset)
            joined = codes[longer] * num_words + self.ids[first[longer] + offset]
            known, inverse = np.unique(joined, return_inverse=True)
            codes[longer] = inverse + next_code
            next_code += len(known)
        return codes

    @cached_property
    def _spans(self) -> tuple[Indexes, Indexes]:
        """(N,) where each word begins and ends in the text."""
        lengths = np.array([len(word.text) for word in self.vocabulary], dtype=np.int64)[self.ids]
        spaces = np.array([not word.attached for word in self.vocabulary], dtype=np.int64)[self.ids]
        ends = np.cumsum(lengths + spaces)
        return ends - lengths, ends

    @cached_property
    def _plain_ids(self) -> Indexes:
        """(V,) the same id for a word with and without a space before it."""
        numbers: dict[str, int] = {}
        return np.array(
            [numbers.setdefault(one.text, len(numbers)) for one in self.vocabulary], dtype=np.int64
        )


def _word(spaced: str) -> Word:
    text = spaced.removeprefix(" ")
    return Word(text, fold(text), 0, len(text), attached=len(text) == len(spaced))
