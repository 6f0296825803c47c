"""What constraints cost a hypothesis, kept apart from the length penalty.

A length penalty divides the log-probability by the length. The tokens of constraints are often improbable,
and then every token that is less so lifts the average: the more is said around a costly constraint, the
better it looks. A hypothesis of 10 tokens, and the same with 10 more of -1 each; the source has 10:

    tokens    free tokens    constraints    all averaged    free averaged + constraints / source
    10        -2             -20            -2.2            -0.2 - 2.0 = -2.2
    20        -12            -20            -1.6            -0.6 - 2.0 = -2.6

So what constraints cost is divided by the length of the source, which is the same for all hypotheses.
"""

import torch
from torch import Tensor


class ConstraintCosts:
    """Of the hypotheses (B, K) of a beam: the log-probability of tokens that brought constraints nearer."""

    def __init__(self, source_lengths: Tensor, beam: int, length_penalty: float) -> None:
        self._penalty = length_penalty
        # In float64, where the last bit of a power may depend on the batch, and is lost when it is rounded.
        self._source = (source_lengths.double() ** length_penalty).float()[:, None]  # (B, 1)
        self.so_far = self._source.new_zeros(len(source_lengths), beam)

    def extra(self, clock: Tensor, rows: int) -> Tensor:
        """What a log-probability (B, K) lacks, if it ends now, for the penalty to leave the cost alone."""
        length = (clock + 1).float() ** self._penalty
        return self.so_far[:, :rows] * (length / self._source - 1)

    def settle(self, costs: Tensor, out: Tensor) -> None:
        """What costs (B, K) are in a final score."""
        torch.div(costs, self._source, out=out)

    def take(self, rows: Tensor, costs: Tensor) -> None:
        """Rows (B, K) go on, at a cost of their own."""
        self.so_far.copy_(self.so_far.gather(1, rows) + costs)

    def keep(self, sentence_index: Tensor) -> None:
        self._source, self.so_far = self._source[sentence_index], self.so_far[sentence_index]

    def restart(self, other: "ConstraintCosts") -> None:
        self._source.copy_(other._source)
        self.so_far.copy_(other.so_far)
