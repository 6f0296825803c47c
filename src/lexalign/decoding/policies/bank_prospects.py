"""What may still become of hypotheses that are chosen by banks: what they have paid, and have yet to pay."""

from collections.abc import Sequence

import torch
from torch import Tensor

from lexalign.decoding.constraints.costs import ConstraintCosts
from lexalign.decoding.constraints.expected_costs import ExpectedCosts
from lexalign.decoding.policies.bank_records import Chosen
from lexalign.decoding.policy import SearchBatch
from lexalign.decoding.prospects import Prospects


class BankProspects:
    """Of sentences that want a `total` (B,) of tokens, and are granted a bonus (B,) at most."""

    def __init__(
        self,
        batch: SearchBatch,
        total: Tensor,
        asks: Tensor,
        most_bonus: Tensor | None,
        *,
        average_costs: bool,
    ) -> None:
        penalty = 0.0 if average_costs else batch.length_penalty
        self.costs = ConstraintCosts(batch.source.mask.sum(dim=1), batch.beam, penalty)
        self._expected: ExpectedCosts | None = None
        if not (batch.exact or average_costs):
            self._expected = ExpectedCosts(len(total), batch.length_penalty, total.device)
        self._average_costs, self._over_zero = average_costs, most_bonus is not None
        self._total, self._asks = total[:, None].clone(), asks
        self._most_bonus = (
            torch.zeros_like(self._total) if most_bonus is None else most_bonus[:, None].clone()
        )
        self._bias = torch.zeros_like(self.costs.so_far)
        self._settled = torch.zeros_like(self._bias)
        self._missing = self._total.repeat(1, batch.beam)

    @property
    def prospects(self) -> Prospects:
        if self._average_costs:
            # Who has paid for constraints becomes better by what follows.
            return Prospects(bias=self._bias, rising=self._asks, over_zero=self._over_zero)
        return Prospects(
            bias=self._bias, settled=self._settled, missing=self._missing, over_zero=self._over_zero
        )

    def take(self, chosen: Chosen, costs: Tensor, worth: Tensor, weights: Tensor | None) -> None:
        """The chosen (B, K) go on, at a cost, with so many tokens of constraints and these weights."""
        expected, before = self._expected, self.costs.so_far
        if expected is not None:
            paid = before[:, : chosen.ends.shape[1]]
            expected.see_ends(chosen.ended.scores, paid, chosen.ends, chosen.clock)
        self.costs.take(chosen.going.beam_index, costs)
        torch.sub(self._total, worth, out=self._missing).clamp_(min=0.0)
        paid = self.costs.so_far
        # No more than all bonuses comes to a log-probability.
        most = self._most_bonus if weights is None else self._most_bonus + weights
        if self._average_costs:
            self._bias.copy_(most.expand_as(self._bias))
            return
        torch.sub(most, paid, out=self._bias)
        if expected is not None:
            paid = expected.of(chosen.going.scores, paid, worth, self._missing, chosen.clock)
        self.costs.settle(paid, out=self._settled)

    def keep(self, sentence_index: Tensor) -> None:
        self.costs.keep(sentence_index)
        if self._expected is not None:
            self._expected.keep(sentence_index)
        self._total, self._asks, self._most_bonus, self._bias, self._settled, self._missing = (
            tensor[sentence_index] for tensor in self._tensors
        )

    def restart(self, other: "BankProspects") -> None:
        self.costs.restart(other.costs)
        if self._expected is not None and other._expected is not None:
            self._expected.restart(other._expected)
        for mine, new in zip(self._tensors, other._tensors, strict=True):
            mine.copy_(new)

    @property
    def _tensors(self) -> Sequence[Tensor]:
        return self._total, self._asks, self._most_bonus, self._bias, self._settled, self._missing
