"""What constraints cost a hypothesis, kept apart from the length penalty.

A length penalty divides the log-probability by the length. The tokens of constraints are often improbable,
and then every token that is less so lifts the average: the more is said around a costly constraint, the
better it looks. A hypothesis of 10 tokens, and the same with 10 more of -1 each; the source has 10:

    tokens    free tokens    constraints    all averaged    free averaged + constraints / source
    10        -2             -20            -2.2            -0.2 - 2.0 = -2.2
    20        -12            -20            -1.6            -0.6 - 2.0 = -2.6

So what constraints cost is divided by the length of the source, which is the same for all hypotheses.

Nor is it divided by the length limit when a search asks what a hypothesis can still reach. One that has yet
to meet constraints is expected to pay for them no less than the cheapest one that has ended: this is no law,
but without it such hypotheses would keep most searches going up to the limit. An exact search expects
nothing.
"""

import torch
from torch import Tensor

_NONE = float("-inf")


class ConstraintCosts:
    """Of the hypotheses (B, K) of a beam: the log-probability of tokens that brought constraints nearer."""

    def __init__(
        self,
        source_lengths: Tensor,
        limits: Tensor,
        beam: int,
        length_penalty: float,
        *,
        exact: bool = False,
    ) -> None:
        self._penalty, self._exact = length_penalty, exact
        # In float64, where the last bit of a power may depend on the batch, and is lost when it is rounded.
        source, limit = source_lengths.double() ** length_penalty, limits.double() ** length_penalty
        self._source = source.float()  # (B,)
        # What a cost must be multiplied with for the penalty at the limit to leave it alone.
        self._at_limit = (limit / source - 1).float()[:, None]  # (B, 1)
        self._costs = self._source.new_zeros(len(limits), beam)
        self._cheapest = self._source.new_full((len(limits),), _NONE)  # that has ended
        self.extra_at_limit = torch.zeros_like(self._costs)

    def extra(self, clock: Tensor, rows: int) -> Tensor:
        """What a log-probability (B, K) lacks, if it ends now, for the penalty to leave the cost alone."""
        length = (clock + 1).float() ** self._penalty
        return self._costs[:, :rows] * (length / self._source - 1)[:, None]

    def take(self, ends: Tensor, rows: Tensor, costs: Tensor, met_all: Tensor) -> None:
        """Of the present hypotheses (B, K) some end, and some rows go on, at a cost (B, K) of their own."""
        ended = self._costs[:, : ends.shape[1]].masked_fill(~ends, _NONE)
        torch.maximum(self._cheapest, ended.amax(dim=1), out=self._cheapest)
        self._costs.copy_(self._costs.gather(1, rows) + costs)
        self.extra_at_limit.copy_(self._most_at_limit(met_all))

    def _most_at_limit(self, met_all: Tensor) -> Tensor:
        """The most that log-probabilities (B, K) may have in addition, at the length limit."""
        costs = self._costs
        if not self._exact:
            cheapest = self._cheapest.masked_fill(self._cheapest == _NONE, 0.0)[:, None]
            costs = torch.where(met_all, costs, torch.minimum(costs, cheapest))
        return costs * self._at_limit

    def keep(self, sentence_index: Tensor) -> None:
        self._source, self._at_limit = self._source[sentence_index], self._at_limit[sentence_index]
        self._costs, self._cheapest = self._costs[sentence_index], self._cheapest[sentence_index]
        self.extra_at_limit = self.extra_at_limit[sentence_index]

    def restart(self, other: "ConstraintCosts") -> None:
        self._source.copy_(other._source)
        self._at_limit.copy_(other._at_limit)
        self._costs.copy_(other._costs)
        self._cheapest.copy_(other._cheapest)
        self.extra_at_limit.copy_(other.extra_at_limit)
