"""Rows of columns as entries, for CSV and TSV alike.

    source,target,policy,case,note               a header names the columns, in any order
    en,de,note                                   or two of them are named by their languages
    house,Haus|Häuser                            without a header: source, target, and no more

Targets are alternatives between bars. A file may have more than two language columns; those that are wanted
are chosen. Columns `source_language` and `target_language` give them row by row.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import Entry, Glossary, join_alternatives, same_language, split_alternatives
from lexalign.glossary.formats.reading import Draft, Languages, Parsed, Problem

EXTRA = ("policy", "case", "note", "source_language", "target_language")
_LANGUAGE = re.compile(r"[a-z]{2,3}([-_][A-Za-z0-9]{2,8})*")
# A term of two or three small letters is rare; a header of nothing but them and known names is not a row.
_DEFAULTS = {"policy": "must", "case": "match-source"}


@dataclass(frozen=True, kw_only=True)
class Header:
    """Which column holds what."""

    source: int = 0
    target: int = 1
    extra: dict[str, int] = field(default_factory=dict)
    languages: tuple[str, str] = ("", "")
    width: int = 2
    present: bool = False
    sparse: bool = False  # of so many languages that gaps are to be expected

    def draft(self, row: Sequence[str]) -> Draft:
        extra = {name: row[index] for name, index in self.extra.items()}
        languages = dict(zip(("source_language", "target_language"), self.languages, strict=True))
        return Draft(
            source=row[self.source],
            targets=split_alternatives(row[self.target]),
            **{**languages, **extra},
        )


def parse_rows(text: str, delimiter: str, name: str, languages: Languages) -> Iterator[Parsed]:
    """Rows that want other languages than those asked for are passed over."""
    header: Header | None = None
    for line, row in _rows(text, delimiter, name):
        if not any(cell.strip() for cell in row):
            continue
        if header is None:
            header = read_header(row, languages, name)
            if header.present:
                continue
        if len(row) != header.width:
            yield Problem(line, f"{_count(row)} where {header.width} are needed; is a separator amiss?")
            continue
        if header.sparse and not (row[header.source].strip() and row[header.target].strip()):
            yield Problem(line, "a row without a term in both languages", usual=True)
            continue
        parsed = header.draft(row).finish(name, line)
        if isinstance(parsed, Problem) or (
            same_language(parsed.source_language, languages.source)
            and same_language(parsed.target_language, languages.target)
        ):
            yield parsed


def read_header(row: Sequence[str], languages: Languages, name: str) -> Header:
    names = [cell.strip().lower() for cell in row]
    extra = {cell: index for index, cell in enumerate(names) if cell in EXTRA}
    if len(extra) != sum(cell in EXTRA for cell in names):
        raise LexalignError(f"{name}, line 1: a column is named twice")
    if "source" in names and "target" in names:
        unknown = set(names) - {"source", "target", *EXTRA}
        if unknown:
            known = ", ".join(("source", "target", *EXTRA))
            raise LexalignError(f"{name}, line 1: unknown column {sorted(unknown)[0]!r}; known are {known}")
        columns = names.index("source"), names.index("target")
        return Header(source=columns[0], target=columns[1], extra=extra, width=len(row), present=True)
    coded = {row[i].strip(): i for i, cell in enumerate(names) if cell not in EXTRA}
    if len(coded) > 1 and all(_LANGUAGE.fullmatch(code) for code in coded) and "" not in coded:
        source, target = languages.choose(list(coded), name)
        return Header(
            source=coded[source],
            target=coded[target],
            extra=extra,
            languages=(source, target),
            width=len(row),
            present=True,
            sparse=len(coded) > 2,
        )
    if len(row) != 2:
        raise LexalignError(
            f"{name}, line 1: {_count(row)} and no header; name them, as in source, target, policy"
        )
    return Header()


def render_rows(glossary: Glossary, write: Callable[[Sequence[str]], object]) -> None:
    """A header, then the entries; columns that would say nothing are left out."""
    extra = [name for name in EXTRA if any(_cell(entry, name) for entry in glossary)]
    write(["source", "target", *extra])
    for entry in glossary:
        cells = [_cell(entry, name) or _DEFAULTS.get(name, "") for name in extra]
        write([entry.source, join_alternatives(entry.targets), *cells])


def _count(row: Sequence[str]) -> str:
    return "1 column" if len(row) == 1 else f"{len(row)} columns"


def _cell(entry: Entry, name: str) -> str:
    value = getattr(entry, name) or ""
    return "" if value == _DEFAULTS.get(name) else str(value)


def _rows(text: str, delimiter: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with the line on which each begins; a cell in quotes may go over several."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise LexalignError(f"{name}, line {line}: {error}") from None
