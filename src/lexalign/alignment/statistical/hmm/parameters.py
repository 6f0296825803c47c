"""The parameters of the HMM: how words are translated, and how far the source position jumps.

The probability of a word given the null word is its relative frequency, which is not trained: training it
made no difference worth the code.

Translation probabilities are trained by maximum likelihood. A Dirichlet prior (variational Bayes) helped a
little without agreement on a small development set, and did harm with it.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lexalign.alignment.statistical.hmm.bitext import Bitext, Side

_MIN_PROBABILITY = 1e-9  # of a word pair that co-occurs


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Forward is p(target | source), backward p(source | target), and `nulls` are p(word | null)."""

    forward: Tensor  # (W,)
    backward: Tensor  # (W,)
    target_nulls: Tensor  # (target vocabulary,)
    source_nulls: Tensor  # (source vocabulary,)


def uniform_lexicon(text: Bitext, num_parameters: int, device: torch.device) -> Lexicon:
    """The initial lexicon: uniform translation probabilities."""
    forward = torch.full((num_parameters,), 1 / text.target.vocabulary_size, device=device)
    backward = torch.full_like(forward, 1 / text.source.vocabulary_size)
    forward[0] = backward[0] = 0  # padding
    nulls = (_frequencies(side).to(device) for side in (text.target, text.source))
    return Lexicon(forward, backward, *nulls)


def normalized(counts: Tensor, conditions: Tensor, num_conditions: int) -> Tensor:
    """Counts (W,) divided by the total count of the word that each is conditioned on."""
    totals = torch.zeros(num_conditions, device=counts.device).index_add_(0, conditions, counts)
    found = (counts / totals.index_select(0, conditions)).nan_to_num_(0.0).clamp_min_(_MIN_PROBABILITY)
    found[0] = 0  # padding
    return found


def _frequencies(side: Side) -> Tensor:
    counts = np.bincount(side.ids, minlength=side.vocabulary_size)
    return torch.from_numpy((counts / max(1, counts.sum())).astype(np.float32))


class Jumps:
    """Jumps of the source position from one target word to the next (Vogel, Ney and Tillmann 1996).

        p(i | i', S) = w(i - i') / Σ w(k - i')        over the positions k of a source of S words

    Position 0 is before the sentence, where every target begins, so positions of words count from 1. All
    sentences share one matrix of weights; only the sums differ.
    """

    def __init__(self, longest: int, device: torch.device) -> None:
        self._longest = longest
        self.weights = torch.ones(2 * longest + 1, device=device)
        self._clear()

    def _clear(self) -> None:
        self._taken = torch.zeros_like(self.weights, dtype=torch.float64)
        self._offered = torch.zeros_like(self._taken)

    def matrix(self, num_positions: int) -> Tensor:
        """The weights (from, to); the weight of a jump to position 0 is zero."""
        found = self.weights[self._buckets(num_positions)]
        found[:, 0] = 0
        return found

    def add(self, taken: Tensor, offered: Tensor) -> None:
        """Add expected counts (from, to): of jumps taken, and of jumps offered over their normaliser."""
        buckets = self._buckets(len(taken))[:, 1:].flatten()
        self._taken.index_add_(0, buckets, taken[:, 1:].flatten().double())
        self._offered.index_add_(0, buckets, offered[:, 1:].flatten().double())

    def update(self) -> None:
        """An M-step that never lowers the likelihood, although the normalisers depend on all weights.

        -log of a sum is bounded from below by its tangent (Hunter 2004, for Bradley–Terry models), and the
        bound is highest where each weight is the jumps taken over those offered.
        """
        found = (self._taken / self._offered).nan_to_num(0.0).clamp_min(1e-9)
        self.weights = (found / found.sum()).to(self.weights.dtype)
        self._clear()

    def _buckets(self, num_positions: int) -> Tensor:
        positions = torch.arange(num_positions, device=self.weights.device)
        steps = positions[None, :] - positions[:, None]
        return steps.clamp(-self._longest, self._longest) + self._longest
