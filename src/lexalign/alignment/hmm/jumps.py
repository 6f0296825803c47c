"""How far the source position jumps from one target word to the next (Vogel, Ney and Tillmann 1996).

    p(i | i', S) = w(i - i') / Σ w(k - i')        over the positions k of a source of S words

Position 0 is before the sentence: there every target begins, so positions of words count from 1. All
sentences share one matrix of weights; only the sums differ.
"""

import torch
from torch import Tensor


class Jumps:
    def __init__(self, longest: int, device: torch.device) -> None:
        self._longest = longest
        self.weights = torch.ones(2 * longest + 1, device=device)
        self._clear()

    def _clear(self) -> None:
        self._taken = torch.zeros_like(self.weights, dtype=torch.float64)
        self._offered = torch.zeros_like(self._taken)

    def matrix(self, num_positions: int) -> Tensor:
        """Weights (from, to), none of them to position 0."""
        found = self.weights[self._buckets(num_positions)]
        found[:, 0] = 0
        return found

    def add(self, taken: Tensor, offered: Tensor) -> None:
        """What was seen, both (from, to): jumps, and how often there was that choice, over its sum."""
        buckets = self._buckets(len(taken))[:, 1:].flatten()
        self._taken.index_add_(0, buckets, taken[:, 1:].flatten().double())
        self._offered.index_add_(0, buckets, offered[:, 1:].flatten().double())

    def learn(self) -> None:
        """A step that never lowers the likelihood, though the sums depend on all weights.

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
