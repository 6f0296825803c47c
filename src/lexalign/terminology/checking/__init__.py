"""Existing translations held against a glossary and against their sources: rules, findings, a baseline."""

from lexalign.terminology.checking.checker import CheckOptions, CheckResult, check_units
from lexalign.terminology.checking.findings import Finding

__all__ = ["CheckOptions", "CheckResult", "Finding", "check_units"]
