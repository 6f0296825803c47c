"""Parallel text from files: aligned lines, or an error that names the line."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.data.reader import ParallelText


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def message_of(parallel: ParallelText) -> str:
    with pytest.raises(LexalignError) as error:
        list(parallel.read())
    assert "\n" not in str(error.value)
    return str(error.value)


def test_two_files(tmp_path: Path) -> None:
    source = write(tmp_path / "a.de", "Guten Tag\n\nÄpfel".encode())
    target = write(tmp_path / "a.en", b"Hello\n\nApples\n")
    assert list(ParallelText(source, target).read()) == [
        ("Guten Tag", "Hello"),
        ("", ""),
        ("Äpfel", "Apples"),
    ]


def test_one_file_with_two_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", "Haus\thouse\r\nÄpfel\tapples".encode())
    assert list(ParallelText(path).read()) == [("Haus", "house"), ("Äpfel", "apples")]


def test_only_line_feeds_end_lines_and_only_line_ends_are_dropped(tmp_path: Path) -> None:
    line = " a\u2028b\x0bc\x0c\x1c\x85\u2029\r d\r "
    source = write(tmp_path / "a", f"{line}\r\n{line}\n\r\r\n".encode())
    target = write(tmp_path / "b", b"1\n2\n3\n")
    assert list(ParallelText(source, target).read()) == [(line, "1"), (line, "2"), ("\r", "3")]


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_compressed_files(tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]) -> None:
    path = write(tmp_path / f"a.tsv{suffix}", compress(b"a\tb\nc\td\n"))
    assert list(ParallelText(path).read()) == [("a", "b"), ("c", "d")]
    write(path, compress(b"a\tb\n" * 1000)[:-12])
    assert message_of(ParallelText(path)).startswith(f"{path} is damaged or cut off")
    write(path, b"not compressed")
    assert str(path) in message_of(ParallelText(path))


@pytest.mark.parametrize(("num_source", "num_target"), [(3, 5), (5, 3), (0, 1), (1, 0)])
def test_unequal_files_are_reported_with_both_counts(
    tmp_path: Path, num_source: int, num_target: int
) -> None:
    source = write(tmp_path / "a", b"x\n" * num_source)
    target = write(tmp_path / "b", b"y\n" * num_target)
    assert message_of(ParallelText(source, target)) == (
        f"{source} has {num_source} lines but {target} has {num_target}; "
        "line n of one must translate line n of the other"
    )


def test_bad_utf8_is_reported_with_its_line(tmp_path: Path) -> None:
    source = write(tmp_path / "a", b"x\n\xc3\xa4 Gr\xfc\xdfe\n")
    target = write(tmp_path / "b", b"x\ny\n")
    assert message_of(ParallelText(source, target)) == (
        f"{source}, line 2: byte 6 is not valid UTF-8; convert the text to UTF-8"
    )


def test_a_nul_byte_is_reported_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", b"a\tb\na\0\tb\n")
    assert message_of(ParallelText(path)) == f"{path}, line 2: a NUL byte; is this text?"


@pytest.mark.parametrize(("row", "num_columns"), [(b"one", 1), (b"", 1), (b"a\tb\tc", 3)])
def test_a_row_without_two_columns_is_reported(tmp_path: Path, row: bytes, num_columns: int) -> None:
    path = write(tmp_path / "a.tsv", b"a\tb\n" + row + b"\na\tb\n")
    assert message_of(ParallelText(path)) == (
        f"{path}, line 2: {num_columns} tab-separated columns; exactly 2 are needed, source and target"
    )


def test_missing_files_and_folders_are_reported(tmp_path: Path) -> None:
    assert (
        message_of(ParallelText(tmp_path / "no"))
        == f"cannot read {tmp_path / 'no'}: No such file or directory"
    )
    assert message_of(ParallelText(tmp_path)) == f"cannot read {tmp_path}: Is a directory"
