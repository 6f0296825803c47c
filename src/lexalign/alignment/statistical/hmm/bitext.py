"""A parallel text in numbers: what its words are taken for, and the parts that they fall into.

    words    Sie    lacht.           laughs,
    parts    sie    lacht  .         laughs  ,
    owners   0      1      1         0       0

Words with the same first letters are taken for one: they are forms of one word, mostly.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexalign.alignment.statistical.hmm.options import HmmOptions
from lexalign.metrics.words import WordOptions, split_words

Indexes = NDArray[np.int64]
PADDING = 0  # no word
_LOWER_CASE = WordOptions(ignore_case=True)


@dataclass(frozen=True, eq=False)
class Side:
    """Sentence i has the parts `starts[i]` to `starts[i + 1]`."""

    ids: Indexes
    owners: NDArray[np.int32]  # the word of each part, counted in its sentence
    starts: Indexes
    vocabulary_size: int

    @property
    def lengths(self) -> Indexes:
        return np.diff(self.starts)

    def padded(self, rows: Indexes) -> Indexes:
        """Ids (B, longest) of some sentences."""
        places = self.starts[rows][:, None] + np.arange(self.lengths[rows].max())
        inside = places < self.starts[rows + 1][:, None]
        return np.where(inside, self.ids[np.where(inside, places, 0)], PADDING)


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
        self._types: dict[str, int] = {}
        self._parts: dict[str, tuple[int, ...]] = {}  # of each word, split once
        self._ids, self._owners, self._starts = array("q"), array("i"), array("q", [0])

    def add(self, words: Sequence[str]) -> None:
        for index, word in enumerate(words):
            parts = self._parts.get(word)
            if parts is None:
                parts = self._parts[word] = self._split(word)
            self._ids.extend(parts)
            self._owners.extend([index] * len(parts))
        self._starts.append(len(self._ids))

    def _split(self, word: str) -> tuple[int, ...]:
        parts = [part.form for part in split_words(word, _LOWER_CASE)] if self._options.split else [word]
        stems = [part[: self._options.stem or None] for part in parts]
        return tuple(self._types.setdefault(stem, len(self._types) + PADDING + 1) for stem in stems)

    def side(self) -> Side:
        return Side(
            ids=np.array(self._ids, dtype=np.int64),
            owners=np.array(self._owners, dtype=np.int32),
            starts=np.array(self._starts, dtype=np.int64),
            vocabulary_size=len(self._types) + PADDING + 1,
        )
