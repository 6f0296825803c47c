"""Options of the report, and what a command does with a finished one."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.cli.messages import say
from lexalign.cli.options.sections import RESULTS

if TYPE_CHECKING:
    from lexalign.report import Report
    from lexalign.translator import Translation

ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Also write a report on terms, numbers, placeholders and tags: .json, .html or .csv.",
        rich_help_panel=RESULTS,
    ),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Exit with status 1 if a term is missed or anything else failed.",
        rich_help_panel=RESULTS,
    ),
]


class ReportedLines:
    """The report of lines that are translated one after another; they pass through.

    Lines may be without end, so where no report is written they are only counted.
    """

    def __init__(self, name: str, patterns: Sequence[str], *, keep: bool) -> None:
        from lexalign.markup.protection.patterns import Patterns
        from lexalign.report import FileReportBuilder

        self._builder = FileReportBuilder(name, keep=keep)
        self._patterns = Patterns(tuple(patterns))

    def add_all(self, translations: Iterable["Translation"]) -> Iterator["Translation"]:
        from lexalign.report import report_text

        for number, translation in enumerate(translations, start=1):
            self._builder.add(report_text(number, f"line {number}", translation, self._patterns))
            yield translation

    def build(self) -> "Report":
        from lexalign.report import Report

        return Report(files=(self._builder.build(),))


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
