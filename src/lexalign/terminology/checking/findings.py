"""Findings as plain values: what is wrong where, how sure, and by which a finding is known again.

as-asked         the term is translated as the glossary asks             nothing to report
compound         its translation is a part of a longer word              nothing to report
other-form       another form of what is asked                           note
other-word       another word, named in `found`                          error
missing-term     nothing is aligned to the term                          error
forbidden-term   a word that the glossary forbids for it                 error
not-kept         a name that is to stay as it is does not                error
number           a number is missing or changed                          error
placeholder      a placeholder, address or piece of code is missing      error
tag              the inline tags of both sides differ                    error
untranslated     there is no translation, or it is in the source's language   error
omission         a part of the source has no counterpart                 warning
inconsistent     a term or segment is translated otherwise elsewhere     warning
unreadable       a line that is no unit                                  error
"""

import hashlib
from dataclasses import dataclass
from typing import Literal, get_args

from lexalign.contracts.alignment import Link, Span
from lexalign.terminology.units import Unit

FindingKind = Literal[
    "as-asked",
    "compound",
    "other-form",
    "other-word",
    "missing-term",
    "forbidden-term",
    "not-kept",
    "number",
    "placeholder",
    "tag",
    "untranslated",
    "omission",
    "inconsistent",
    "unreadable",
]
KINDS: tuple[FindingKind, ...] = get_args(FindingKind)
Severity = Literal["error", "warning", "note", "none"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)  # most severe first
_SEVERITY: dict[FindingKind, Severity] = {
    "as-asked": "none",
    "compound": "none",
    "other-form": "note",
    "omission": "warning",
    "inconsistent": "warning",
}


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Spans are of characters; `confidence` is how probable the finding is by the alignment."""

    kind: FindingKind
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
        severity = _SEVERITY.get(self.kind, "error")
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
