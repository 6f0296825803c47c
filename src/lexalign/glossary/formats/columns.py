"""Rows of columns as entries, for CSV and TSV alike; `header.py` tells what the columns are.

Alternatives stand between bars on either side. Each source of a row is an entry with all its targets; read
backwards, the sides are exchanged. Columns `source_language` and `target_language` give them row by row.
"""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import Entry, Glossary, join_alternatives, same_language
from lexalign.glossary.formats.header import EXTRA, Header, count_columns, read_header
from lexalign.glossary.formats.reading import Languages, Parsed, Problem

_DEFAULTS = {"policy": "must", "case": "match-source"}


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
            message = f"{count_columns(row)} where {header.width} are needed; is a separator amiss?"
            yield Problem(line, message)
        else:
            yield from _parse_row(header, row, line, name, languages)


def _parse_row(
    header: Header, row: Sequence[str], line: int, name: str, languages: Languages
) -> Iterator[Parsed]:
    draft = header.draft(row, languages)
    if draft.keeps and not (draft.sources or draft.targets):
        draft = replace(draft, sources=header.kept(row))
    elif header.sparse and not draft.keeps and not (draft.sources and draft.targets):
        yield Problem(line, "a row without a term in both languages", "incomplete")
        return
    for parsed in draft.finish(name, line):
        if isinstance(parsed, Problem) or (
            same_language(parsed.source_language, languages.source)
            and same_language(parsed.target_language, languages.target)
        ):
            yield parsed


def render_rows(glossary: Glossary, write: Callable[[Sequence[str]], object]) -> None:
    """A header, then the entries; columns that would say nothing are left out."""
    extra = [name for name in EXTRA if any(_cell(entry, name) for entry in glossary)]
    write(["source", "target", *extra])
    for sources, entry in _synonyms(glossary):
        cells = [_cell(entry, name) or _DEFAULTS.get(name, "") for name in extra]
        write([join_alternatives(sources), join_alternatives(entry.targets), *cells])


def _synonyms(glossary: Glossary) -> Iterator[tuple[list[str], Entry]]:
    """Entries that were read from one row are one row again."""
    for entry, group in groupby(glossary, lambda entry: replace(entry, source="...")):
        sources = [one.source for one in group]
        if entry.place is not None and len(set(sources)) == len(sources):
            yield sources, entry
        else:
            yield from (([source], entry) for source in sources)


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
