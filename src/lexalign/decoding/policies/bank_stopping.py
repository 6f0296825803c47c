"""When a search by banks stops: what constraints have cost its hypotheses, and are still to cost them."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from lexalign.contracts.sentence_tensors import SHARED, SentenceTensors
from lexalign.decoding.candidates import Candidates
from lexalign.decoding.policy import SearchBatch
from lexalign.decoding.stopping import StoppingBound
from lexalign.kernel_shapes import steady_power

_NONE = float("-inf")
_PAST = 1.25  # so much longer than it could have been


@dataclass(kw_only=True)
class ConstraintCosts(SentenceTensors):
    """The log-probability of the tokens that brought constraints nearer, kept apart from the length penalty.

    A length penalty divides the log-probability by the length. The tokens of constraints are often
    improbable, and then every token that is less so lifts the average: the more is said around a costly
    constraint, the better it looks. So what constraints cost is divided by the length of the source, which
    is the same for all hypotheses. What is left is averaged over the tokens that are left, the end of the
    sentence among them. If it were averaged over all tokens, those of constraints would come for nothing, and
    the best translation would be the constraints alone. A sentence of 10 words and 3 terms of 2 tokens each,
    which cost 20 in all; the whole sentence has 12 tokens beside them, the end of the sentence included:

        hypothesis      tokens    free        all averaged    free over all     free over free
        whole           18        12, -9      -1.61           -0.50 - 2.0       -0.75 - 2.0
        rambling        28        22, -20     -1.43           -0.71 - 2.0       -0.91 - 2.0
        terms alone     7         1, -3       -3.29           -0.43 - 2.0       -3.00 - 2.0

    Averaging all rewards rambling, averaging what is free over all tokens rewards silence.
    """

    length_penalty: float = field(metadata=SHARED)
    source_norm: Tensor  # (B, 1), source length**penalty
    so_far: Tensor  # (B, K)
    num_tokens: Tensor  # (B, K), the tokens that brought constraints nearer

    @classmethod
    def start(cls, source_lengths: Tensor, beam: int, length_penalty: float) -> "ConstraintCosts":
        norm = steady_power(source_lengths, length_penalty)[:, None]
        so_far = norm.new_zeros(len(source_lengths), beam)
        return cls(length_penalty=length_penalty, source_norm=norm, so_far=so_far, num_tokens=so_far.clone())

    def end_bias(
        self, scores: Tensor, bias: Tensor | None, clock: Tensor, constant: Tensor | None = None
    ) -> Tensor:
        """What log-probabilities (B, K) that end now lack, for the penalty to average free tokens alone.

        A `constant` (B, K) comes to the final score.
        """
        rows = scores.shape[1]
        costs, length = self.so_far[:, :rows], (clock + 1).float()
        # In float64, of which the last bits are lost when it is rounded.
        ratio = length.double() / (length - self.num_tokens[:, :rows]).double()
        lift = (ratio**self.length_penalty - 1).float()
        free = (scores if bias is None else scores + bias) - costs
        norm = steady_power(length, self.length_penalty)
        missing = costs * (norm / self.source_norm - 1)
        missing = missing + torch.where(lift > 0, free * lift, 0.0)
        if constant is not None:
            missing = missing + constant * norm
        return missing if bias is None else missing + bias

    def commit(self, rows: Tensor, costs: Tensor, num_tokens: Tensor) -> None:
        """Rows (B, K) go on, at a cost of their own for so many tokens."""
        self.so_far.copy_(self.so_far.gather(1, rows) + costs)
        self.num_tokens.copy_(self.num_tokens.gather(1, rows) + num_tokens)


@dataclass(kw_only=True)
class ExpectedCosts(SentenceTensors):
    """What hypotheses are expected to pay for the constraints that they have yet to meet.

    If it were nothing, a search would go on long after its best hypothesis has ended: those that have not
    paid look better. So they are expected to pay for each missing token no less than any hypothesis has paid
    so far for each of its own, on average. This is no law. With 6 tokens in all, where the cheapest that has
    ended paid -24, and the least that was paid is -2 for a token:

        hypothesis         tokens it lacks    has paid    is expected to pay in all
        on its way         2                  -5          -5 + 2 * -2 = -9
        past its end       2                  -5          -24
        has met all        0                  -30         -30

    Where no place is found for a constraint, hypotheses that lack it pass the end of the translation and
    ramble on. They are known by two signs: plain search would have stopped, as they are no better, token for
    token, than one that could have ended, whatever it lacked; and they are longer than that one by a quarter.
    They are expected to pay no less than the cheapest that has ended. It would not do to expect that of all:
    who ends early has put all constraints first, at a cost that says nothing.
    """

    length_penalty: float = field(metadata=SHARED)
    least: Tensor  # (B, 1), paid for a token of a constraint
    cheapest: Tensor  # (B, 1), all that was paid by a hypothesis that has ended
    end: Tensor  # (B, 1), the best average with an end of sentence, whatever was lacking
    end_length: Tensor  # (B, 1)

    @classmethod
    def start(cls, batch: int, length_penalty: float, device: torch.device) -> "ExpectedCosts":
        none = torch.full((batch, 1), _NONE, device=device)
        return cls(
            length_penalty=length_penalty,
            least=none,
            cheapest=none.clone(),
            end=none.clone(),
            end_length=torch.zeros_like(none),
        )

    def see_ends(self, scores: Tensor, costs: Tensor, ends: Tensor, clock: Tensor) -> None:
        """Hypotheses (B, K) could end with these log-probabilities; some do, and have cost so much."""
        ended = costs.masked_fill(~ends, _NONE).amax(dim=1, keepdim=True)
        torch.maximum(self.cheapest, ended, out=self.cheapest)
        length = (clock + 1).float()[:, None]
        best = (scores / steady_power(length, self.length_penalty)).amax(dim=1, keepdim=True)
        self.end_length.copy_(torch.where(best > self.end, length, self.end_length))
        torch.maximum(self.end, best, out=self.end)

    def of(
        self, scores: Tensor, costs: Tensor, num_met: Tensor, num_missing: Tensor, clock: Tensor
    ) -> Tensor:
        """What hypotheses (B, K) pay in all, a token longer than those that could end.

        They have paid `costs` for the constraint tokens that they have met, and miss others.
        """
        paid = torch.where((scores > _NONE) & (num_met > 0), costs / num_met.clamp(min=1.0), _NONE)
        torch.maximum(self.least, paid.amax(dim=1, keepdim=True), out=self.least)
        expected = costs + num_missing * self.least.masked_fill(self.least == _NONE, 0.0)
        length = (clock + 2).float()[:, None]
        norm = steady_power(length, self.length_penalty)
        past = (length >= _PAST * self.end_length) & (scores / norm <= self.end)
        past &= (num_missing > 0) & (self.cheapest > _NONE)
        return torch.where(past, torch.minimum(expected, self.cheapest), expected)


@dataclass(kw_only=True)
class BankStopping(SentenceTensors):
    """What bounds hypotheses that are chosen by banks: what they have paid, and have yet to pay.

    With `average_costs` the length penalty divides what constraints cost like everything else.
    """

    costs: ConstraintCosts
    expected: ExpectedCosts | None
    total: Tensor  # (B, 1), the tokens of all constraints
    asks: Tensor  # (B,), whether a sentence asks for anything
    most_bonus: Tensor  # (B, 1), of all preferred constraints together
    bias: Tensor  # (B, K), as the next one a part of the bound
    constant: Tensor
    average_costs: bool = field(metadata=SHARED)
    over_zero: bool = field(metadata=SHARED)

    @classmethod
    def start(
        cls,
        batch: SearchBatch,
        total: Tensor,
        asks: Tensor,
        most_bonus: Tensor | None,
        *,
        average_costs: bool,
    ) -> "BankStopping":
        """Sentences want a `total` (B,) of tokens, and are granted a bonus (B,) at most."""
        penalty = 0.0 if average_costs else batch.length_penalty
        costs = ConstraintCosts.start(batch.source.mask.sum(dim=1), batch.beam, penalty)
        expected = None
        if not (batch.exact or average_costs):
            expected = ExpectedCosts.start(len(total), batch.length_penalty, total.device)
        total = total[:, None].clone()
        return cls(
            costs=costs,
            expected=expected,
            total=total,
            asks=asks,
            most_bonus=torch.zeros_like(total) if most_bonus is None else most_bonus[:, None].clone(),
            bias=torch.zeros_like(costs.so_far),
            constant=torch.zeros_like(costs.so_far),
            average_costs=average_costs,
            over_zero=most_bonus is not None,
        )

    @property
    def bound(self) -> StoppingBound:
        if self.average_costs:
            # Who has paid for constraints becomes better by what follows.
            return StoppingBound(bias=self.bias, rising=self.asks, over_zero=self.over_zero)
        return StoppingBound(
            bias=self.bias,
            constant=self.constant,
            num_settled=self.costs.num_tokens,
            over_zero=self.over_zero,
        )

    def see_ends(self, ended: Candidates, ends: Tensor, clock: Tensor) -> None:
        """Hypotheses could end so, before any goes on; those in `ends` (B, K) do."""
        if self.expected is not None:
            self.expected.see_ends(ended.scores, self.costs.so_far[:, : ends.shape[1]], ends, clock)

    def commit(
        self,
        going: Candidates,
        costs: Tensor,
        num_tokens: Tensor,
        num_met: Tensor,
        scorer_bias: Tensor | None,
        clock: Tensor,
    ) -> None:
        """Hypotheses (B, K) go on, at a cost, with so many tokens of constraints and this bias."""
        self.costs.commit(going.beam_index, costs, num_tokens)
        paid = self.costs.so_far
        # No more than all bonuses comes to a log-probability.
        most = self.most_bonus if scorer_bias is None else self.most_bonus + scorer_bias
        if self.average_costs:
            self.bias.copy_(most.expand_as(self.bias))
            return
        torch.sub(most, paid, out=self.bias)
        if self.expected is not None:
            num_missing = (self.total - num_met).clamp(min=0.0)
            paid = self.expected.of(going.scores, paid, num_met, num_missing, clock)
        torch.div(paid, self.costs.source_norm, out=self.constant)
