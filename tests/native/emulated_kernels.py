"""The kernels of a GPU, run on a CPU by `device_emulation.cpp`."""

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import ClassVar

from lexalign.native import compiling
from lexalign.native.step_kernels import BlockMemory

_HERE = Path(__file__).parent
_FLAGS = ("-std=c++20", "-O1", "-fPIC", "-shared", "-ffp-contract=off", "-w")
_GARBAGE = 0x7B


def compile_emulation(folder: Path) -> ctypes.CDLL | None:
    """None without a compiler."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        return None
    sources = Path(compiling.__file__).parent / "kernels"
    built = folder / "emulation.so"
    command = [compiler, *_FLAGS, f"-I{sources}", "-o", str(built), str(_HERE / "device_emulation.cpp")]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(built))


class EmulatedKernels:
    """As `DeviceKernels`, with fewer threads, which take turns."""

    on_device: ClassVar[bool] = True

    def __init__(self, library: ctypes.CDLL, threads: int) -> None:
        self._library, self._threads = library, threads
        self.calls: dict[str, int] = {}

    def run(
        self, name: str, step: ctypes.Structure, *, parts: int, threads: int, memory: BlockMemory | None
    ) -> None:
        assert self._library[f"size_of_{type(step).__name__}"]() == ctypes.sizeof(step)
        given = 0 if memory is None else memory.num_bytes
        assert self._bytes(name, step, threads) <= given
        tensor = None if memory is None else memory.tensor
        if tensor is not None:
            tensor.fill_(_GARBAGE)
        self._library[f"launch_{name}"](
            ctypes.byref(step),
            ctypes.c_void_p(None if tensor is None else tensor.data_ptr()),
            *(ctypes.c_int64(number) for number in (given, parts, min(threads, self._threads))),
        )
        self.calls[name] = self.calls.get(name, 0) + 1

    def _bytes(self, name: str, step: ctypes.Structure, threads: int) -> int:
        function = self._library[f"bytes_of_{name}"]
        function.restype = ctypes.c_int64
        return int(function(ctypes.byref(step), ctypes.c_int64(threads)))
