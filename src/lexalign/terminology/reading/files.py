"""Bilingual files by their suffix; all of them are read as a stream, PO files excepted.

    .tmx                                   TMX 1.4
    .xlf .xliff .sdlxliff .mxliff .mqxliff XLIFF 1.2 and 2
    .po                                    PO
    .tsv .tab                              source, tab, target
    two files                              line n of one translates line n of the other

Each may be compressed (.gz, .bz2, .xz).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.terminology.reading import lines, po, tmx, xliff
from lexalign.terminology.reading.languages import Languages
from lexalign.terminology.units import Read

_COMPRESSION_SUFFIXES = (".gz", ".bz2", ".xz")
_READERS: dict[str, Callable[[Path, Languages], Iterator[Read]]] = {
    ".tmx": tmx.read,
    ".po": po.read,
    ".tsv": lines.read_columns,
    ".tab": lines.read_columns,
    **dict.fromkeys((".xlf", ".xliff", ".sdlxliff", ".mxliff", ".mqxliff"), xliff.read),
}


@dataclass(frozen=True)
class BilingualFile:
    """One bilingual file, or two files of equally many lines."""

    path: Path
    target: Path | None = None

    @property
    def paths(self) -> list[Path]:
        return [self.path] if self.target is None else [self.path, self.target]

    def read(self, languages: Languages) -> Iterator[Read]:
        if self.target is not None:
            return lines.read_two_files(self.path, self.target)
        return _READERS[_suffix(self.path)](self.path, languages)


def list_inputs(
    files: Sequence[Path], sources: Sequence[Path] = (), targets: Sequence[Path] = ()
) -> list[BilingualFile]:
    """Bilingual files, and pairs of files; what cannot be read is refused before anything is."""
    if len(sources) != len(targets):
        raise LexalignError(f"{len(sources)} --source and {len(targets)} --target; give as many of each")
    found = [BilingualFile(path) for path in files]
    found += [BilingualFile(source, target) for source, target in zip(sources, targets, strict=True)]
    if not found:
        raise LexalignError("there is no bilingual file; give one, or --source and --target")
    for path in chain.from_iterable(one.paths for one in found):
        if not path.is_file():
            raise LexalignError(f"{path}: no such file")
    for one in found:
        if one.target is None and _suffix(one.path) not in _READERS:
            known = ", ".join(sorted(_READERS))
            raise LexalignError(
                f"{one.path}: a bilingual file's name ends in {known}; give two files of lines as "
                "--source and --target"
            )
    return found


def read_units(inputs: Sequence[BilingualFile], languages: Languages) -> Iterator[Read]:
    """All units in their order; a unit that cannot be read is among them as `Rejected`."""
    return chain.from_iterable(one.read(languages) for one in inputs)


def _suffix(path: Path) -> str:
    plain = path.with_suffix("") if path.suffix.lower() in _COMPRESSION_SUFFIXES else path
    return plain.suffix.lower()
