"""CSV and TSV: rows of columns as entries; `header.py` reads what the columns are.

Alternatives are separated by bars on either side. Each source of a row is an entry with all its targets; read
backwards, the sides are exchanged. Columns `source_language` and `target_language` give them for each row.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import RULE_DEFAULTS, Entry, Glossary, join_alternatives, same_language
from lexalign.glossary.formats.header import EXTRA, Header, count_columns, is_header, read_header
from lexalign.glossary.formats.reading import Languages, Parsed, Problem, decode

_DELIMITERS = ",;\t"  # by precedence
_DECLARED_DELIMITER = re.compile(r"sep=([,;\t])", re.IGNORECASE)


def parse_csv(content: bytes, name: str, languages: Languages) -> Iterator[Parsed]:
    """Parse columns between commas, semicolons or tabs.

    The delimiter is the one that makes the first line a header; without a header, the most frequent one. A
    first line `sep=;`, as spreadsheets write it, declares it.
    """
    text = decode(content, name)
    first = text.lstrip().partition("\n")[0].rstrip("\r")
    if declared := _DECLARED_DELIMITER.fullmatch(first):
        return _parse_rows(text.replace(first, "", 1), declared[1], name, languages)
    return _parse_rows(text, _delimiter(first), name, languages)


def render_csv(glossary: Glossary) -> bytes:
    return _render(glossary, ",")


def parse_tsv(content: bytes, name: str, languages: Languages) -> Iterator[Parsed]:
    return _parse_rows(decode(content, name), "\t", name, languages)


def render_tsv(glossary: Glossary) -> bytes:
    return _render(glossary, "\t")


def _delimiter(first: str) -> str:
    for delimiter in _DELIMITERS:
        try:
            row = next(csv.reader([first], delimiter=delimiter), [])
        except csv.Error:
            continue
        if is_header(row):
            return delimiter
    return max(_DELIMITERS, key=first.count)


def _parse_rows(text: str, delimiter: str, name: str, languages: Languages) -> Iterator[Parsed]:
    """Parse rows; those of other languages than the requested ones are ignored."""
    header: Header | None = None
    for line, row in _rows(text, delimiter, name):
        if not any(cell.strip() for cell in row):
            continue
        if header is None:
            header = read_header(row, languages, name)
            if header.present:
                continue
        if len(row) != header.width:
            message = f"{count_columns(row)} where {header.width} are needed; is a separator wrong?"
            yield Problem(line, message)
        else:
            yield from _parse_row(header, row, line, name, languages)


def _parse_row(
    header: Header, row: Sequence[str], line: int, name: str, languages: Languages
) -> Iterator[Parsed]:
    raw = header.raw_entry(row, languages)
    if raw.is_kept and not (raw.sources or raw.targets):
        raw = replace(raw, sources=header.kept(row))
    elif header.sparse and not raw.is_kept and not (raw.sources and raw.targets):
        yield Problem(line, "a row without a term in both languages", "incomplete")
        return
    for parsed in raw.to_entries(name, line):
        if isinstance(parsed, Problem) or (
            same_language(parsed.source_language, languages.source)
            and same_language(parsed.target_language, languages.target)
        ):
            yield parsed


def _render(glossary: Glossary, delimiter: str) -> bytes:
    """A header, then the entries; columns without content are left out."""
    written = io.StringIO()
    write = csv.writer(written, delimiter=delimiter, lineterminator="\n").writerow
    extra = [name for name in EXTRA if any(_cell(entry, name) for entry in glossary)]
    write(["source", "target", *extra])
    for sources, entry in _grouped_by_row(glossary):
        cells = [_cell(entry, name) or RULE_DEFAULTS.get(name, "") for name in extra]
        write([join_alternatives(sources), join_alternatives(entry.targets), *cells])
    return written.getvalue().encode("utf-8")


def _grouped_by_row(glossary: Glossary) -> Iterator[tuple[list[str], Entry]]:
    """Group the entries that were read from one row, so that they are one row again."""
    for entry, group in groupby(glossary, lambda entry: replace(entry, source="...")):
        sources = [one.source for one in group]
        if entry.place is not None and len(set(sources)) == len(sources):
            yield sources, entry
        else:
            yield from (([source], entry) for source in sources)


def _cell(entry: Entry, name: str) -> str:
    value = getattr(entry, name) or ""
    return "" if value == RULE_DEFAULTS.get(name) else str(value)


def _rows(text: str, delimiter: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with the line on which each begins; a quoted cell may span several lines."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise LexalignError(f"{name}, line {line}: {error}") from None
