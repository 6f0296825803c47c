"""Compiling the kernels. It imports nothing but Python's own modules, so that building a wheel can use it."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

_SOURCES = Path(__file__).parent / "kernels"
_FLAGS = (
    *("-std=c++20", "-O3", "-fPIC", "-shared", "-ffp-contract=off", "-w"),
    *("-mfma", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512vnni"),
)
_MAX_SECONDS = 120


def compile_kernels(to: Path) -> bool:
    """Compile the library, if there is a compiler; the file is whole or not there."""
    compiler = shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        return False
    sources = [str(path) for path in sorted(_SOURCES.glob("*.cpp"))]
    with tempfile.TemporaryDirectory(dir=to.parent) as scratch:
        built = Path(scratch) / to.name
        command = [compiler, *_FLAGS, "-o", str(built), *sources]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=_MAX_SECONDS)
        except (OSError, subprocess.SubprocessError):
            return False
        built.replace(to)
    return True


def sources_digest() -> str:
    """A name for what is compiled: other sources or flags have another."""
    digest = hashlib.sha256(" ".join(_FLAGS).encode())
    for path in sorted(_SOURCES.iterdir()):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
