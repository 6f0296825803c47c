"""How probably a word is translated by another, in both directions, and what comes from nothing.

With a prior a these are the means of variational Bayes: exp(ψ(c + a)) / exp(ψ(Σ (c + a))) in place of c / Σ c.
Small counts lose most, so a rare source word is not given all that its sentence leaves unexplained.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.alignment.hmm.cells import Cells

_LEAST = 1e-9  # no translation that was seen is impossible


@dataclass(eq=False)
class Lexicon:
    """Forward is p(target | source), backward p(source | target); `nulls` are p(word | nothing)."""

    forward: Tensor  # (P,)
    backward: Tensor  # (P,)
    target_nulls: Tensor  # (target vocabulary,)
    source_nulls: Tensor  # (source vocabulary,)


class LexicalCounts:
    """Expected numbers of translations, from which a lexicon is made."""

    def __init__(self, cells: Cells, num_sources: int, num_targets: int, device: torch.device) -> None:
        self.forward = torch.zeros(len(cells.sources), device=device)
        self.backward = torch.zeros_like(self.forward)
        self.target_nulls = torch.zeros(num_targets, device=device)
        self.source_nulls = torch.zeros(num_sources, device=device)

    def lexicon(self, sources: Tensor, targets: Tensor, prior: float) -> Lexicon:
        """`sources` and `targets` (P,) are the words of each parameter."""
        return Lexicon(
            forward=_normalized(self.forward, sources, len(self.source_nulls), prior),
            backward=_normalized(self.backward, targets, len(self.target_nulls), prior),
            target_nulls=_from_nothing(self.target_nulls, prior),
            source_nulls=_from_nothing(self.source_nulls, prior),
        )


def uniform_lexicon(cells: Cells, num_sources: int, num_targets: int, device: torch.device) -> Lexicon:
    forward = torch.full((len(cells.sources),), 1 / num_targets, device=device)
    backward = torch.full_like(forward, 1 / num_sources)
    forward[0] = backward[0] = 0  # padding
    return Lexicon(
        forward,
        backward,
        torch.full((num_targets,), 1 / num_targets, device=device),
        torch.full((num_sources,), 1 / num_sources, device=device),
    )


def _normalized(counts: Tensor, givens: Tensor, num_givens: int, prior: float) -> Tensor:
    """Counts (P,) divided by their sums over all that share a given word."""
    smoothed = counts + prior
    totals = torch.zeros(num_givens, device=counts.device).index_add_(0, givens, smoothed)
    found = _mean(smoothed, prior) / _mean(totals, prior).index_select(0, givens)
    found = found.nan_to_num_(0.0).clamp_min_(_LEAST)
    found[0] = 0
    return found


def _from_nothing(counts: Tensor, prior: float) -> Tensor:
    smoothed = counts + prior
    return (_mean(smoothed, prior) / _mean(smoothed.sum(), prior)).nan_to_num_(0.0).clamp_min_(_LEAST)


def _mean(counts: Tensor, prior: float) -> Tensor:
    return counts.digamma().exp() if prior else counts
