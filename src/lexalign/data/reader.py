"""Parallel text from two files or one tab-separated file, plain or compressed.

Lines end at a line feed and nowhere else, a carriage return before it is dropped, and nothing else is
touched. Anything that would silently misalign the sides is an error that names the line.
"""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import IO, cast

from lexalign.contracts.errors import LexalignError

DAMAGE = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error)


@dataclass(frozen=True)
class ParallelText:
    """Two files of equally many lines, or one file (no `target`) of two tab-separated columns."""

    source: Path
    target: Path | None = None
    languages: tuple[str, str] | None = None  # of a multilingual model

    @property
    def paths(self) -> list[Path]:
        return [self.source] if self.target is None else [self.source, self.target]

    def read(self) -> Iterator[tuple[str, str]]:
        if self.target is None:
            return _read_columns(self.source)
        return _read_two_files(self.source, self.target)


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a file, as text, without their line ends."""
    for number, line in enumerate(_read_bytes(path), start=1):
        yield decode_line(line, f"{path}, line {number}")


def decode_line(line: bytes, place: str) -> str:
    """A line as text, without its end; `place` names the file and line in an error."""
    if b"\0" in line:
        raise LexalignError(f"{place}: a NUL byte; is this text?")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LexalignError(
            f"{place}: byte {error.start + 1} is not valid UTF-8; convert the text to UTF-8"
        ) from error
    return text.removesuffix("\n").removesuffix("\r")


def _read_two_files(source: Path, target: Path) -> Iterator[tuple[str, str]]:
    source_lines, target_lines = read_lines(source), read_lines(target)
    for num_pairs, (source_line, target_line) in enumerate(zip_longest(source_lines, target_lines)):
        if source_line is None or target_line is None:
            num_longer = num_pairs + 1 + sum(1 for _ in source_lines) + sum(1 for _ in target_lines)
            counts = (num_pairs, num_longer) if source_line is None else (num_longer, num_pairs)
            raise LexalignError(
                f"{source} has {counts[0]} lines but {target} has {counts[1]}; "
                "line n of one must translate line n of the other"
            )
        yield source_line, target_line


def _read_columns(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(read_lines(path), start=1):
        columns = line.split("\t")
        if len(columns) != 2:
            raise LexalignError(
                f"{path}, line {number}: {len(columns)} tab-separated columns; "
                "exactly 2 are needed, source and target"
            )
        yield columns[0], columns[1]


def _read_bytes(path: Path) -> Iterator[bytes]:
    try:
        with open_bytes(path) as file:
            yield from file
    except DAMAGE as error:
        raise LexalignError(f"{path} is damaged or cut off: {error}") from error
    except OSError as error:
        raise LexalignError(f"cannot read {path}: {error.strerror or error}") from error


def open_bytes(path: Path) -> IO[bytes]:
    """A file opened for reading, decompressed by its suffix."""
    match path.suffix:
        case ".gz":
            return cast(IO[bytes], gzip.open(path, "rb"))
        case ".bz2":
            return bz2.open(path, "rb")
        case ".xz":
            return lzma.open(path, "rb")
        case _:
            return path.open("rb")
