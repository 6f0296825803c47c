"""Paired bootstrap resampling (Koehn 2004) for any metric with segment statistics.

Segments are drawn with replacement, the same ones for both systems, and both are scored on each sample. The
p-value is sacreBLEU's: how often the absolute difference of a sample departs from the mean absolute
difference by more than the real difference,

    p = (1 + #{ |d_i| - mean |d| > |d| }) / (1 + samples)

and with the same seed it is the same number. Intervals hold the middle 95 % of the samples.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lexalign.contracts.errors import LexalignError
from lexalign.metrics.segment_statistics import Numbers, SegmentStatistics

Interval = tuple[float, float]

# Samples are drawn in blocks of about this many segments, to bound memory.
_BLOCK = 4_000_000
_NOISE = 1e-9


@dataclass(frozen=True, kw_only=True)
class BootstrapOptions:
    samples: int = 1_000
    seed: int = 12_345  # sacreBLEU's

    def __post_init__(self) -> None:
        if self.samples < 1 or self.seed < 0:
            raise LexalignError("bootstrap resampling needs at least 1 sample, and a seed of 0 or more")

    @property
    def signature(self) -> str:
        return f"paired-bootstrap|samples:{self.samples}|seed:{self.seed}|interval:95%"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The comparison of a system with a baseline by one metric."""

    difference: float
    interval: Interval  # of the difference
    p_value: float


def compare(
    system: SegmentStatistics, baseline: SegmentStatistics, options: BootstrapOptions | None = None
) -> Comparison:
    return compare_all([system], baseline, options)[0]


def compare_all(
    systems: Sequence[SegmentStatistics],
    baseline: SegmentStatistics,
    options: BootstrapOptions | None = None,
) -> list[Comparison]:
    """Compare each system with the same baseline; the samples are drawn once for all."""
    for system in systems:
        _check_paired(system, baseline)
    of_baseline, *of_systems = resample_all([baseline, *systems], options or BootstrapOptions())
    return [
        _comparison(system.value - baseline.value, scores - of_baseline)
        for system, scores in zip(systems, of_systems, strict=True)
    ]


def confidence_interval(system: SegmentStatistics, options: BootstrapOptions | None = None) -> Interval:
    return _interval(resample(system, options or BootstrapOptions()))


def resample(system: SegmentStatistics, options: BootstrapOptions) -> Numbers:
    """The scores of all samples; the segments of a sample depend on the seed alone."""
    return resample_all([system], options)[0]


def resample_all(systems: Sequence[SegmentStatistics], options: BootstrapOptions) -> list[Numbers]:
    """The scores of several systems on the same samples, because drawing takes longer than scoring."""
    num_segments = len(systems[0].rows)
    if not num_segments:
        raise LexalignError("there are no segments to resample")
    blocks = [
        [system.combine(counts @ system.rows) for system in systems]
        for counts in _draws(num_segments, options)
    ]
    return [np.concatenate(scores) for scores in zip(*blocks, strict=True)]


def _draws(num_segments: int, options: BootstrapOptions) -> Iterator[Numbers]:
    """The counts (block of samples, segments) of each segment in each sample."""
    generator = np.random.default_rng(options.seed)
    size = max(1, _BLOCK // num_segments)
    for start in range(0, options.samples, size):
        num_samples = min(size, options.samples - start)
        drawn = generator.choice(num_segments, size=(num_samples, num_segments), replace=True)
        offsets = np.arange(num_samples)[:, None] * num_segments
        counts = np.bincount((drawn + offsets).ravel(), minlength=num_samples * num_segments)
        yield counts.reshape(num_samples, num_segments).astype(np.float64)


def _check_paired(system: SegmentStatistics, baseline: SegmentStatistics) -> None:
    if system.rows.shape != baseline.rows.shape:
        raise LexalignError(
            f"{len(system.rows)} segments of one system and {len(baseline.rows)} of the other; "
            "the numbers must be equal"
        )


def _comparison(difference: float, differences: Numbers) -> Comparison:
    """The comparison from the real difference and those of the samples."""
    distances = np.abs(differences)
    beyond = int(np.sum(distances - distances.mean() > abs(difference)))
    if distances.max() < _NOISE:
        beyond = len(distances)  # systems that never differ, which the formula would call significant
    return Comparison(
        difference=difference,
        interval=_interval(differences),
        p_value=(beyond + 1) / (len(distances) + 1),
    )


def _interval(scores: Numbers) -> Interval:
    """The 95 % interval: without the outer fortieth on either side, as in sacreBLEU."""
    ordered = np.sort(scores)
    outside = len(ordered) // 40
    return float(ordered[outside]), float(ordered[len(ordered) - outside - 1])
