"""Reports as files, whose suffix names the format."""

from collections.abc import Callable
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.report.formats.csv_table import as_csv
from lexalign.report.formats.html_page import as_html
from lexalign.report.formats.json_object import as_json
from lexalign.report.values import Report
from lexalign.storage import write_text

_WRITERS: dict[str, Callable[[Report], str]] = {".json": as_json, ".html": as_html, ".csv": as_csv}


def check_report_path(path: Path) -> None:
    """Raise the error that writing would raise, before anything is translated."""
    if path.suffix.lower() not in _WRITERS:
        raise LexalignError(f"{path}: the name of a report ends in {', '.join(_WRITERS)}")
    if path.is_dir():
        raise LexalignError(f"{path} is a folder; give the report a file")


def write_report(path: Path, report: Report) -> None:
    check_report_path(path)
    write_text(path, _WRITERS[path.suffix.lower()](report))
