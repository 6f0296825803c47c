"""A report as JSON, CSV, HTML and in a line: everything is told, and nothing in it is run."""

import csv
import json
from dataclasses import asdict
from pathlib import Path

import pytest
from lxml import html

from lexalign.contracts.errors import LexalignError
from lexalign.report import (
    Alternative,
    FileReportBuilder,
    Finding,
    Inconsistency,
    Report,
    SegmentReport,
    TermReport,
    check_report_path,
    summary_line,
    write_report,
)
from lexalign.report.formats.json_object import segment_from_json
from lexalign.report.values import Variant

EVIL = '=1+1<script>alert("x")</script>'
SEGMENT = SegmentReport(
    number=3,
    where="line 3",
    source=EVIL,
    target="b",
    terms=(
        TermReport(
            source=EVIL,
            term="t",
            targets=("x", "y"),
            kind="must",
            met=False,
            reason="why",
            source_span=(0, 4),
        ),
        TermReport(
            source="a", term="u", targets=("z",), kind="must", met=True, form="Zs", target_span=(0, 1)
        ),
    ),
    findings=(Finding(kind="number", message="the number 1 is missing", source_span=(1, 2)),),
    alternatives=(Alternative(source="@a", target="c", similarity=80.5, place="m.tmx, line 1"),),
    num_numbers=2,
)


@pytest.fixture
def report() -> Report:
    builder = FileReportBuilder("a.html")
    builder.add(SEGMENT)
    variants = (Variant(form="A", segments=(1, 3)), Variant(form="B", segments=(2,)))
    return Report(files=(builder.build([Inconsistency(kind="name", source="N", variants=variants)]),))


def test_json_has_everything(report: Report, tmp_path: Path) -> None:
    write_report(tmp_path / "r.json", report)
    content = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert content["failed"] is True
    assert content["counts"] == asdict(report.counts)
    assert [(one["term"], one["found"], one["met"], one["forms"]) for one in content["terms"]] == [
        ("t", 1, 0, {}),
        ("u", 1, 1, {"Zs": 1}),
    ]
    (segment,) = content["files"][0]["segments"]
    assert segment.pop("failed") is True
    assert segment_from_json(segment) == SEGMENT


def test_csv_has_a_row_for_each_thing_and_no_formulas(report: Report, tmp_path: Path) -> None:
    write_report(tmp_path / "r.csv", report)
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["kind"], row["result"]) for row in rows] == [
        ("term", "missed"),
        ("term", "met"),
        ("number", "failed"),
        ("memory", "80.5 %"),
        ("name", "inconsistent"),
        ("name", "inconsistent"),
    ]
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())


def test_html_shows_all_text_and_runs_none(report: Report, tmp_path: Path) -> None:
    write_report(tmp_path / "r.html", report)
    page = html.parse(str(tmp_path / "r.html")).getroot()
    assert page.xpath("//script") == []
    text = " ".join(page.text_content().split())
    for part in (EVIL, "missed: why", "the number 1 is missing", "80.5 %", "A in 1, 3; B in 2", "0 / 1"):
        assert part in text
    assert [mark.text for mark in page.xpath("//p[@class='source']/mark")] == [EVIL[:4]]


def test_a_line_sums_it_up(report: Report) -> None:
    assert summary_line(report) == "1 segment: 2 terms, 1 missed; 2 numbers, 1 missing; 1 inconsistency"
    assert summary_line(Report(files=())) == "0 segments: nothing to check"


def test_other_suffixes_are_refused_before_anything_is_done(tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match=r"\.json, \.html, \.csv"):
        check_report_path(tmp_path / "report.pdf")
    (tmp_path / "r.json").mkdir()
    with pytest.raises(LexalignError, match="folder"):
        check_report_path(tmp_path / "r.json")
