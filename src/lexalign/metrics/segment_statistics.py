"""What a corpus score is made from: a row of numbers for each segment, and a rule from sums to scores.

Every metric here has that form, so all of them can be resampled the same way (see `bootstrap`): BLEU sums
n-gram counts, a rate sums what was met and what was asked for.
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
    """Rows (segments, F) of one system by one metric; scores are percentages, and more is better."""

    name: str
    rows: Numbers
    combine: Combine
    signature: str

    @property
    def value(self) -> float:
        return float(self.combine(self.rows.sum(axis=0, keepdims=True))[0])


def ratio_statistics(name: str, rows: Sequence[tuple[float, float]], signature: str) -> SegmentStatistics:
    """A metric that is a sum over a sum, in per cent; nothing out of nothing is 0."""
    numbers = np.array(rows, dtype=np.float64).reshape(-1, 2)
    return SegmentStatistics(name=name, rows=numbers, combine=_ratio, signature=signature)


def over_outputs(outputs: Sequence[SegmentStatistics]) -> SegmentStatistics:
    """Several outputs for the same segments, by one metric: a segment has what it has in all of them.

    Resampled so, a segment comes with all of its outputs, which are no chance of their own.
    """
    return replace(outputs[0], rows=np.sum([output.rows for output in outputs], axis=0))


def check_segments(hypotheses: Sequence[object], references: Sequence[object], what: str) -> None:
    if len(hypotheses) != len(references):
        raise LexalignError(
            f"{len(hypotheses)} hypotheses and {len(references)} {what}; they must be as many"
        )


def percentage(above: Numbers, below: Numbers) -> Numbers:
    shares: Numbers = np.divide(100 * above, below, out=np.zeros_like(above), where=below > 0)
    return shares


def _ratio(sums: Numbers) -> Numbers:
    return percentage(sums[:, 0], sums[:, 1])
