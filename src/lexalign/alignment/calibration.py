"""Calibration of alignment probabilities: a temperature fitted on held-out labels (Guo et al. 2017).

P^(1/T), normalised again, keeps the order of the source tokens and so every link; only confidence changes.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, kw_only=True)
class Calibration:
    temperature: float
    error_before: float  # expected calibration error at temperature 1
    error_after: float
    rows: int  # target tokens with a label


def calibrate(log_probabilities: Tensor, labels: Tensor, *, bins: int = 15) -> Calibration:
    """Fit a temperature to distributions (N, S) and labels (N, S); rows without a label are left out.

    Padding is -inf or a very small number, and has no labels.
    """
    labeled = labels.sum(dim=-1) > 0
    rows = log_probabilities[labeled].double()
    shares = labels[labeled].double()
    shares = shares / shares.sum(dim=-1, keepdim=True)
    temperature = _fit(rows, shares) if len(rows) else 1.0
    before, after = (
        expected_calibration_error(torch.softmax(rows / value, dim=-1), shares, bins=bins)
        for value in (1.0, temperature)
    )
    return Calibration(
        temperature=temperature, error_before=before, error_after=after, rows=int(labeled.sum())
    )


def expected_calibration_error(probabilities: Tensor, shares: Tensor, *, bins: int = 15) -> float:
    """The expected calibration error (ECE) of the most probable links, over bins of equal width.

    `shares` (N, S), the labels, sum to 1 in each row; a link is correct to the degree of its share.
    """
    if not len(probabilities):
        return 0.0
    confidence, index = probabilities.max(dim=-1)
    correct = shares.gather(1, index[:, None])[:, 0]
    bin_index = (confidence * bins).long().clamp(max=bins - 1)
    gaps = torch.zeros(bins, dtype=torch.float64, device=bin_index.device).index_add_(
        0, bin_index, (confidence - correct).double()
    )
    return float(gaps.abs().sum() / len(probabilities))


def _fit(rows: Tensor, shares: Tensor, low: float = 0.05, high: float = 20.0) -> float:
    """The temperature of maximum likelihood, by golden-section search: the loss is unimodal in log T."""

    def loss(position: float) -> float:
        tempered = torch.log_softmax(rows / math.exp(position), dim=-1)
        return -float(torch.where(shares > 0, shares * tempered, 0.0).sum())

    left, right = math.log(low), math.log(high)
    inner = [right - _GOLDEN * (right - left), left + _GOLDEN * (right - left)]
    losses = [loss(position) for position in inner]
    while right - left > 1e-4:
        if losses[0] < losses[1]:
            right, inner[1], losses[1] = inner[1], inner[0], losses[0]
            inner[0] = right - _GOLDEN * (right - left)
            losses[0] = loss(inner[0])
        else:
            left, inner[0], losses[0] = inner[0], inner[1], losses[1]
            inner[1] = left + _GOLDEN * (right - left)
            losses[1] = loss(inner[1])
    return math.exp((left + right) / 2)
