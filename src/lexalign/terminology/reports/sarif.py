"""Findings as SARIF 2.1.0 (OASIS), which code hosts and pipelines show beside the lines of files."""

import json
from typing import Any
from urllib.parse import quote

from lexalign import __version__
from lexalign.report.kinds import CHECK_KINDS, Severity
from lexalign.terminology.checking import Finding
from lexalign.terminology.reports.report_values import Report, reported

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "note", "none": "none"}
_DESCRIPTIONS = {
    "other-form": "A term is in another form than the glossary's.",
    "other-word": "A term is translated by another word than the glossary asks for.",
    "missing-term": "A term has no translation.",
    "forbidden-term": "A word is used that the glossary forbids.",
    "not-kept": "A name is not kept as it is.",
    "number": "A number is missing or changed.",
    "placeholder": "A placeholder, address or piece of code is missing.",
    "tag": "The inline tags of source and target differ.",
    "untranslated": "A segment is not translated.",
    "omission": "A part of the source seems to have no translation.",
    "inconsistent": "A term or segment is translated otherwise elsewhere.",
    "unreadable": "A line is no segment with its translation.",
}


def render(report: Report) -> str:
    kinds = [kind for kind in CHECK_KINDS if kind in _DESCRIPTIONS]
    rules = [
        {"id": kind, "shortDescription": {"text": _DESCRIPTIONS[kind]}, "name": _name(kind)} for kind in kinds
    ]
    results = [
        _result(finding, kinds.index(finding.kind), new=report.is_new(finding))
        for unit in report.units
        for finding in reported(unit)
    ]
    driver = {"name": "lexalign", "version": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return (
        json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=1)
        + "\n"
    )


def _result(finding: Finding, rule_index: int, *, new: bool) -> dict[str, Any]:
    place = finding.unit.place
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(place.file.replace("\\", "/"))}}
    if place.line is not None:
        physical["region"] = {"startLine": place.line}
    location: dict[str, Any] = {"physicalLocation": physical}
    if finding.unit.identifier:
        location["logicalLocations"] = [{"name": finding.unit.identifier}]
    return {
        "ruleId": finding.kind,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [location],
        "partialFingerprints": {"lexalign/v1": finding.fingerprint},
        "baselineState": "new" if new else "unchanged",
        "rank": round(100 * finding.confidence, 1),
    }


def _name(kind: str) -> str:
    return "".join(part.capitalize() for part in kind.split("-"))
