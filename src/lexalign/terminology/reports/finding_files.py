"""Findings as files, one writer for each format; the suffix tells: .json, .csv, .html, .sarif."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.storage import write_text
from lexalign.terminology.checking import CheckResult, Finding
from lexalign.terminology.checking.findings import CheckedUnit
from lexalign.terminology.reports import finding_csv, finding_json, finding_page, sarif


@dataclass(frozen=True, kw_only=True)
class CheckReport:
    """A result, and the fingerprints of findings that are in no baseline."""

    result: CheckResult
    new: frozenset[int]  # ids of the finding objects

    @classmethod
    def of(cls, result: CheckResult, new: list[Finding]) -> "CheckReport":
        return cls(result=result, new=frozenset(map(id, new)))

    def is_new(self, finding: Finding) -> bool:
        return id(finding) in self.new

    @property
    def units(self) -> tuple[CheckedUnit, ...]:
        return self.result.units


_WRITERS: dict[str, Callable[[CheckReport], str]] = {
    ".json": finding_json.render,
    ".csv": finding_csv.render,
    ".html": finding_page.render,
    ".sarif": sarif.render,
}


def check_suffix(path: Path) -> None:
    if path.suffix.lower() not in _WRITERS:
        raise LexalignError(f"{path}: a report's name ends in {', '.join(_WRITERS)}")


def write_report(path: Path, report: CheckReport) -> None:
    check_suffix(path)
    write_text(path, _WRITERS[path.suffix.lower()](report))
