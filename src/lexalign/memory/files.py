"""Translation memories on disk: TMX, or two columns of text separated by a tab.

Files are read as a stream, unit by unit, so one of a million units needs no more memory than one of ten.
"""

from collections.abc import Iterator
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.data.reader import read_lines
from lexalign.markup import TaggedText
from lexalign.memory.tmx_reading import read_tmx
from lexalign.memory.units import MemoryUnit
from lexalign.text.subwords import Languages


def read_memory(path: Path, languages: Languages) -> Iterator[MemoryUnit]:
    """The units of a file that have both languages; TSV names none, and the source comes first."""
    match path.suffix.lower():
        case ".tmx":
            return read_tmx(path, languages)
        case ".tsv" | ".tab":
            return _read_columns(path)
    raise LexalignError(f"{path}: a translation memory is a .tmx or a .tsv file")


def _read_columns(path: Path) -> Iterator[MemoryUnit]:
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        source, tab, rest = line.partition("\t")
        if not tab:
            raise LexalignError(f"{path}, line {number}: no tab between a source and its translation")
        target = rest.split("\t", 1)[0]
        if source.strip() and target.strip():
            yield MemoryUnit(TaggedText(source.strip()), TaggedText(target.strip()), f"{path}, line {number}")
