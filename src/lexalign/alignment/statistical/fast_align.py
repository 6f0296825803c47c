"""Links of one direction from the table that fast_align leaves behind (Dyer, Chahuneau and Smith 2013).

systran-align gives the links of both directions joined, and no others. Its files have the translation
probabilities t; a target word y at place j of n comes from the source word x at place i of m with the most

    0.92 · exp(-4 · |i / m - j / n|) / Z · t(y | x)          or from none, if 0.08 · t(y | <eps>) is more

A file is a number, the number of words, the words, each ended by a zero byte and counted from 1, a number,
and for each source word its index, how many target words it has, and of each the index and the probability.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SentencePair = tuple[Sequence[str], Sequence[str]]
Probabilities = dict[tuple[str, str], float]

_NULL = "<eps>"
_NULL_PROBABILITY = 0.08
_TENSION = 4.0  # fast_align's default; the one that was learnt is not in the file
_UNKNOWN = 1e-9  # of a pair of words that is not in the table
_NUMBER = np.dtype("<u4")


@dataclass(frozen=True)
class FastAlignTable:
    """Translation probabilities of pairs of words, source first."""

    probabilities: Probabilities

    @classmethod
    def read(cls, path: Path, pairs: Sequence[SentencePair]) -> "FastAlignTable":
        """What a file says of the words of some pairs; it may be of millions."""
        content = np.memmap(path, dtype=np.uint8, mode="r")
        words, start = _read_words(content)
        wanted = _cooccurring(pairs)
        index_of = {word: index for index, word in enumerate(words, start=1)}
        rest: NDArray[np.uint32] = np.frombuffer(content[start:].tobytes(), dtype=_NUMBER)
        found: Probabilities = {}
        place = 1
        while place < len(rest):
            source, size = words[rest[place] - 1], int(rest[place + 1])
            entries = rest[place + 2 : place + 2 + 2 * size].reshape(size, 2)
            place += 2 + 2 * size
            if targets := wanted.get(source):
                known = dict(zip(entries[:, 0].tolist(), entries[:, 1].view("<f4").tolist(), strict=True))
                found.update(
                    {
                        (source, target): known[index_of[target]]
                        for target in targets
                        if index_of.get(target) in known
                    }
                )
        return cls(found)

    def align(self, pairs: Sequence[SentencePair]) -> list[list[tuple[int, int]]]:
        """The source word of each target word, where it has one: points (source, target)."""
        return [self._align(*pair) if all(pair) else [] for pair in pairs]

    def _align(self, source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int]]:
        points = []
        places = np.arange(1, len(source) + 1) / len(source)
        for index, word in enumerate(target):
            near = np.exp(-_TENSION * np.abs(places - (index + 1) / len(target)))
            translated = np.array([self._probability(one, word) for one in source])
            scores = (1 - _NULL_PROBABILITY) * near / near.sum() * translated
            if scores.max() > _NULL_PROBABILITY * self._probability(_NULL, word):
                points.append((int(scores.argmax()), index))
        return sorted(points)

    def _probability(self, source: str, target: str) -> float:
        return self.probabilities.get((source, target), _UNKNOWN)


def _read_words(content: NDArray[np.uint8]) -> tuple[list[str], int]:
    """The words, and where they end."""
    num_words = int(np.frombuffer(content[4:8].tobytes(), dtype=_NUMBER)[0])
    end, size = 8, 1 << 20
    ends: list[int] = []
    while len(ends) < num_words:
        ends += (np.flatnonzero(content[end : end + size] == 0) + end).tolist()
        end += size
    words = content[8 : ends[num_words - 1]].tobytes().decode("utf-8").split("\0")
    return words, ends[num_words - 1] + 1


def _cooccurring(pairs: Sequence[SentencePair]) -> dict[str, set[str]]:
    """The target words that stand beside each source word; beside no word, all of them."""
    beside: dict[str, set[str]] = {_NULL: {word for _, target in pairs for word in target}}
    for source, target in pairs:
        for word in source:
            beside.setdefault(word, set()).update(target)
    return beside
