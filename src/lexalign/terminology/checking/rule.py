"""The protocol of a check: a rule sees one aligned unit, and tells what it finds."""

from collections.abc import Iterable
from typing import Protocol

from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.checking.findings import Finding


class Rule(Protocol):
    def check(self, aligned: AlignedUnit) -> Iterable[Finding]: ...
