"""InputFile files: plain text, TSV, JSON lines or Parquet; all but the last also as .gz, .bz2 or .xz.

A file is inspected before anything is translated: the number of its rows, and a digest by which a resumed job
knows that it is unchanged. Rows are not parsed here, so that a broken one does not affect the others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from lexalign.contracts.errors import LexalignError
from lexalign.data.preparation import file_digest
from lexalign.data.reader import DAMAGE, open_bytes

InputFormat = Literal["text", "tsv", "jsonl", "parquet"]
FORMATS: tuple[InputFormat, ...] = get_args(InputFormat)
RawRow = bytes | dict[str, Any]  # a line, or the columns of a Parquet row

# No model takes a row of this size, and a file without line ends must not fill the memory.
MAX_ROW_BYTES = 1 << 20
_COMPRESSION_SUFFIXES = (".gz", ".bz2", ".xz")
_SUFFIXES: dict[str, InputFormat] = {
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class InputFile:
    path: Path
    format: InputFormat
    num_rows: int
    digest: str


def list_files(paths: Sequence[Path]) -> list[Path]:
    """The given files, and the files in given folders, sorted by name."""
    files: list[Path] = []
    for path in paths:
        inside = sorted(path.iterdir()) if path.is_dir() else [path]
        files += [file for file in inside if file == path or (file.is_file() and file.name[0] != ".")]
    for file in files:
        if not file.is_file():
            known = "can be read only once" if file.exists() else "no such file"
            raise LexalignError(f"{file}: {known}; give files that a resumed job can read again")
    if not files:
        raise LexalignError("there are no files to translate")
    return files


def inspect(path: Path, format: InputFormat | None = None) -> InputFile:
    chosen = format or format_of(path)
    if chosen == "parquet":
        from lexalign.corpus.parquet import count_rows

        num_rows = count_rows(path)
    else:
        num_rows = _count_lines(path)
    return InputFile(path=path, format=chosen, num_rows=num_rows, digest=file_digest(path))


def format_of(path: Path) -> InputFormat:
    """The format by the file's suffix, without that of a compression; an unknown one is plain text."""
    plain = path.with_suffix("") if path.suffix in _COMPRESSION_SUFFIXES else path
    return _SUFFIXES.get(plain.suffix, "text")


def read_rows(file: InputFile, columns: Sequence[str]) -> Iterator[RawRow]:
    """All rows of a file; of a Parquet file only the given columns."""
    if file.format == "parquet":
        from lexalign.corpus.parquet import read_columns

        return read_columns(file.path, columns)
    return _read_lines(file.path)


def _read_lines(path: Path) -> Iterator[bytes]:
    """Lines with their line ends; one over the limit is cut to one byte more, so that it can be refused."""
    try:
        with open_bytes(path) as file:
            while line := file.readline(MAX_ROW_BYTES + 1):
                end = line
                while len(end) > MAX_ROW_BYTES and not end.endswith(b"\n"):
                    end = file.readline(MAX_ROW_BYTES + 1)
                yield line
    except DAMAGE as error:
        raise _damaged(path, error) from error


def _count_lines(path: Path) -> int:
    num_lines, last = 0, b"\n"
    try:
        with open_bytes(path) as file:
            while chunk := file.read(_CHUNK_BYTES):
                num_lines += chunk.count(b"\n")
                last = chunk[-1:]
    except DAMAGE as error:
        raise _damaged(path, error) from error
    except OSError as error:
        raise LexalignError(f"cannot read {path}: {error.strerror or error}") from error
    return num_lines + (last != b"\n")


def _damaged(path: Path, error: BaseException) -> LexalignError:
    return LexalignError(f"{path} is damaged or cut off: {error}")
