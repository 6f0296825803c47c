"""Glossary entries in DeepL's format: a source and a target, between tabs or commas, without a header."""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Literal

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary
from lexalign.text.languages import primary

EntriesFormat = Literal["tsv", "csv"]


def parse_entries(entries: str, format: EntriesFormat, source: str, target: str) -> Glossary:
    """Parse entries; DeepL's CSV may have the languages in two more columns."""
    found: dict[str, Entry] = {}
    for number, row in enumerate(_rows(entries, format), start=1):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) not in (2, 4):
            raise LexalignError(f"entry {number} has {len(row)} columns; give a source and a target")
        term = row[0].strip()
        if term in found:
            raise LexalignError(f"entry {number}: {term!r} occurs twice")
        try:
            found[term] = Entry(
                source=term,
                targets=(row[1].strip(),),
                source_language=primary(source),
                target_language=primary(target),
            )
        except LexalignError as error:
            raise LexalignError(f"entry {number}: {error}") from None
    if not found:
        raise LexalignError("there are no entries")
    return Glossary(tuple(found.values()))


def render_entries(entries: Iterable[Entry]) -> str:
    """Entries in DeepL's format, which has one target and no policies.

    A term has its first target, or itself where it is kept; terms to be avoided are left out.
    """
    lines = [
        f"{entry.source}\t{entry.targets[0] if entry.targets else entry.source}"
        for entry in entries
        if entry.policy != "avoid"
    ]
    return "\n".join(lines)


def _rows(entries: str, format: EntriesFormat) -> Iterator[list[str]]:
    if format == "tsv":
        yield from (line.split("\t") for line in entries.splitlines())
        return
    try:
        yield from csv.reader(io.StringIO(entries), strict=True)
    except csv.Error as error:
        raise LexalignError(f"the entries are not CSV ({error})") from None
