"""What constraints cost a hypothesis, kept apart from the length penalty.

A length penalty divides the log-probability by the length. The tokens of constraints are often improbable,
and then every token that is less so lifts the average: the more is said around a costly constraint, the
better it looks. A hypothesis of 10 tokens, and the same with 10 more of -1 each; the source has 10:

    tokens    free tokens    constraints    all averaged    free averaged + constraints / source
    10        -2             -20            -2.2            -0.2 - 2.0 = -2.2
    20        -12            -20            -1.6            -0.6 - 2.0 = -2.6

So what constraints cost is divided by the length of the source, which is the same for all hypotheses.

Whoever has tokens of constraints yet to generate is expected to pay for each of them no less than any
hypothesis has paid so far for each of its own, on average: this is no law, but without it hypotheses that have
not paid would keep a search going long after the best has ended. An exact search expects nothing.
"""

import torch
from torch import Tensor

_NONE = float("-inf")


class ConstraintCosts:
    """Of the hypotheses (B, K) of a beam: the log-probability of tokens that brought constraints nearer."""

    def __init__(
        self, source_lengths: Tensor, beam: int, length_penalty: float, *, exact: bool = False
    ) -> None:
        self._penalty, self._exact = length_penalty, exact
        # In float64, where the last bit of a power may depend on the batch, and is lost when it is rounded.
        self._source = (source_lengths.double() ** length_penalty).float()[:, None]  # (B, 1)
        self.so_far = self._source.new_zeros(len(source_lengths), beam)
        self._least = torch.full_like(self._source, _NONE)  # of a token, in any hypothesis so far
        self.settled = torch.zeros_like(self.so_far)  # what they come to in the end, at the least

    def extra(self, clock: Tensor, rows: int) -> Tensor:
        """What a log-probability (B, K) lacks, if it ends now, for the penalty to leave the cost alone."""
        length = (clock + 1).float() ** self._penalty
        return self.so_far[:, :rows] * (length / self._source - 1)

    def take(self, rows: Tensor, costs: Tensor, worth: Tensor, missing: Tensor, alive: Tensor) -> None:
        """Rows (B, K) go on, at a cost of their own, with so many tokens of constraints and without others.

        Those that are not alive can never win.
        """
        self.so_far.copy_(self.so_far.gather(1, rows) + costs)
        costs = self.so_far
        if not self._exact:
            paid = torch.where(alive & (worth > 0), costs / worth.clamp(min=1.0), _NONE)
            torch.maximum(self._least, paid.amax(dim=1, keepdim=True), out=self._least)
            costs = torch.addcmul(costs, missing, self._least.masked_fill(self._least == _NONE, 0.0))
        torch.div(costs, self._source, out=self.settled)

    def keep(self, sentence_index: Tensor) -> None:
        self._source, self._least = self._source[sentence_index], self._least[sentence_index]
        self.so_far, self.settled = self.so_far[sentence_index], self.settled[sentence_index]

    def restart(self, other: "ConstraintCosts") -> None:
        self._source.copy_(other._source)
        self._least.copy_(other._least)
        self.so_far.copy_(other.so_far)
        self.settled.copy_(other.settled)
