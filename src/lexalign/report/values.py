"""The report of a translation: what became of terms, numbers, placeholders, tags and names.

A report is of files, a file's is of segments. A segment of which there is nothing to say is counted, and not
listed. Reports are plain values; `report/formats/` writes them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Literal

from lexalign.contracts.alignment import Span, shift_span
from lexalign.contracts.constraint import ConstraintKind
from lexalign.report.kinds import ReportKind

Origin = Literal["translated", "memory"]


@dataclass(frozen=True, kw_only=True)
class TermReport:
    """A term of a segment: in which form it is met and where, or why it is missed."""

    source: str  # as in the text
    term: str  # as in the glossary
    targets: tuple[str, ...]  # as in the glossary
    kind: ConstraintKind
    met: bool
    form: str = ""  # as in the translation; of a term to be avoided, what was not
    part_of: str | None = None  # the longer word that the form, or a missed term's source, is a part of
    reason: str | None = None  # why it is missed, in words
    source_span: Span | None = None
    target_span: Span | None = None
    probability: float | None = None  # that the form comes from the source
    ambiguous: bool = False  # several entries of the glossary ask for different targets
    place: str | None = None  # of the glossary's entry

    @property
    def failed(self) -> bool:
        return not self.met and self.kind != "prefer"

    def shifted(self, source: int, target: int) -> "TermReport":
        return replace(
            self,
            source_span=self.source_span and shift_span(self.source_span, source),
            target_span=self.target_span and shift_span(self.target_span, target),
        )


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that a person should look at; a `failure` is certain to be wrong, or likely."""

    kind: ReportKind
    message: str
    failure: bool = True
    source_span: Span | None = None

    def shifted(self, source: int) -> "Finding":
        return replace(self, source_span=self.source_span and shift_span(self.source_span, source))


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """A translation of a like text in a memory; `similarity` is in per cent."""

    source: str
    target: str
    similarity: float
    place: str


@dataclass(frozen=True, kw_only=True)
class SegmentReport:
    number: int  # in its file, from 1
    where: str
    source: str
    target: str
    origin: Origin = "translated"
    terms: tuple[TermReport, ...] = ()
    findings: tuple[Finding, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    num_numbers: int = 0  # that were checked
    num_placeholders: int = 0
    num_tags: int = 0

    @property
    def failed(self) -> bool:
        return any(term.failed for term in self.terms) or any(one.failure for one in self.findings)

    @property
    def is_told(self) -> bool:
        """Whether there is something to say of it."""
        return bool(self.terms or self.findings or self.alternatives)


@dataclass(frozen=True, kw_only=True)
class Counts:
    segments: int = 0
    from_memory: int = 0
    terms: int = 0
    terms_met: int = 0
    terms_missed: int = 0  # that must be met
    terms_ambiguous: int = 0
    numbers: int = 0
    numbers_missing: int = 0
    placeholders: int = 0
    placeholders_missing: int = 0
    tags: int = 0
    tags_failed: int = 0
    lost: int = 0  # places of the source that nothing seems to come from
    cut_off: int = 0
    refused: int = 0  # segments that could not be translated
    inconsistent: int = 0
    segments_failed: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        names = (one.name for one in fields(Counts))
        return Counts(**{name: getattr(self, name) + getattr(other, name) for name in names})


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One of the ways in which a term or a name is translated, and in which segments."""

    form: str
    segments: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Inconsistency:
    """A term whose forms are of different lemmas, or a name that has several translations."""

    kind: Literal["term", "name"]
    source: str
    variants: tuple[Variant, ...]


@dataclass(frozen=True, kw_only=True)
class FileReport:
    name: str
    counts: Counts
    segments: tuple[SegmentReport, ...]
    inconsistencies: tuple[Inconsistency, ...] = ()

    @property
    def failed(self) -> bool:
        return self.counts.segments_failed > 0


@dataclass(frozen=True, kw_only=True)
class Report:
    files: tuple[FileReport, ...]

    @property
    def counts(self) -> Counts:
        return sum((file.counts for file in self.files), Counts())

    @property
    def failed(self) -> bool:
        return any(file.failed for file in self.files)


def count(segments: Iterable[SegmentReport]) -> Counts:
    return sum(map(_count, segments), Counts())


def _count(segment: SegmentReport) -> Counts:
    def failures(kind: ReportKind) -> int:
        return sum(one.kind == kind and one.failure for one in segment.findings)

    terms = segment.terms
    return Counts(
        segments=1,
        from_memory=segment.origin == "memory",
        terms=len(terms),
        terms_met=sum(term.met for term in terms),
        terms_missed=sum(term.failed for term in terms),
        terms_ambiguous=sum(term.ambiguous for term in terms),
        numbers=segment.num_numbers,
        numbers_missing=failures("number"),
        placeholders=segment.num_placeholders,
        placeholders_missing=failures("placeholder"),
        tags=segment.num_tags,
        tags_failed=failures("tag"),
        lost=failures("omission"),
        cut_off=failures("length"),
        refused=failures("refused"),
        segments_failed=segment.failed,
    )
