"""Reading and writing of glossary files; the suffix tells the format.

    .csv .tsv     a header names the columns, see `columns.py`
    .tbx          TBX, 2008 (martif) and 2019 (tbx)
    .tmx          TMX 1.4

One file serves both directions: the requested languages tell which side is the source. A file with any
error is refused with the line of the first; `parse_leniently` goes on and reports all of them. Concepts
that lack one of the requested languages are ignored.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import Entry, Glossary
from lexalign.glossary.formats import columns, tbx, tmx
from lexalign.glossary.formats.reading import Languages, Parsed, Problem
from lexalign.storage import new_file

GlossaryFormat = Literal["csv", "tsv", "tbx", "tmx"]
FORMATS: tuple[GlossaryFormat, ...] = get_args(GlossaryFormat)

_READERS: dict[GlossaryFormat, Callable[[bytes, str, Languages], Iterator[Parsed]]] = {
    "csv": columns.parse_csv,
    "tsv": columns.parse_tsv,
    "tbx": tbx.parse,
    "tmx": tmx.parse,
}
_WRITERS: dict[GlossaryFormat, Callable[[Glossary], bytes]] = {
    "csv": columns.render_csv,
    "tsv": columns.render_tsv,
    "tbx": tbx.render,
    "tmx": tmx.render,
}


@dataclass(frozen=True)
class ParsedFile:
    """The valid entries of a file, and its problems."""

    glossary: Glossary
    problems: tuple[Problem, ...]


def read_glossary(
    path: Path | str, *, source_language: str | None = None, target_language: str | None = None
) -> Glossary:
    """Read a glossary; the languages choose among those of the file, by default its first two."""
    path = Path(path)
    return parse_glossary(
        _read(path),
        format_of(path),
        name=str(path),
        source_language=source_language,
        target_language=target_language,
    )


def parse_glossary(
    content: bytes,
    format: GlossaryFormat,
    *,
    name: str = "glossary",
    source_language: str | None = None,
    target_language: str | None = None,
) -> Glossary:
    """Parse a glossary from bytes; errors and entries name the file `name`."""
    found = []
    for parsed in _READERS[format](content, name, Languages.requested(source_language, target_language)):
        if isinstance(parsed, Entry):
            found.append(parsed)
        elif parsed.kind == "error":
            raise LexalignError(f"{name}, line {parsed.line}: {parsed.message}")
    return Glossary(tuple(found))


def parse_leniently(
    path: Path, *, source_language: str | None = None, target_language: str | None = None
) -> ParsedFile:
    """Parse a file and go on after errors; only a file of another format is refused."""
    languages = Languages.requested(source_language, target_language)
    found = list(_READERS[format_of(path)](_read(path), str(path), languages))
    return ParsedFile(
        glossary=Glossary(tuple(one for one in found if isinstance(one, Entry))),
        problems=tuple(one for one in found if isinstance(one, Problem)),
    )


def write_glossary(glossary: Glossary, path: Path | str) -> None:
    path = Path(path)
    content = render_glossary(glossary, format_of(path))
    with new_file(path) as temporary:
        temporary.write_bytes(content)


def render_glossary(glossary: Glossary, format: GlossaryFormat) -> bytes:
    return _WRITERS[format](glossary)


def format_of(path: Path) -> GlossaryFormat:
    for known in FORMATS:
        if path.suffix.lower() == f".{known}":
            return known
    raise LexalignError(f"{path}: a glossary's name ends in .{', .'.join(FORMATS)}")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise LexalignError(f"cannot read {path}: {error.strerror or error}") from None
