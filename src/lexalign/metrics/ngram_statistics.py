"""BLEU (Papineni et al. 2002) and chrF (Popović 2015) from sacreBLEU's counts, for many samples at once.

The counts of each segment are sacreBLEU's own; only the last step, from summed counts to scores, is computed
here, because sacreBLEU does it one sample at a time. Tests check that both agree.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
from sacrebleu.metrics import BLEU, CHRF

from lexalign.metrics.segment_statistics import (
    Combine,
    Numbers,
    SegmentStatistics,
    check_segments,
    percentage,
)

_MAX_ORDER = 4
_BETA = 2


def bleu_statistics(
    hypotheses: Sequence[str], references: Sequence[str], *, ignore_case: bool = False, tokenizer: str = "13a"
) -> SegmentStatistics:
    return _statistics("BLEU", _bleu(ignore_case, tokenizer), hypotheses, references, combine_bleu)


def chrf_statistics(
    hypotheses: Sequence[str], references: Sequence[str], *, ignore_case: bool = False
) -> SegmentStatistics:
    """The statistics of chrF2, as in `quality`."""
    return _statistics("chrF", _chrf(ignore_case), hypotheses, references, combine_chrf)


def combine_bleu(sums: Numbers) -> Numbers:
    """BLEU from rows of hypothesis and reference length, n-gram matches, and n-grams of the hypothesis."""
    length, reference_length = sums[:, 0], sums[:, 1]
    matches, totals = sums[:, 2 : 2 + _MAX_ORDER], sums[:, 2 + _MAX_ORDER :]
    # Smoothing "exp" (Chen and Cherry 2014): the k-th order without a match counts as 1 / 2^k of one.
    missed = np.cumsum((matches == 0) & (totals > 0), axis=1)
    smoothed = np.where(matches > 0, matches, 0.5**missed)
    log_precisions = np.log(smoothed / np.maximum(totals, 1))
    log_brevity_penalty = np.minimum(0.0, 1 - reference_length / np.maximum(length, 1))
    scores = 100 * np.exp(log_precisions.mean(axis=1) + log_brevity_penalty)
    return np.where((matches[:, 0] > 0) & (totals > 0).all(axis=1), scores, 0.0)


def combine_chrf(sums: Numbers) -> Numbers:
    """chrF from rows of n-grams of the hypothesis, of the reference, and of both, for 1 to 6 characters."""
    counts = sums.reshape(len(sums), -1, 3)
    hypothesis, reference, both = np.moveaxis(counts, 2, 0)  # (R, orders) each
    used = (hypothesis > 0) & (reference > 0)
    orders = np.maximum(used.sum(axis=1), 1)
    precision = np.where(used, both / np.maximum(hypothesis, 1), 0).sum(axis=1) / orders
    recall = np.where(used, both / np.maximum(reference, 1), 0).sum(axis=1) / orders
    denominator = _BETA**2 * precision + recall
    numerator = (1 + _BETA**2) * precision * recall
    return percentage(numerator, denominator)


def _statistics(
    name: str, metric: Any, hypotheses: Sequence[str], references: Sequence[str], combine: Combine
) -> SegmentStatistics:
    check_segments(hypotheses, references, "references")
    rows = [_counts(metric, *pair) for pair in zip(hypotheses, references, strict=True)]
    width = 2 + 2 * _MAX_ORDER if name == "BLEU" else 3 * metric.order
    signature = str(metric.get_signature()) if hypotheses else "nothing"
    numbers = np.array(rows, dtype=np.float64).reshape(-1, width)
    return SegmentStatistics(name=name, rows=numbers, combine=combine, signature=signature)


@cache
def _bleu(ignore_case: bool, tokenizer: str) -> BLEU:
    return BLEU(lowercase=ignore_case, tokenize=tokenizer, force=True)


@cache
def _chrf(ignore_case: bool) -> CHRF:
    return CHRF(lowercase=ignore_case)


# Counting is most of the work, and systems that are compared agree on much of a text.
@lru_cache(maxsize=2**16)
def _counts(metric: Any, hypothesis: str, reference: str) -> tuple[int, ...]:
    # The method that sacreBLEU's own significance tests take their counts from.
    return tuple(metric._extract_corpus_statistics([hypothesis], [[reference]])[0])
