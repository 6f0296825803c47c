"""A report as a table: a row for each term, finding, alternative and inconsistency."""

import csv
import io
from collections.abc import Iterator

from lexalign.report.values import FileReport, Report, SegmentReport

_COLUMNS = (
    "file",
    "segment",
    "where",
    "kind",
    "result",
    "source",
    "wanted",
    "found",
    "message",
    "source text",
    "target text",
)
# A cell that begins so is a formula to spreadsheets, which would run it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_csv(report: Report) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for one in report.files:
        writer.writerows([_cell(value) for value in row] for row in _rows(one))
    return file.getvalue()


def _rows(file: FileReport) -> Iterator[tuple[object, ...]]:
    for segment in file.segments:
        for row in _segment(segment):
            yield file.name, segment.number, segment.where, *row, segment.source, segment.target
    for one in file.inconsistencies:
        for variant in one.variants:
            numbers = " ".join(map(str, variant.segments))
            yield file.name, numbers, "", one.kind, "inconsistent", one.source, "", variant.form, "", "", ""


def _segment(segment: SegmentReport) -> Iterator[tuple[str, str, str, str, str, str]]:
    for term in segment.terms:
        result = ("met" if term.met else "missed") + (", ambiguous" if term.ambiguous else "")
        wanted = ("not " if term.kind == "avoid" else "") + " | ".join(term.targets)
        yield "term", result, term.source, wanted, term.form, term.reason or ""
    for finding in segment.findings:
        words = segment.source[slice(*finding.source_span)] if finding.source_span else ""
        yield finding.kind, "failed" if finding.failure else "note", words, "", "", finding.message
    for one in segment.alternatives:
        yield "memory", f"{one.similarity:g} %", one.source, "", one.target, one.place


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
