"""One side of a corpus as a flat, memory-mapped array of token ids and the length of each sentence."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from lexalign.contracts.errors import LexalignError

TokenArray = npt.NDArray[np.unsignedinteger[Any]]
IndexArray = npt.NDArray[np.int64]

LENGTH_TYPE = np.dtype("<u4")


def token_type(vocabulary_size: int) -> np.dtype[np.unsignedinteger[Any]]:
    """The smallest type that holds every id; little-endian, so that files can be moved."""
    return np.dtype("<u2") if vocabulary_size <= 2**16 else np.dtype("<u4")


class TokenColumn:
    """Read-only sentences of token ids."""

    def __init__(self, path: Path, *, num_sentences: int, num_tokens: int, vocabulary_size: int) -> None:
        self.lengths = _map(path.with_suffix(".lengths"), LENGTH_TYPE, num_sentences).astype(np.int64)
        self.tokens = _map(path.with_suffix(".tokens"), token_type(vocabulary_size), num_tokens)
        self._starts: IndexArray = np.zeros(num_sentences + 1, dtype=np.int64)
        np.cumsum(self.lengths, out=self._starts[1:])
        if self._starts[-1] != num_tokens:
            raise LexalignError(f"{path}.lengths and {path}.tokens do not match; prepare the data again")

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, index: int) -> TokenArray:
        if not 0 <= index < len(self):
            raise IndexError(f"sentence {index} of {len(self)}")
        return self.tokens[self._starts[index] : self._starts[index + 1]]

    def gather(self, rows: IndexArray) -> tuple[TokenArray, IndexArray]:
        """The tokens of the sentences `rows`, one after the other, and the length of each."""
        lengths = self.lengths[rows]
        ends = np.cumsum(lengths)
        total = int(ends[-1]) if len(rows) else 0
        shift = np.repeat(self._starts[rows] - (ends - lengths), lengths)
        return self.tokens[shift + np.arange(total)], lengths


class ColumnWriter:
    """Appends sentences to the two files of a column."""

    def __init__(self, path: Path, vocabulary_size: int) -> None:
        self._type = token_type(vocabulary_size)
        self._vocabulary_size = vocabulary_size
        self._lengths: BinaryIO = path.with_suffix(".lengths").open("wb")
        self._tokens: BinaryIO = path.with_suffix(".tokens").open("wb")
        self.num_tokens = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lengths.close()
        self._tokens.close()

    def append(self, sentences: Sequence[Sequence[int]]) -> None:
        flat = np.fromiter(chain.from_iterable(sentences), dtype=np.int64)
        if flat.size and not 0 <= flat.min() <= flat.max() < self._vocabulary_size:
            raise ValueError(f"a token id is outside the vocabulary of {self._vocabulary_size}")
        self._tokens.write(flat.astype(self._type).tobytes())
        self._lengths.write(np.fromiter(map(len, sentences), dtype=LENGTH_TYPE).tobytes())
        self.num_tokens += flat.size


def _map(path: Path, kind: np.dtype[np.unsignedinteger[Any]], size: int) -> TokenArray:
    try:
        found = path.stat().st_size
    except OSError as error:
        raise LexalignError(f"cannot read {path}: {error.strerror}; prepare the data again") from error
    if found != size * kind.itemsize:
        raise LexalignError(
            f"{path} has {found} bytes instead of {size * kind.itemsize}; prepare the data again"
        )
    # An empty file cannot be mapped.
    return np.memmap(path, dtype=kind, mode="r", shape=(size,)) if size else np.empty(0, dtype=kind)
