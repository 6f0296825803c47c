"""Columns between commas, semicolons or tabs.

What separates them is what makes a header of the first line; without a header, what is there most often. A
first line `sep=;`, as spreadsheets write it, says so itself.
"""

import csv
import io
import re
from collections.abc import Iterator

from lexalign.glossary.entries import Glossary
from lexalign.glossary.formats.columns import parse_rows, render_rows
from lexalign.glossary.formats.header import is_header
from lexalign.glossary.formats.reading import Languages, Parsed, decode

_DELIMITERS = ",;\t"  # of equally many, the first
_SAID = re.compile(r"sep=([,;\t])", re.IGNORECASE)


def parse(content: bytes, name: str, languages: Languages) -> Iterator[Parsed]:
    text = decode(content, name)
    first = text.lstrip().partition("\n")[0].rstrip("\r")
    if said := _SAID.fullmatch(first):
        return parse_rows(text.replace(first, "", 1), said[1], name, languages)
    return parse_rows(text, _delimiter(first), name, languages)


def render(glossary: Glossary) -> bytes:
    written = io.StringIO()
    render_rows(glossary, csv.writer(written, lineterminator="\n").writerow)
    return written.getvalue().encode("utf-8")


def _delimiter(first: str) -> str:
    for delimiter in _DELIMITERS:
        try:
            row = next(csv.reader([first], delimiter=delimiter), [])
        except csv.Error:
            continue
        if is_header(row):
            return delimiter
    return max(_DELIMITERS, key=first.count)
