"""Where the kernels come from, and what happens where there are none."""

from pathlib import Path

import pytest

from lexalign.native.compiling import compile_kernels, sources_digest
from lexalign.native.library import kernels


def test_a_library_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXALIGN_HOME", str(tmp_path))
    kernels.cache_clear()
    assert kernels() is not None
    (built,) = (tmp_path / "native").iterdir()
    written = built.stat().st_mtime_ns
    kernels.cache_clear()
    assert kernels() is not None
    assert built.stat().st_mtime_ns == written


def test_without_a_compiler_there_are_no_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXALIGN_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    kernels.cache_clear()
    assert kernels() is None


def test_a_compiler_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "c++"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CXX", str(broken))
    folder = tmp_path / "built"
    folder.mkdir()
    assert not compile_kernels(folder / "kernels.so")
    assert not list(folder.iterdir())


def test_a_home_that_cannot_be_written_to_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LEXALIGN_HOME", str(tmp_path / "file"))
    kernels.cache_clear()
    assert kernels() is None


def test_a_damaged_library_is_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXALIGN_HOME", str(tmp_path))
    (tmp_path / "native").mkdir()
    (tmp_path / "native" / f"{sources_digest()}.so").write_bytes(b"no library")
    kernels.cache_clear()
    assert kernels() is None
