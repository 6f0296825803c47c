"""Evaluation of several systems by all metrics, each compared with the first system."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from lexalign.contracts.errors import LexalignError
from lexalign.metrics.bleu_c import bleu_c
from lexalign.metrics.bootstrap import BootstrapOptions, Comparison, Interval, compare, confidence_interval
from lexalign.metrics.constraint_satisfaction import Constraints, avoidance, constraint_satisfaction
from lexalign.metrics.edit_rate import term_edit_rate
from lexalign.metrics.ngram_statistics import bleu_statistics, chrf_statistics
from lexalign.metrics.segment_statistics import SegmentStatistics
from lexalign.metrics.terminology import exact_match, window_overlap
from lexalign.metrics.words import WordOptions

SIGNIFICANT = 0.05


@dataclass(frozen=True, kw_only=True)
class EvaluationOptions:
    """`window` is that of BLEU-C; `tokenizer` is sacreBLEU's name of the tokenizer of BLEU."""

    words: WordOptions = field(default_factory=WordOptions)
    window: int = 3
    overlap_window: int = 2
    tokenizer: str = "13a"
    bootstrap: BootstrapOptions = field(default_factory=BootstrapOptions)


@dataclass(frozen=True, kw_only=True)
class System:
    name: str
    hypotheses: Sequence[str]
    seconds: float | None = None  # of its decoding


@dataclass(frozen=True, kw_only=True)
class MetricScore:
    name: str
    value: float
    interval: Interval
    signature: str
    against_first: Comparison | None = None  # None for the first system

    @property
    def significant(self) -> bool:
        return self.against_first is not None and self.against_first.p_value < SIGNIFICANT


@dataclass(frozen=True, kw_only=True)
class SystemScores:
    name: str
    scores: tuple[MetricScore, ...]  # the same metrics in the same order for all systems
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    systems: tuple[SystemScores, ...]
    num_segments: int
    num_constraints: int
    options: EvaluationOptions


def evaluate(
    systems: Sequence[System],
    references: Sequence[str],
    constraints: Constraints | None = None,
    options: EvaluationOptions | None = None,
) -> Evaluation:
    """Score and compare the systems; without constraints, by BLEU and chrF only."""
    options = options or EvaluationOptions()
    if not systems or not references:
        raise LexalignError("there is nothing to evaluate")
    segment_constraints = constraints if constraints is not None else [()] * len(references)
    measured = [_measure(system.hypotheses, references, segment_constraints, options) for system in systems]
    return Evaluation(
        systems=tuple(
            SystemScores(
                name=system.name,
                scores=_compared(found, measured[0] if index else None, options.bootstrap),
                seconds=system.seconds,
            )
            for index, (system, found) in enumerate(zip(systems, measured, strict=True))
        ),
        num_segments=len(references),
        num_constraints=sum(len(of_segment) for of_segment in segment_constraints),
        options=options,
    )


def _measure(
    hypotheses: Sequence[str], references: Sequence[str], constraints: Constraints, options: EvaluationOptions
) -> list[SegmentStatistics]:
    words, ignore_case, tokenizer = options.words, options.words.ignore_case, options.tokenizer
    measured = [
        bleu_statistics(hypotheses, references, ignore_case=ignore_case, tokenizer=tokenizer),
        chrf_statistics(hypotheses, references, ignore_case=ignore_case),
    ]
    kinds = {constraint.kind for of_segment in constraints for constraint in of_segment}
    if kinds - {"avoid"}:
        measured += [
            constraint_satisfaction(hypotheses, constraints, words),
            bleu_c(hypotheses, references, constraints, words, window=options.window, tokenizer=tokenizer),
            exact_match(hypotheses, constraints, words),
            window_overlap(hypotheses, references, constraints, words, window=options.overlap_window),
            term_edit_rate(hypotheses, references, constraints, words),
        ]
    if "avoid" in kinds:
        measured.append(avoidance(hypotheses, constraints, words))
    return measured


def _compared(
    measured: Sequence[SegmentStatistics],
    first: Sequence[SegmentStatistics] | None,
    bootstrap: BootstrapOptions,
) -> tuple[MetricScore, ...]:
    return tuple(
        MetricScore(
            name=statistics.name,
            value=statistics.value,
            interval=confidence_interval(statistics, bootstrap),
            signature=statistics.signature,
            against_first=compare(statistics, first[index], bootstrap) if first else None,
        )
        for index, statistics in enumerate(measured)
    )
