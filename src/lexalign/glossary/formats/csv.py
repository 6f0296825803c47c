"""Comma-separated columns; a file whose first line has more semicolons than commas is separated by those."""

import csv
import io
from collections.abc import Iterator

from lexalign.glossary.entries import Glossary
from lexalign.glossary.formats.columns import parse_rows, render_rows
from lexalign.glossary.formats.reading import Languages, Parsed, decode


def parse(content: bytes, name: str, languages: Languages) -> Iterator[Parsed]:
    text = decode(content, name)
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    return parse_rows(text, delimiter, name, languages)


def render(glossary: Glossary) -> bytes:
    written = io.StringIO()
    render_rows(glossary, csv.writer(written, lineterminator="\n").writerow)
    return written.getvalue().encode("utf-8")
