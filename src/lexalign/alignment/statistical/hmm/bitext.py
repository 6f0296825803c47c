"""A parallel text as word-type ids: words are split into parts, and parts are reduced to stems.

    words    Sie    lacht.           laughs,
    parts    sie    lacht  .         laughs  ,
    words    0      1      1         0       0          the index of each part's word

Parts with the same first letters are one type, because they are mostly inflected forms of one word.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from lexalign.alignment.statistical.hmm.options import HmmOptions
from lexalign.metrics.words import WordOptions, split_words

Indexes = NDArray[np.int64]
PADDING = 0  # no word
_LOWER_CASE = WordOptions(ignore_case=True)


@dataclass(frozen=True, eq=False)
class Side:
    """One side of the text; sentence i has the parts `starts[i]` to `starts[i + 1]`."""

    ids: Indexes
    word_indexes: NDArray[np.int32]  # of each part, within its sentence
    starts: Indexes
    vocabulary_size: int

    @property
    def lengths(self) -> Indexes:
        return np.diff(self.starts)

    def padded(self, rows: Indexes) -> Indexes:
        """The padded ids (B, longest) of some sentences."""
        positions = self.starts[rows][:, None] + np.arange(self.lengths[rows].max())
        inside = positions < self.starts[rows + 1][:, None]
        return np.where(inside, self.ids[np.where(inside, positions, 0)], PADDING)


@dataclass(frozen=True, eq=False)
class Bitext:
    source: Side
    target: Side

    def __len__(self) -> int:
        return len(self.source.starts) - 1


def read_bitext(pairs: Iterable[tuple[Sequence[str], Sequence[str]]], options: HmmOptions) -> Bitext:
    readers = _Reader(options), _Reader(options)
    for pair in pairs:
        for reader, words in zip(readers, pair, strict=True):
            reader.add(words)
    source, target = (reader.side() for reader in readers)
    return Bitext(source, target)


class _Reader:
    def __init__(self, options: HmmOptions) -> None:
        self._options = options
        self._type_ids: dict[str, int] = {}
        self._parts = _WordParts(self._split)
        self._ids = array("q")
        self._num_parts, self._num_words = array("i"), array("i")  # of each word, of each sentence

    def add(self, words: Sequence[str]) -> None:
        parts = list(map(self._parts.__getitem__, words))
        self._ids.extend(chain.from_iterable(parts))
        self._num_parts.extend(map(len, parts))
        self._num_words.append(len(words))

    def _split(self, word: str) -> tuple[int, ...]:
        parts = [part.form for part in split_words(word, _LOWER_CASE)] if self._options.split else [word]
        stems = [part[: self._options.stem or None] for part in parts]
        return tuple(self._type_ids.setdefault(stem, len(self._type_ids) + PADDING + 1) for stem in stems)

    def side(self) -> Side:
        num_parts, num_words = (np.array(each, dtype=np.int64) for each in (self._num_parts, self._num_words))
        first_words = np.cumsum(num_words) - num_words
        indexes = np.arange(len(num_parts)) - np.repeat(first_words, num_words)
        part_starts = np.append(0, np.cumsum(num_parts))
        return Side(
            ids=np.array(self._ids, dtype=np.int64),
            word_indexes=np.repeat(indexes, num_parts).astype(np.int32),
            starts=part_starts[np.append(first_words, len(num_parts))],
            vocabulary_size=len(self._type_ids) + PADDING + 1,
        )


class _WordParts(dict[str, tuple[int, ...]]):
    """The parts of each word, split once."""

    def __init__(self, split: Callable[[str], tuple[int, ...]]) -> None:
        self._split = split

    def __missing__(self, word: str) -> tuple[int, ...]:
        found = self[word] = self._split(word)
        return found
