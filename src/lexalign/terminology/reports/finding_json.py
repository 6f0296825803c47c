"""Findings as JSON: the counts, and the units with all that was found in them, links included."""

import json

from lexalign import __version__
from lexalign.terminology.reports.report_values import Report, finding_values


def render(report: Report) -> str:
    result = report.result
    content = {
        "lexalign": __version__,
        "languages": [result.languages.source, result.languages.target],
        "aligner": result.aligner,
        "num_units": result.num_units,
        "counts": result.counts,
        "units": [
            {
                "file": one.unit.place.file,
                "line": one.unit.place.line,
                "unit": one.unit.identifier,
                "source": one.unit.source,
                "target": one.unit.target,
                "findings": [finding_values(each, new=report.is_new(each)) for each in one.findings],
                "links": [[list(s), list(t), round(p, 3)] for s, t, p in one.links],
            }
            for one in report.units
        ],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
