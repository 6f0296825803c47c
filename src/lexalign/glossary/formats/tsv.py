"""Tab-separated columns, with quotes only where a cell begins with one."""

import csv
import io
from collections.abc import Iterator

from lexalign.glossary.entries import Glossary
from lexalign.glossary.formats.columns import parse_rows, render_rows
from lexalign.glossary.formats.reading import Languages, Parsed, decode


def parse(content: bytes, name: str, languages: Languages) -> Iterator[Parsed]:
    return parse_rows(decode(content, name), "\t", name, languages)


def render(glossary: Glossary) -> bytes:
    written = io.StringIO()
    render_rows(glossary, csv.writer(written, delimiter="\t", lineterminator="\n").writerow)
    return written.getvalue().encode("utf-8")
