"""Tables of values between commas, semicolons or tabs: the cells of some columns.

A column is named by its header or its number: `text` is translated in its place, `de=en` from one column into
another. Everything else, with its quotes and line ends, stays to the byte. Without a choice of columns a file
is refused, for a table has columns that are no text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.document import DocumentOptions, Edit, Segment, SplicedDocument
from lexalign.markup.documents.encoding import decode
from lexalign.markup.inline.messages import read_message_tags
from lexalign.markup.tagged_text import TaggedText

_DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True)
class Cell:
    start: int
    end: int
    value: str
    quoted: bool


def read(content: bytes, options: DocumentOptions) -> SplicedDocument:
    text, encoding = decode(content)
    delimiter = find_delimiter(text)
    rows = list(read_rows(text, delimiter))
    if not rows:
        return SplicedDocument(content=text, edits=[], escape=str, encode=encoding.encode)
    columns = [_columns(given, rows[0]) for given in options.columns]
    if not columns:
        names = ", ".join(cell.value for cell in rows[0][:20])
        raise LexalignError(f"name the columns to translate with --columns; the file has: {names}")
    edits = [
        edit
        for number, row in enumerate(rows[1:], start=2)
        for source, target in columns
        for edit in _edits(row, source, target, number, delimiter, options)
    ]
    edits.sort(key=lambda edit: edit.start)
    return SplicedDocument(content=text, edits=edits, escape=str, encode=encoding.encode)


def find_delimiter(text: str) -> str:
    """The delimiter that the first line has most often outside of quotes."""
    first = re.sub(r'"[^"]*"', "", text.split("\n", 1)[0])
    return max(_DELIMITERS, key=first.count)


def read_rows(text: str, delimiter: str) -> Iterator[list[Cell]]:
    """The rows of a table with the places of their cells; a quoted cell may hold line ends."""
    cell = re.compile(rf'"((?:[^"]|"")*+)"(?=[{delimiter}\r\n]|\Z)|([^{delimiter}\r\n]*+)')
    row: list[Cell] = []
    position = 0
    while position <= len(text):
        match = cell.match(text, position)
        assert match is not None  # an empty cell always matches
        if match[1] is None and match[2].startswith('"'):
            line = text.count("\n", 0, position) + 1
            raise LexalignError(f"line {line}: a quote is not closed, or text follows it; is this a table?")
        value = match[2] if match[1] is None else match[1].replace('""', '"')
        row.append(Cell(*match.span(), value, match[1] is not None))
        position = match.end()
        if not text.startswith(delimiter, position):
            if len(row) > 1 or row[0].start < row[0].end:
                yield row
            row = []
            position += 1 if text.startswith("\r\n", position) else 0
            if position >= len(text) - 1:
                return
        position += 1


def _columns(given: str, header: Sequence[Cell]) -> tuple[int, int]:
    source, _, target = given.partition("=")
    return _column(source, header), _column(target or source, header)


def _column(name: str, header: Sequence[Cell]) -> int:
    names = [cell.value.strip() for cell in header]
    if name.strip() in names:
        return names.index(name.strip())
    if name.strip().isdigit() and 1 <= int(name) <= len(names):
        return int(name) - 1
    raise LexalignError(f"there is no column {name.strip()!r}; the file has: {', '.join(names[:20])}")


def _edits(
    row: Sequence[Cell], source: int, target: int, number: int, delimiter: str, options: DocumentOptions
) -> Iterator[Edit]:
    if source >= len(row):
        return
    if target >= len(row):
        raise LexalignError(f"row {number} has {len(row)} cells, and no column {target + 1}")
    if source != target and row[target].value.strip() and not options.retranslate:
        return
    tagged = read_message_tags(row[source].value)
    if not any(character.isalpha() for character in tagged.text):
        return
    old = row[target]

    def write(translation: TaggedText) -> str:
        value = translation.render()
        if old.quoted or re.search(rf'["\r\n{delimiter}]', value):
            return '"' + value.replace('"', '""') + '"'
        return value

    yield Edit(start=old.start, end=old.end, segment=Segment(tagged, f"row {number}"), write=write)
