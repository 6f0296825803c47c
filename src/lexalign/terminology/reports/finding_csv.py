"""Findings as CSV for a spreadsheet, a row for each, with both texts."""

import csv
import io

from lexalign.terminology.reports.report_values import Report, finding_values, reported

_COLUMNS = (
    "kind", "severity", "new", "message", "file", "line", "unit", "source_text", "expected", "found",
    "confidence", "source", "target", "fingerprint",
)  # fmt: skip


def render(report: Report) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for unit in report.units:
        for finding in reported(unit):
            values = finding_values(finding, new=report.is_new(finding))
            texts = {"source": unit.unit.source, "target": unit.unit.target}
            values |= texts | {"expected": " | ".join(finding.expected)}
            writer.writerow([safe_cell(values[name]) for name in _COLUMNS])
    return written.getvalue()


def safe_cell(value: object) -> object:
    """A value that a spreadsheet does not take for a formula."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@")):
        return f"'{value}"
    return value
