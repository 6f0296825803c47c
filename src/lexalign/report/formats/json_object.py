"""A report as JSON: counts in sum and of each file, terms over all files, and what is told of segments."""

import json
from dataclasses import asdict
from typing import Any

from lexalign import __version__
from lexalign.report.segments import SentenceReport
from lexalign.report.terms import summarize_terms
from lexalign.report.values import Alternative, FileReport, Finding, Report, SegmentReport, TermReport


def as_json(report: Report) -> str:
    content = {
        "lexalign": __version__,
        "failed": report.failed,
        "counts": asdict(report.counts),
        "terms": [{**asdict(one), "forms": dict(one.forms)} for one in summarize_terms(report.files)],
        "files": [_file(file) for file in report.files],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _file(file: FileReport) -> dict[str, Any]:
    return {
        "name": file.name,
        "failed": file.failed,
        "counts": asdict(file.counts),
        "inconsistencies": [asdict(one) for one in file.inconsistencies],
        "segments": [{**asdict(one), "failed": one.failed} for one in file.segments],
    }


def segment_from_json(values: dict[str, Any]) -> SegmentReport:
    """A segment that was written as JSON; the inverse of `asdict`."""
    alternatives = tuple(Alternative(**one) for one in values["alternatives"])
    sentence = sentence_from_json(values)
    return SegmentReport(
        **{**values, "alternatives": alternatives, "terms": sentence.terms, "findings": sentence.findings}
    )


def sentence_from_json(values: Any) -> SentenceReport:
    """The same for a sentence; None stands for one without a report."""
    if values is None:
        return SentenceReport()
    return SentenceReport(
        terms=tuple(TermReport(**_with_tuples(one)) for one in values["terms"]),
        findings=tuple(Finding(**_with_tuples(one)) for one in values["findings"]),
    )


def _with_tuples(values: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
