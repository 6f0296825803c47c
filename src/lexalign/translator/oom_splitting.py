"""As many sentences at a time as a GPU's memory holds, which nobody knows before it is tried."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import torch

T = TypeVar("T")
R = TypeVar("R")
_LIBRARIES_SAY = ("CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED", "out of memory")


def lacks_memory(error: RuntimeError) -> bool:
    """Torch has an error for that; what it calls tells it in words, mostly on a GPU that others use too."""
    return isinstance(error, torch.OutOfMemoryError) or any(words in str(error) for words in _LIBRARIES_SAY)


class OomBatchSplitter:
    """Remembers what was too much."""

    def __init__(self) -> None:
        self._most = sys.maxsize

    def parts(
        self, rows: Sequence[T], work: Callable[[Sequence[T]], R], forget: Callable[[], None]
    ) -> Iterator[tuple[list[int], R]]:
        """The places of some rows and what came of them. Where the memory is too small for so many, what is
        not needed is forgotten, and half of them are tried."""
        first = 0
        while first < len(rows):
            last = min(first + self._most, len(rows))
            try:
                result = work(rows[first:last])
            except RuntimeError as error:
                if last - first == 1 or not lacks_memory(error):
                    raise
                self._most = (last - first) // 2
            else:
                yield list(range(first, last)), result
                first = last
                continue
            forget()  # not while the error holds what the work had
