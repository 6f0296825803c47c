"""A baseline: the findings that are known already, so that only new ones fail.

A finding is known again by its kind and its texts, not by its line. A file that has the same finding twice
needs it twice in the baseline.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.storage import write_text
from lexalign.terminology.checking.findings import Finding

_VERSION = 1


def write_baseline(path: Path, findings: Iterable[Finding]) -> None:
    counts = Counter(finding.fingerprint for finding in findings)
    content = {"version": _VERSION, "findings": dict(sorted(counts.items()))}
    write_text(path, json.dumps(content, indent=1) + "\n")


def read_baseline(path: Path) -> Counter[str]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["version"] != _VERSION:
            raise LexalignError(f"{path}: baseline version {content['version']} is not supported")
        return Counter({str(key): int(count) for key, count in content["findings"].items()})
    except OSError as error:
        raise LexalignError(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise LexalignError(f"{path} is not a baseline; write one with --write-baseline") from None


def new_findings(findings: Sequence[Finding], known: Counter[str]) -> list[Finding]:
    """The findings that the baseline does not have, or has less often."""
    left = Counter(known)
    found = []
    for finding in findings:
        left[finding.fingerprint] -= 1
        if left[finding.fingerprint] < 0:
            found.append(finding)
    return found
