"""The kernels as a library: built with the package, or with the compiler at hand when they are first needed.

They are for CPUs with AVX-512 VNNI. Elsewhere, without a compiler, and with LEXALIGN_NATIVE=0, there are
none, and torch's operations do the same work.
"""

import ctypes
import os
from functools import cache
from pathlib import Path

import torch

from lexalign.native.compiling import compile_kernels, sources_digest
from lexalign.storage import cache_folder

_BUILT = Path(__file__).parent / "kernels.so"


@cache
def kernels() -> ctypes.CDLL | None:
    """The library, or None where there is none."""
    if os.environ.get("LEXALIGN_NATIVE") == "0" or not _supported():
        return None
    path = _BUILT if _BUILT.exists() else _cached()
    functions = _torch_functions()
    if path is None or functions is None:
        return None
    try:
        library = ctypes.CDLL(str(path))
    except OSError:  # damaged, or of another machine's C library
        return None
    library.use_functions.restype = library.finish_ended.restype = ctypes.c_bool
    for name in ("packed_columns", "packed_terms", "count_slots", "see_what_is_over"):
        getattr(library, name).restype = ctypes.c_int64
    return library if library.use_functions(*functions) else None


def _supported() -> bool:
    """Whether the CPU has the instructions, and torch uses them too."""
    return torch.backends.cpu.get_cpu_capability() == "AVX512" and torch.cpu._is_vnni_supported()


def _cached() -> Path | None:
    """The library in the user's cache folder, under a name that its sources give it."""
    path = cache_folder() / "native" / f"{sources_digest()}.so"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists() or compile_kernels(path):
            return path
    except OSError:
        pass  # a home that cannot be written to
    return None


def _torch_functions() -> list[ctypes.c_void_p] | None:
    """Torch's own exponential and logarithm of 16 floats; not every build of torch has them to give."""
    try:
        torch_library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"))
        names = ("Sleef_expf16_u10", "Sleef_logf16_u10", "Sleef_logd8_u10")
        return [ctypes.cast(getattr(torch_library, name), ctypes.c_void_p) for name in names]
    except (OSError, AttributeError):
        return None
