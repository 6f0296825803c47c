"""Compiling `kernels/device_kernels.cu` for a GPU, by NVRTC, a library that torch brings along."""

import ctypes
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import torch

from lexalign.storage import cache_folder, new_file

_SOURCES = Path(__file__).parent / "kernels"
_SOURCE = "device_kernels.cu"
# No contraction of products and sums: torch's operations, one by one, have none.
_FLAGS = ("--std=c++17", "--fmad=false")


class CompilationError(Exception):
    """NVRTC is not there, or does not compile the kernels."""


def cubin_for(capability: tuple[int, int]) -> bytes:
    """The kernels as code for GPUs of one kind, from the user's cache folder where they are there already."""
    library = nvrtc()
    architecture = f"sm_{capability[0]}{capability[1]}"
    path = cache_folder() / "native" / f"{_digest(library, architecture)}.cubin"
    try:
        return path.read_bytes()
    except OSError:
        pass
    code = compile_cubin(library, architecture)
    try:
        with new_file(path) as temporary:
            temporary.write_bytes(code)
    except OSError:
        pass  # a home that cannot be written to
    return code


def compile_cubin(library: ctypes.CDLL, architecture: str) -> bytes:
    headers = sorted(_SOURCES.glob("*.h"))
    program = ctypes.c_void_p()
    _check(
        library,
        library.nvrtcCreateProgram(
            ctypes.byref(program),
            (_SOURCES / _SOURCE).read_bytes(),
            _SOURCE.encode(),
            ctypes.c_int(len(headers)),
            _strings([header.read_bytes() for header in headers]),
            _strings([header.name.encode() for header in headers]),
        ),
    )
    try:
        flags = _strings([flag.encode() for flag in (*_FLAGS, f"--gpu-architecture={architecture}")])
        if library.nvrtcCompileProgram(program, ctypes.c_int(len(flags)), flags):
            raise CompilationError(_text(library, program, "ProgramLog").decode(errors="replace"))
        return _text(library, program, "CUBIN")
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


@cache
def nvrtc() -> ctypes.CDLL:
    """The library: from the packages that torch depends on, or as the system names it."""
    major = (torch.version.cuda or "").split(".")[0]
    packages = Path(torch.__file__).parent.parent / "nvidia"
    found = [str(path) for path in sorted(packages.glob(f"*/lib/libnvrtc.so.{major}*"))]
    for name in (*found, f"libnvrtc.so.{major}", "libnvrtc.so"):
        try:
            return load_nvrtc(name)
        except OSError:
            continue
    raise CompilationError("there is no libnvrtc for torch's version of CUDA")


def load_nvrtc(name: str) -> ctypes.CDLL:
    """It finds the library of its built-in functions by name alone, so that one is loaded first."""
    for path in sorted(Path(name).parent.glob("libnvrtc-builtins.so*")):
        ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(name)


def _digest(library: ctypes.CDLL, architecture: str) -> str:
    """A name for the code: other sources, flags or compilers have another."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _check(library, library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    named = f"{_FLAGS} {architecture} {major.value}.{minor.value}"
    digest = hashlib.sha256(named.encode())
    for path in (_SOURCES / _SOURCE, *sorted(_SOURCES.glob("*.h"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _text(library: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    _check(library, library[f"nvrtcGet{what}Size"](program, ctypes.byref(size)))
    text = ctypes.create_string_buffer(size.value)
    _check(library, library[f"nvrtcGet{what}"](program, text))
    return text.raw


def _strings(values: Sequence[bytes]) -> "ctypes.Array[ctypes.c_char_p]":
    return (ctypes.c_char_p * len(values))(*values)


def _check(library: ctypes.CDLL, result: int) -> None:
    if result:
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        raise CompilationError(library.nvrtcGetErrorString(result).decode())
