"""Two columns between tabs, or two files of lines. A broken line is rejected, and the others are read."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.data.reader import DAMAGE, decode_line, open_bytes
from lexalign.glossary.entries import Place
from lexalign.terminology.reading.languages import Languages
from lexalign.terminology.units import Read, Rejected, Unit

MAX_LINE_BYTES = 1 << 20  # a file without line ends must not fill the memory


def read_columns(path: Path, _languages: Languages) -> Iterator[Read]:
    for number, line in enumerate(_lines(path), start=1):
        place = Place(str(path), number)
        text = _decode(line)
        columns = text.split("\t") if text is not None else []
        if len(columns) == 2:
            yield Unit(columns[0], columns[1], place)
        else:
            tabs = "no tab" if len(columns) == 1 else "more than one tab"
            yield Rejected("not UTF-8 text" if text is None else tabs, place)


def read_two_files(source: Path, target: Path) -> Iterator[Read]:
    source_lines, target_lines = _lines(source), _lines(target)
    for number, (first, second) in enumerate(zip_longest(source_lines, target_lines), start=1):
        if first is None or second is None:
            shorter = source if first is None else target
            raise LexalignError(
                f"{shorter} has only {number - 1} lines; line n of {source} must translate line n of {target}"
            )
        place, texts = Place(str(source), number), (_decode(first), _decode(second))
        if texts[0] is None or texts[1] is None:
            yield Rejected("not UTF-8 text", place)
        else:
            yield Unit(texts[0], texts[1], place)


def _lines(path: Path) -> Iterator[bytes]:
    """Lines with their ends; of one over the limit, one byte more than the limit, so that it is rejected."""
    try:
        with open_bytes(path) as file:
            while line := file.readline(MAX_LINE_BYTES + 1):
                rest = line
                while len(rest) > MAX_LINE_BYTES and not rest.endswith(b"\n"):
                    rest = file.readline(MAX_LINE_BYTES + 1)
                yield line
    except DAMAGE as error:
        raise LexalignError(f"{path} is damaged or cut off: {error}") from error


def _decode(line: bytes) -> str | None:
    if len(line) > MAX_LINE_BYTES:
        return None
    try:
        return decode_line(line, "")
    except LexalignError:
        return None
