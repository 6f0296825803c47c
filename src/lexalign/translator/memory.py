"""Memory of a process that does nothing but translate."""

import ctypes
import os
import sys

# From glibc's malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4
# Each is about a quarter of a mebibyte; a batch of a model needs some two hundred.
_KERNELS = 256


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

    Its products are those in float32, and those in int8 whose rows have scales of their own.

    It has kernels of its own for every number of rows, and over many batches all of them are met.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", str(_KERNELS))


def give_back_memory() -> None:
    """Give the system what `keep_freed_memory` has kept."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform.startswith("linux") else None
    if trim is not None:
        trim(0)
