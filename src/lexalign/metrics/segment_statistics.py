"""Sufficient statistics of a corpus score: a row of numbers for each segment, and a function of their sums.

Every metric here has that form, so all of them can be resampled in the same way (see `bootstrap`): BLEU sums
n-gram counts, a rate sums constraints met and constraints given.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lexalign.contracts.errors import LexalignError

Numbers = NDArray[np.float64]
Combine = Callable[[Numbers], Numbers]  # summed rows (R, F) to scores (R,)


@dataclass(frozen=True, kw_only=True, eq=False)
class SegmentStatistics:
    """Rows (segments, F) of one system by one metric; scores are percentages, and higher is better."""

    name: str
    rows: Numbers
    combine: Combine
    signature: str

    @property
    def value(self) -> float:
        return float(self.combine(self.rows.sum(axis=0, keepdims=True))[0])


def ratio_statistics(name: str, rows: Sequence[tuple[float, float]], signature: str) -> SegmentStatistics:
    """A metric that is the ratio of two sums, in per cent; 0/0 is 0."""
    numbers = np.array(rows, dtype=np.float64).reshape(-1, 2)
    return SegmentStatistics(name=name, rows=numbers, combine=_ratio, signature=signature)


def over_outputs(outputs: Sequence[SegmentStatistics]) -> SegmentStatistics:
    """The statistics of several outputs for the same segments, summed by segment.

    So a segment is resampled with all of its outputs, which are not independent.
    """
    return replace(outputs[0], rows=np.sum([output.rows for output in outputs], axis=0))


def check_segments(hypotheses: Sequence[object], references: Sequence[object], what: str) -> None:
    if len(hypotheses) != len(references):
        raise LexalignError(
            f"{len(hypotheses)} hypotheses and {len(references)} {what}; the numbers must be equal"
        )


def percentage(numerator: Numbers, denominator: Numbers) -> Numbers:
    shares: Numbers = np.divide(
        100 * numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0
    )
    return shares


def _ratio(sums: Numbers) -> Numbers:
    return percentage(sums[:, 0], sums[:, 1])
