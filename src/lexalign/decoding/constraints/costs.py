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

from collections.abc import Sequence

import torch
from torch import Tensor

_NONE = float("-inf")


class ConstraintCosts:
    """Of the hypotheses (B, K) of a beam: the log-probability of tokens that brought constraints nearer."""

    def __init__(
        self,
        source_lengths: Sequence[int],
        limits: Sequence[int],
        beam: int,
        length_penalty: float,
        device: torch.device,
        *,
        exact: bool = False,
    ) -> None:
        self._penalty, self._exact = length_penalty, exact
        self._source = torch.tensor([length**length_penalty for length in source_lengths], device=device)
        self._limit = torch.tensor([float(limit) ** length_penalty for limit in limits], device=device)
        self._costs = torch.zeros(len(limits), beam, device=device)
        self._cheapest = torch.full((len(limits),), _NONE, device=device)  # that has ended

    def follow(self, rows: Tensor, gains: Tensor, nearer: Tensor) -> Tensor:
        """Of candidates (B, C) whose last tokens have added `gains`."""
        return self._costs.gather(1, rows) + torch.where(nearer, gains, 0.0)

    def take(self, costs: Tensor) -> None:
        self._costs.copy_(costs)

    def extra(self, clock: Tensor, rows: int) -> Tensor:
        """What a log-probability (B, K) lacks, if it ends now, for the penalty to leave the cost alone."""
        length = (clock + 1).float() ** self._penalty
        return self._costs[:, :rows] * (length / self._source - 1)[:, None]

    def end(self, ends: Tensor) -> None:
        """Of hypotheses (B, K) as they were before they are taken, these end."""
        costs = self._costs[:, : ends.shape[1]].masked_fill(~ends, _NONE)
        self._cheapest.copy_(torch.maximum(self._cheapest, costs.amax(dim=1)))

    def extra_at_limit(self, met_all: Tensor) -> Tensor:
        """The most that log-probabilities (B, K) may have in addition, at the length limit."""
        costs = self._costs
        if not self._exact:
            cheapest = self._cheapest.masked_fill(self._cheapest == _NONE, 0.0)[:, None]
            costs = torch.where(met_all, costs, torch.minimum(costs, cheapest))
        return costs * (self._limit / self._source - 1)[:, None]

    def keep(self, sentence_index: Tensor) -> None:
        self._source, self._limit = self._source[sentence_index], self._limit[sentence_index]
        self._costs, self._cheapest = self._costs[sentence_index], self._cheapest[sentence_index]

    def restart(self, other: "ConstraintCosts") -> None:
        self._source.copy_(other._source)
        self._limit.copy_(other._limit)
        self._costs.copy_(other._costs)
        self._cheapest.copy_(other._cheapest)
