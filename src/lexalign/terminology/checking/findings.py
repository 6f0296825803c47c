"""Findings as plain values: what is wrong where, how sure, and by which a finding is known again."""

import hashlib
from dataclasses import dataclass

from lexalign.contracts.alignment import Link, Span
from lexalign.report.kinds import CheckKind, Severity, severity_of
from lexalign.terminology.units import Unit


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Spans are of characters; `confidence` is how probable the finding is by the alignment."""

    kind: CheckKind
    message: str
    unit: Unit
    source_span: Span | None = None
    target_span: Span | None = None
    expected: tuple[str, ...] = ()
    found: str = ""
    confidence: float = 1.0
    preferred_only: bool = False  # the glossary only prefers it

    @property
    def severity(self) -> Severity:
        severity = severity_of(self.kind)
        return "warning" if severity == "error" and self.preferred_only else severity

    @property
    def source_text(self) -> str:
        return "" if self.source_span is None else self.unit.source[slice(*self.source_span)]

    @property
    def fingerprint(self) -> str:
        """The same for the same finding in the same texts, wherever they stand in whichever file."""
        parts = (self.kind, self.unit.source, self.unit.target, str(self.source_span), *self.expected)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]


@dataclass(frozen=True, kw_only=True)
class CheckedUnit:
    """A unit with its findings, those without a fault among them, and links between character spans."""

    unit: Unit
    findings: tuple[Finding, ...]
    links: tuple[tuple[Span, Span, float], ...] = ()


def character_links(
    links: tuple[Link, ...], source: list[Span], target: list[Span]
) -> tuple[tuple[Span, Span, float], ...]:
    return tuple(
        (source[link.source], target[link.target], 1.0 if link.probability is None else link.probability)
        for link in links
    )
