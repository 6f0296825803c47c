"""Terms, names and whole segments that a set of files translates differently, with the majority and outliers.

Terms are those of an extraction: what is found in the files themselves, with its translations by alignment.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lexalign.terminology.checking.findings import Finding
from lexalign.terminology.extraction.candidates import Example, TermCandidate
from lexalign.terminology.units import Read, Unit

_MIN_WORDS = 2  # of a segment; single words may well differ by their context


@dataclass(frozen=True, kw_only=True)
class Variant:
    target: str
    count: int
    share: float
    examples: tuple[Example, ...]


@dataclass(frozen=True, kw_only=True)
class Inconsistency:
    """A term with its usual translation and the others."""

    source: str
    count: int
    is_name: bool
    majority: Variant
    outliers: tuple[Variant, ...]


def inconsistent_terms(
    candidates: Sequence[TermCandidate], *, min_count: int = 2, min_probability: float = 0.6
) -> list[Inconsistency]:
    """Terms with several translations, those with the most outliers first."""
    found = []
    for one in candidates:
        outliers = [
            two
            for two in one.translations[1:]
            if two.count >= min_count
            and two.probability >= min_probability
            and not _contains(one.best.lemma, two.lemma)
        ]
        if outliers and one.best.probability >= min_probability:
            variants = [
                Variant(target=two.target, count=two.count, share=two.share, examples=two.examples)
                for two in (one.best, *outliers)
            ]
            found.append(
                Inconsistency(
                    source=one.source,
                    count=one.count,
                    is_name=one.source[:1].isupper(),
                    majority=variants[0],
                    outliers=tuple(variants[1:]),
                )
            )
    return sorted(found, key=lambda one: (-sum(two.count for two in one.outliers), one.source))


def _contains(one: str, other: str) -> bool:
    """Whether one is a part of the other, as "konto" of "kundenkonto": more of the text, not another word."""
    return one in other or other in one


def inconsistent_segments(reads: Iterable[Read]) -> list[Finding]:
    """Segments that are translated otherwise than the same segment mostly is."""
    by_source: dict[str, dict[str, list[Unit]]] = {}
    for unit in reads:
        if isinstance(unit, Unit) and len(unit.source.split()) >= _MIN_WORDS and unit.target.strip():
            by_source.setdefault(unit.source, {}).setdefault(unit.target, []).append(unit)
    findings = []
    for targets in by_source.values():
        if len(targets) > 1:
            majority = max(targets, key=lambda target: len(targets[target]))  # the first of the most frequent
            findings += [
                _finding(unit, majority)
                for target in targets
                if target != majority
                for unit in targets[target]
            ]
    return findings


def _finding(unit: Unit, majority: str) -> Finding:
    return Finding(
        kind="inconsistent",
        message=f'elsewhere the same segment is "{majority}"',
        unit=unit,
        source_span=(0, len(unit.source)),
        target_span=(0, len(unit.target)),
        expected=(majority,),
        found=unit.target,
    )
