"""Options of the report, and what a command does with a finished one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.cli.messages import say

if TYPE_CHECKING:
    from lexalign.report import Report

ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Also write a report on terms, numbers, placeholders and tags: .json, .html or .csv.",
    ),
]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Exit with status 1 if a term is missed, or anything else failed."),
]


def check_report(path: Path | None) -> None:
    if path is not None:
        from lexalign.report import check_report_path

        check_report_path(path)


def finish_report(report: "Report", path: Path | None, *, strict: bool) -> None:
    """Write the report, say it in one line, and fail if that is asked for."""
    from lexalign.report import summary_line, write_report

    if path is not None:
        write_report(path, report)
    say(summary_line(report))
    if strict and report.failed:
        raise typer.Exit(1)
