"""The report on a finished job's translations, made from its output: terms, numbers, placeholders.

So a job that was finished long ago can be reported on without translating anything again.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.corpus.results import OutputFormat
from lexalign.glossary import Match, Matcher
from lexalign.markup.protection import ProtectedSpan
from lexalign.markup.protection.patterns import NO_PATTERNS, Patterns
from lexalign.report import FileReportBuilder, Finding, Report, SegmentReport, report_text
from lexalign.translator import TermResult, Translation, UncoveredWord

Record = dict[str, Any]


def check_reportable(output_format: OutputFormat) -> None:
    if output_format == "text":
        raise LexalignError(
            "plain text has no results of terms; for a report, give --format jsonl or parquet"
        )


def report_corpus(
    folder: Path, output_format: OutputFormat, terms: Matcher | None, patterns: Patterns = NO_PATTERNS
) -> Report:
    """A file's segments are its rows; `terms` are those of the job."""
    check_reportable(output_format)
    builders: dict[str, FileReportBuilder] = {}
    for record in _records(folder, output_format):
        builder = builders.setdefault(record["file"], FileReportBuilder(record["file"]))
        row = record["row"]
        builder.add(report_text(row, f"row {row}", _translation(record, terms), patterns))
    for line in _lines(folder / "poisoned.jsonl"):
        builders.setdefault(line["file"], FileReportBuilder(line["file"])).add(_refused(line))
    return Report(files=tuple(builder.build() for builder in builders.values()))


def _records(folder: Path, output_format: OutputFormat) -> Iterator[Record]:
    for path in sorted(folder.glob(f"part-*.{output_format}")):
        if output_format == "jsonl":
            yield from _lines(path)
        else:
            from lexalign.corpus.parquet import read_table

            yield from read_table(path)


def _lines(path: Path) -> Iterator[Record]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _translation(record: Record, terms: Matcher | None) -> Translation:
    source = record["source"]
    matches = {match.span: match for match in terms.match(source)} if terms and record["terms"] else {}
    return Translation(
        source=source,
        text=record["translation"],
        complete=record["complete"],
        uncovered=tuple(
            UncoveredWord(**{**one, "source": tuple(one["source"])}) for one in record["uncovered"]
        ),
        terms=tuple(_term(one, matches) for one in record["terms"]),
        protected=tuple(
            ProtectedSpan(**{**one, "source": tuple(one["source"]), "target": tuple(one["target"])})
            for one in record["protected"]
        ),
    )


def _term(values: Record, matches: dict[tuple[int, int], Match]) -> TermResult:
    source, target = values.get("source"), values.get("target")
    span = None if source is None else (source[0], source[1])
    match = matches.get(span) if span else None
    constraint = Constraint(targets=tuple(values["targets"]), source=span, kind=values["kind"])
    asked = match and (match.constraint.targets, match.constraint.kind)
    return TermResult(
        constraint=constraint,
        met=values["met"],
        target=None if target is None else (target[0], target[1]),
        reason=values.get("reason"),
        part_of=values.get("part_of"),
        match=match if asked == (constraint.targets, constraint.kind) else None,
    )


def _refused(line: Record) -> SegmentReport:
    finding = Finding(kind="refused", message=f"not translated: {line['reason']}")
    row = line["row"]
    return SegmentReport(
        number=row, where=f"row {row}", source=line["excerpt"], target="", findings=(finding,)
    )
