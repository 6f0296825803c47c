"""Reports on translations: one value, built from translations, and a writer for each format."""

from lexalign.report.building import FileReportBuilder
from lexalign.report.formats.files import check_report_path, write_report
from lexalign.report.formats.summary import summary_line
from lexalign.report.segments import (
    SentenceReport,
    report_given,
    report_segment,
    report_sentence,
    report_text,
)
from lexalign.report.values import (
    Alternative,
    Counts,
    FileReport,
    Finding,
    Inconsistency,
    Report,
    SegmentReport,
    TermReport,
)

__all__ = [
    "Alternative",
    "Counts",
    "FileReport",
    "FileReportBuilder",
    "Finding",
    "Inconsistency",
    "Report",
    "SegmentReport",
    "SentenceReport",
    "TermReport",
    "check_report_path",
    "report_given",
    "report_segment",
    "report_sentence",
    "report_text",
    "summary_line",
    "write_report",
]
