"""What the writers of reports need to know of a result."""

from typing import Any, Protocol

from lexalign.terminology.checking import CheckResult, Finding
from lexalign.terminology.checking.findings import CheckedUnit


class Report(Protocol):
    @property
    def result(self) -> CheckResult: ...

    @property
    def units(self) -> tuple[CheckedUnit, ...]: ...

    def is_new(self, finding: Finding) -> bool: ...


def reported(unit: CheckedUnit) -> list[Finding]:
    return [one for one in unit.findings if one.severity != "none"]


def finding_values(finding: Finding, *, new: bool) -> dict[str, Any]:
    """A finding in the order of its columns, with types that JSON has."""
    unit = finding.unit
    return {
        "kind": finding.kind,
        "severity": finding.severity,
        "new": new,
        "message": finding.message,
        "file": unit.place.file,
        "line": unit.place.line,
        "unit": unit.identifier,
        "source_text": finding.source_text,
        "expected": list(finding.expected),
        "found": finding.found,
        "confidence": round(finding.confidence, 3),
        "source_span": finding.source_span and list(finding.source_span),
        "target_span": finding.target_span and list(finding.target_span),
        "fingerprint": finding.fingerprint,
    }
