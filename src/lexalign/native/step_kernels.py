"""How native code does the bookkeeping of a step: by the library on a CPU, by kernels of our own on a GPU.

Both have the same functions, which take the same structures.
"""

import ctypes
import logging
import os
from functools import cache
from typing import ClassVar, Protocol

import torch
from torch import Tensor

from lexalign.native.library import kernels
from lexalign.native.nvrtc import CompilationError, cubin_for

_log = logging.getLogger("lexalign.native")
_ALIGNED = 16  # bytes; where every block's memory begins
_SHARED_BYTES = 48 * 1024  # the memory that a block of threads has without asking


class TrialStep(ctypes.Structure):
    _fields_ = (("number", ctypes.c_int64), ("numbers", ctypes.c_int64))


class StepKernels(Protocol):
    @property
    def on_device(self) -> bool:
        """Whether a block of threads does each part; else they are done one after another."""

    def run(
        self, name: str, step: ctypes.Structure, *, parts: int, threads: int, memory: "BlockMemory | None"
    ) -> None:
        """Call a function for `parts` sentences or hypotheses, by so many threads each."""


class BlockMemory:
    """What each block of threads needs for itself: shared memory, or where that is too small a tensor."""

    def __init__(self, num_bytes: int, parts: int, device: torch.device) -> None:
        self.num_bytes = -(-num_bytes // _ALIGNED) * _ALIGNED
        self.tensor: Tensor | None = None
        if self.num_bytes > _SHARED_BYTES:
            self.tensor = torch.empty(parts * self.num_bytes, dtype=torch.uint8, device=device)


class HostKernels:
    """The library of a CPU; its functions do all parts in one call."""

    on_device: ClassVar[bool] = False

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def run(
        self,
        name: str,
        step: ctypes.Structure,
        *,
        parts: int,  # noqa: ARG002
        threads: int,  # noqa: ARG002
        memory: BlockMemory | None,  # noqa: ARG002
    ) -> None:
        getattr(self._library, name)(ctypes.byref(step))


class DeviceKernels:
    """The kernels as a module of the CUDA driver, in the context that torch uses."""

    on_device: ClassVar[bool] = True

    def __init__(self, code: bytes) -> None:
        self._driver = ctypes.CDLL("libcuda.so.1")
        self._module = ctypes.c_void_p()
        self._functions: dict[str, ctypes.c_void_p] = {}
        self._check(self._driver.cuModuleLoadData(ctypes.byref(self._module), code))

    def run(
        self, name: str, step: ctypes.Structure, *, parts: int, threads: int, memory: BlockMemory | None
    ) -> None:
        """Launch a kernel on torch's current stream, which may be recording."""
        tensor = None if memory is None else memory.tensor
        address = ctypes.c_void_p(None if tensor is None else tensor.data_ptr())
        num_bytes = 0 if memory is None else memory.num_bytes
        arguments = (step, address, ctypes.c_int64(num_bytes))
        pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(argument) for argument in arguments))
        shared = num_bytes if tensor is None else 0
        self._check(
            self._driver.cuLaunchKernel(
                self._function(name),
                *(ctypes.c_uint(size) for size in (parts, 1, 1, threads, 1, 1, shared)),
                ctypes.c_void_p(torch.cuda.current_stream().cuda_stream),
                pointers,
                None,
            ),
            name,
        )

    def _function(self, name: str) -> ctypes.c_void_p:
        if name not in self._functions:
            found = ctypes.c_void_p()
            self._check(
                self._driver.cuModuleGetFunction(ctypes.byref(found), self._module, name.encode()), name
            )
            self._functions[name] = found
        return self._functions[name]

    def _check(self, result: int, what: str = "the module") -> None:
        if result:
            text = ctypes.c_char_p()
            self._driver.cuGetErrorString(result, ctypes.byref(text))
            raise RuntimeError(f"CUDA driver, {what}: {(text.value or b'unknown error').decode()}")


def try_kernels(kernels: StepKernels, device: torch.device) -> None:
    """Raise an error if kernels are not launched, or are not given what they are to be given."""
    numbers, memory = torch.zeros(2, dtype=torch.int64, device=device), BlockMemory(32, 2, device)
    step = TrialStep(number=1 << 40, numbers=numbers.data_ptr())
    kernels.run("try_kernels", step, parts=2, threads=32, memory=memory)
    if numbers.tolist() != [(1 << 40) + 32, (1 << 40) + 33]:
        raise RuntimeError(f"a trial of the kernels gives {numbers.tolist()}")


def step_kernels(device: torch.device) -> StepKernels | None:
    """None where there are none, and torch's operations do the same work."""
    if device.type == "cpu":
        library = kernels()
        return None if library is None else HostKernels(library)
    if device.type != "cuda" or os.environ.get("LEXALIGN_NATIVE") == "0":
        return None
    return _device_kernels(device.index if device.index is not None else torch.cuda.current_device())


@cache
def _device_kernels(index: int) -> DeviceKernels | None:
    if torch.version.cuda is None:  # torch's other GPUs
        return None
    try:
        with torch.cuda.device(index):
            torch.cuda.current_stream().synchronize()  # torch makes its context now, if it has none yet
            found = DeviceKernels(cubin_for(torch.cuda.get_device_capability(index)))
            try_kernels(found, torch.device("cuda", index))
            return found
    except (CompilationError, OSError, RuntimeError, AttributeError) as error:
        _log.warning("constraints run as operations of torch, which is slower: %s", error)
        return None
