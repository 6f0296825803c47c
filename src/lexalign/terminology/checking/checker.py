"""Units through an aligner and all rules, a part of the material at a time."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from lexalign.bundled.registry import BundledModels
from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary, Matcher
from lexalign.report.kinds import SEVERITIES, Severity
from lexalign.terminology.alignment import (
    AlignedUnit,
    AlignMethod,
    HmmAligner,
    UnitAligner,
    find_aligner,
)
from lexalign.terminology.checking.findings import CheckedUnit, Finding, character_links
from lexalign.terminology.checking.rule import Rule
from lexalign.terminology.checking.rules.numbers import NumberRule
from lexalign.terminology.checking.rules.omission import LengthRatios, OmissionRule
from lexalign.terminology.checking.rules.placeholders import PlaceholderRule
from lexalign.terminology.checking.rules.tags import TagRule
from lexalign.terminology.checking.rules.terms import TermRule
from lexalign.terminology.checking.rules.untranslated import UntranslatedRule
from lexalign.terminology.checking.target_terms import TargetTerms
from lexalign.terminology.extraction.general_frequencies import find_frequencies
from lexalign.terminology.extraction.shards import words_of
from lexalign.terminology.language_check import LanguageSample
from lexalign.terminology.reading.languages import Languages
from lexalign.terminology.units import Read, Rejected, Unit
from lexalign.text.languages import primary

_MAX_CHARACTERS = 5_000  # of a side, up to which a unit is aligned; a longer one is checked without links
_FEW_UNITS = 5_000  # up to which models align better, and fast enough


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """`aligner` None: models where both directions are here and the units are few, else the HMM."""

    aligner: AlignMethod | None = None
    part_size: int = 50_000  # units that are aligned together
    min_confidence: float = 0.0  # less probable findings are not reported

    def __post_init__(self) -> None:
        if self.part_size < 1 or not 0 <= self.min_confidence <= 1:
            raise LexalignError("part_size must be at least 1, and min_confidence between 0 and 1")


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """Units with findings that are reported, and the counts of all findings by kind."""

    units: tuple[CheckedUnit, ...]
    num_units: int
    counts: dict[str, int]
    languages: Languages
    aligner: AlignMethod

    @property
    def findings(self) -> list[Finding]:
        return [one for unit in self.units for one in unit.findings if one.severity != "none"]

    def worst(self, findings: Iterable[Finding] | None = None) -> Severity:
        found = {one.severity for one in (self.findings if findings is None else findings)}
        return next(severity for severity in SEVERITIES if severity in found or severity == "none")


def check_units(
    reads: Iterable[Read],
    glossary: Glossary | None = None,
    languages: Languages | None = None,
    options: CheckOptions | None = None,
    *,
    learn: Sequence[Unit] = (),
    any_language: bool = False,
    kinds: frozenset[str] | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> CheckResult:
    """Hold units against a glossary and against their sources.

    `learn` are more units for the HMM; of `kinds`, if given, no others are reported.
    """
    options, stream = options or CheckOptions(), iter(reads)
    first = list(islice(stream, options.part_size))
    if not first:
        raise LexalignError("there are no units to check")
    languages = _languages(first, languages or Languages(), any_language=any_language)
    method = options.aligner or _choose(languages, len(first))
    aligner = HmmAligner(learn) if method == "hmm-agreement" else find_aligner(method, *_codes(languages))
    rules = make_rules(glossary or Glossary(), languages, [one for one in first if isinstance(one, Unit)])
    counts: Counter[str] = Counter()
    kept: list[CheckedUnit] = []
    num_units, part = 0, first
    while part:
        for checked in _check_part(part, aligner, rules):
            num_units += 1
            reported = [
                one
                for one in checked.findings
                if one.confidence >= options.min_confidence and (kinds is None or one.kind in kinds)
            ]
            counts.update(one.kind for one in reported)
            if any(one.severity != "none" for one in reported):
                kept.append(replace(checked, findings=tuple(reported)))
        on_progress(num_units)
        part = list(islice(stream, options.part_size))
    return CheckResult(
        units=tuple(kept), num_units=num_units, counts=dict(counts), languages=languages, aligner=method
    )


def make_rules(glossary: Glossary, languages: Languages, units: Sequence[Unit]) -> list[Rule]:
    """All rules; what is usual in the material is told from some of its units."""
    source, target = _codes(languages)
    function_words = [
        find_frequencies(code, words_of(texts)).function_words
        for code, texts in (
            (source, [unit.source for unit in units]),
            (target, [unit.target for unit in units]),
        )
    ]
    rules: list[Rule] = [
        UntranslatedRule(source, target),
        NumberRule(),
        PlaceholderRule(),
        TagRule(),
        OmissionRule(LengthRatios.of(units), function_words[0]),
    ]
    if len(glossary):
        matcher = Matcher(glossary, source_language=source, target_language=target)
        rules.insert(0, TermRule(matcher, TargetTerms(target), function_words[1]))
    return rules


def _check_part(part: Sequence[Read], aligner: UnitAligner, rules: Sequence[Rule]) -> Iterator[CheckedUnit]:
    units = [_as_unit(one) for one in part]
    alignable = [unit for unit in units if _is_alignable(unit)]
    aligned = aligner.align(alignable)
    for one, unit in zip(part, units, strict=True):
        if isinstance(one, Rejected):
            broken = Finding(kind="unreadable", message=one.reason, unit=unit)
            yield CheckedUnit(unit=unit, findings=(broken,))
        else:
            yield _apply(next(aligned) if _is_alignable(unit) else AlignedUnit.unlinked(unit), rules)


def _apply(aligned: AlignedUnit, rules: Sequence[Rule]) -> CheckedUnit:
    sides = (
        [(word.start, word.end) for word in aligned.source],
        [(word.start, word.end) for word in aligned.target],
    )
    return CheckedUnit(
        unit=aligned.unit,
        findings=tuple(one for rule in rules for one in rule.check(aligned)),
        links=character_links(aligned.links, *sides),
    )


def _as_unit(read: Read) -> Unit:
    return read if isinstance(read, Unit) else Unit("", "", read.place)


def _is_alignable(unit: Unit) -> bool:
    lengths = len(unit.source), len(unit.target)
    return bool(unit.source.strip() and unit.target.strip()) and max(lengths) <= _MAX_CHARACTERS


def _languages(first: Sequence[Read], asked: Languages, *, any_language: bool) -> Languages:
    sample = LanguageSample(Languages() if any_language else asked)
    for one in first:
        if isinstance(one, Unit):
            sample.add(one)
    sample.refuse()
    found = sample.detected()
    return asked.or_else(found.source, found.target)


def _codes(languages: Languages) -> tuple[str | None, str | None]:
    return languages.source, languages.target


def _choose(languages: Languages, num_units: int) -> AlignMethod:
    source, target = (primary(code) if code else "" for code in _codes(languages))
    here = BundledModels.installed().folders
    both = (source, target) in here and (target, source) in here
    return "post-aln" if both and num_units <= _FEW_UNITS else "hmm-agreement"
