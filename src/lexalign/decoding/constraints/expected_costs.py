"""What hypotheses are expected to pay for the constraints that they have yet to meet.

If it were nothing, a search would go on long after its best hypothesis has ended: those that have not paid
look better. So they are expected to pay for each missing token no less than any hypothesis has paid so far
for each of its own, on average. This is no law. With 6 tokens in all, where the cheapest that has ended paid
-24, and the least that was paid is -2 for a token:

    hypothesis         tokens it lacks    has paid    is expected to pay in all
    on its way         2                  -5          -5 + 2 * -2 = -9
    past its end       2                  -5          -24
    has met all        0                  -30         -30

Where no place is found for a constraint, hypotheses that lack it pass the end of the translation and ramble
on. They are known by two signs: plain search would have stopped, as they are no better, token for token, than
one that could have ended, whatever it lacked; and they are longer than that one by a quarter. They are
expected to pay no less than the cheapest that has ended. It would not do to expect that of all: who ends
early has put all constraints first, at a price that says nothing.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.decoding.constraints.records import SentenceTensors

_NONE = float("-inf")
_PAST = 1.25  # so much longer than it could have been


@dataclass(kw_only=True)
class _Known(SentenceTensors):
    least: Tensor  # (B, 1), paid for a token of a constraint
    cheapest: Tensor  # (B, 1), all that was paid by a hypothesis that has ended
    end: Tensor  # (B, 1), the best average with an end of sentence, whatever was lacking
    end_length: Tensor  # (B, 1)


class ExpectedCosts:
    """Of the sentences of a batch."""

    def __init__(self, batch: int, length_penalty: float, device: torch.device) -> None:
        self._penalty = length_penalty
        none = torch.full((batch, 1), _NONE, device=device)
        self._known = _Known(
            least=none, cheapest=none.clone(), end=none.clone(), end_length=torch.zeros_like(none)
        )

    def see_ends(self, scores: Tensor, costs: Tensor, ends: Tensor, clock: Tensor) -> None:
        """Hypotheses (B, K) could end with these log-probabilities; some do, and have cost so much."""
        known = self._known
        ended = costs.masked_fill(~ends, _NONE).amax(dim=1, keepdim=True)
        torch.maximum(known.cheapest, ended, out=known.cheapest)
        length = (clock + 1).float()[:, None]
        best = (scores / length**self._penalty).amax(dim=1, keepdim=True)
        known.end_length.copy_(torch.where(best > known.end, length, known.end_length))
        torch.maximum(known.end, best, out=known.end)

    def of(self, scores: Tensor, costs: Tensor, worth: Tensor, missing: Tensor, clock: Tensor) -> Tensor:
        """What hypotheses (B, K) pay in all, a token longer than those that could end.

        They have paid `costs` for the tokens of constraints that they are `worth`, and miss others.
        """
        known = self._known
        paid = torch.where((scores > _NONE) & (worth > 0), costs / worth.clamp(min=1.0), _NONE)
        torch.maximum(known.least, paid.amax(dim=1, keepdim=True), out=known.least)
        expected = torch.addcmul(costs, missing, known.least.masked_fill(known.least == _NONE, 0.0))
        length = (clock + 2).float()[:, None]
        past = (length >= _PAST * known.end_length) & (scores / length**self._penalty <= known.end)
        past &= (missing > 0) & (known.cheapest > _NONE)
        return torch.where(past, torch.minimum(expected, known.cheapest), expected)

    def keep(self, sentence_index: Tensor) -> None:
        self._known.keep(sentence_index)

    def restart(self, other: "ExpectedCosts") -> None:
        self._known.copy_(other._known)
