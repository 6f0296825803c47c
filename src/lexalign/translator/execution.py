"""How a process runs a model: threads, kernels, and memory of the device and of the host."""

import ctypes
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from lexalign.contracts.errors import LexalignError

T = TypeVar("T")
R = TypeVar("R")
_ATTENTION = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
_OUT_OF_MEMORY = ("CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED", "out of memory")
# From glibc's malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4
# Each is about a quarter of a mebibyte; a batch of a model needs some two hundred.
_KERNELS = 256


@contextmanager
def running(device: torch.device) -> Iterator[None]:
    """Run a model with settings that suit its device.

    A CPU gets one thread: those of a team wait for one another at each of many small operations. A GPU gets
    no attention that plans for every new shape, as cuDNN's does.
    """
    num_threads = torch.get_num_threads()
    if device.type == "cpu":
        torch.set_num_threads(1)
    try:
        with sdpa_kernel(_ATTENTION):
            yield
    except RuntimeError as error:
        if not lacks_memory(error):
            raise
        raise LexalignError("the GPU's memory is too small for this; use smaller batches") from None
    finally:
        torch.set_num_threads(num_threads)


def lacks_memory(error: RuntimeError) -> bool:
    """Torch has an error for that; libraries say it in words, mostly on a GPU that others use too."""
    return isinstance(error, torch.OutOfMemoryError) or any(words in str(error) for words in _OUT_OF_MEMORY)


class OomBatchSplitter:
    """Splits batches to what a GPU's memory holds, which is known only by trying, and remembers it."""

    def __init__(self) -> None:
        self._max_rows = sys.maxsize

    def parts(
        self, rows: Sequence[T], work: Callable[[Sequence[T]], R], forget: Callable[[], None]
    ) -> Iterator[tuple[list[int], R]]:
        """Give the places of some rows and their results. Where the memory is too small for them, `forget`
        frees what is not needed, and half of the rows are tried."""
        first = 0
        while first < len(rows):
            last = min(first + self._max_rows, len(rows))
            try:
                result = work(rows[first:last])
            except RuntimeError as error:
                if last - first == 1 or not lacks_memory(error):
                    raise
                self._max_rows = (last - first) // 2
            else:
                yield list(range(first, last)), result
                first = last
                continue
            forget()  # not while the error holds what the work had


def keep_freed_memory() -> None:
    """Have glibc keep what is freed, instead of giving it back to the system.

    It would map and unmap the larger tensors at each operation, and every page of them would have to be
    zeroed anew. For whole processes only: it is no business of a library in somebody else's.
    """
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries have none
    if mallopt is not None:
        mallopt(_M_MMAP_MAX, 0)
        mallopt(_M_TRIM_THRESHOLD, 2**31 - 1)


def keep_few_kernels() -> None:
    """Have oneDNN remember a quarter of the products that it would; before it makes the first.

    Its products are those in float32, and those in int8 whose rows have scales of their own. Every number of
    rows has a kernel of its own, and over many batches all of them are met.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", str(_KERNELS))


def give_back_memory() -> None:
    """Give the system what `keep_freed_memory` has kept."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform.startswith("linux") else None
    if trim is not None:
        trim(0)
