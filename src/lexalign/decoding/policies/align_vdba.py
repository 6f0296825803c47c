"""Align-VDBA (Chatterjee, Sarawagi and Jyothi 2022, Algorithm 1).

VDBA puts a constraint wherever its tokens are probable. Here a token that serves a constraint is scored with
the probability that it is aligned to what the constraint translates:

    log p(token) + log(mass of the token's alignment on the constraint's source tokens) / temperature

and is not even tried where mass**(1/temperature) is under a threshold. `Gesetz -> law`, temperature 2:

    hypothesis       token    log p    mass    weight    score
    before the       law       -3.0    0.64     -0.22    -3.22
    of course, if    law       -7.0    0.01     -2.30    -9.30; with a threshold of 0.2 not tried

Line 2 of the algorithm lets the best tokens of the beam advance constraints too. Taken literally, they do so
without a weight, and a frequent word can begin a constraint in the wrong place. Jointly, a token serves a
constraint only with its weight, and may also be generated freely and serve none.

Past the paper: what a constraint translates is not to be translated twice. In the exclusive reading a token
that serves no constraint is weighed, too, by the probability that it comes from no constraint's source:

    hypothesis       token    log p    mass on Gesetz    weight    score
    before the       right     -0.5              0.96     -1.61    -2.11
    before the       same      -2.5              0.05     -0.03    -2.53

And a hypothesis that would end now, or has no more room than it needs, has no threshold, so that none is
kept from meeting its constraints. A constraint without a source has a mass of 1 everywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor

from lexalign.contracts.alignment import AlignmentMemory, OnlineAligner
from lexalign.contracts.errors import LexalignError
from lexalign.decoding.constraints.requests import Matching, Request
from lexalign.decoding.policies.banked import BankSelector, Weigher
from lexalign.decoding.policies.unconstrained import PlainSelector
from lexalign.decoding.policies.vdba import read_requests
from lexalign.decoding.policy import SearchBatch, Selector, Step

# A mass of 0 is taken for this one, whose logarithm is a number.
_LEAST_MASS = 1e-12
# A token that surely comes from a constraint's source may still be wanted there, as an article is.
_MOST_EXCLUDED = 0.99


@dataclass(frozen=True, kw_only=True)
class AlignVdba:
    """With a threshold of 0, Align-VDBA*."""

    aligner: OnlineAligner
    matching: Matching = field(default_factory=Matching)
    temperature: float = 2.0
    threshold: float = 0.1
    free_tokens: Literal["literal", "joint", "exclusive"] = "joint"
    average_costs: bool = False  # as in `Vdba`
    exact: bool = False
    recordable: bool = True
    passive: bool = False

    def __post_init__(self) -> None:
        if self.aligner.delay:
            raise LexalignError(
                "this aligner knows an alignment only one step later; Align-VDBA needs delay 0"
            )
        if self.temperature <= 0:
            raise LexalignError(f"temperature is {self.temperature}; it must be over 0")
        if not 0 <= self.threshold <= 1:
            raise LexalignError(f"threshold is {self.threshold}; it must be between 0 and 1")

    @property
    def watch(self) -> int:
        return self.aligner.layer

    def begin(self, batch: SearchBatch) -> Selector:
        requests = read_requests(batch, self.matching)
        if not any(request.constraints for request in requests):
            return PlainSelector(batch)
        weigher = AlignmentWeigher(self, batch, requests)
        return BankSelector(
            batch, requests, self.matching, weigher, average_costs=self.average_costs, exact=self.exact
        )


class AlignmentWeigher:
    """Weighs tokens by their alignment."""

    def __init__(self, policy: AlignVdba, batch: SearchBatch, requests: Sequence[Request]) -> None:
        self._policy = policy
        self._memory: AlignmentMemory = policy.aligner.remember(batch.source)
        self._spans = source_spans(requests, batch)  # (B, S, G)
        self._bits = 1 << torch.arange(self._spans.shape[2], device=self._spans.device)
        self._anywhere = ~self._spans.any(dim=1)  # (B, G), constraints without a source

    @property
    def joint(self) -> bool:
        return self._policy.free_tokens != "literal"

    def weigh(self, step: Step, token_ids: Tensor, served: Tensor, urgent: Tensor) -> tuple[Tensor, Tensor]:
        found = self._policy.aligner.align_candidates(self._memory, step.output, token_ids)  # (B, K, C, S)
        batch, rows, count, _ = found.shape
        mass = (found.reshape(batch, rows * count, -1).float() @ self._spans).view(batch, rows, count, -1)
        mass = torch.where(self._anywhere[:, None, None], 1.0, mass)  # (B, K, C, G)
        serves = (served[..., None] & self._bits) != 0
        best = torch.where(serves, mass, 0.0).amax(dim=3).clamp(_LEAST_MASS, 1.0)
        weights = best.log() / self._policy.temperature
        return weights, (weights.exp() >= self._policy.threshold) | urgent[:, :, None]

    def weigh_free(self, step: Step, rows: Tensor, token_ids: Tensor) -> Tensor | None:
        if self._policy.free_tokens != "exclusive":
            return None
        found = self._policy.aligner.align_pairs(self._memory, step.output, rows, token_ids)  # (B, C, S)
        taken = self._spans.amax(dim=2, keepdim=True)  # (B, S, 1), source tokens of any constraint
        mass = (found.float() @ taken)[:, :, 0]
        return torch.log1p(-mass.clamp(0.0, _MOST_EXCLUDED)) / self._policy.temperature

    def keep(self, sentence_index: Tensor) -> None:
        self._memory = self._memory.keep(sentence_index)
        self._spans, self._anywhere = self._spans[sentence_index], self._anywhere[sentence_index]

    def restart(self, other: Weigher) -> None:
        assert isinstance(other, AlignmentWeigher)
        self._spans.copy_(other._spans)
        self._anywhere.copy_(other._anywhere)
        self._memory.mask.copy_(other._memory.mask)
        if self._memory.keys is not None and other._memory.keys is not None:
            self._memory.keys.copy_(other._memory.keys)


def source_spans(requests: Sequence[Request], batch: SearchBatch) -> Tensor:
    """Which source tokens a constraint translates (B, S, G), as 0 or 1."""
    num_sentences, length = batch.source_ids.shape
    most = max(len(request.must) for request in requests)
    most = max(1, -(-most // 4) * 4 if batch.static else most)
    spans = torch.zeros(num_sentences, length, most)
    for b, request in enumerate(requests):
        for index, goal in enumerate(request.must):
            if goal.source and not all(0 <= place < length for place in goal.source):
                raise LexalignError(f"a constraint's source tokens {goal.source} are outside of the sentence")
            # Any of the occurrences that a repeated constraint asks for may come first.
            alike = [other for other in request.must if set(other.forms) == set(goal.forms)]
            places = {place for other in alike for place in other.source or ()}
            if goal.source:
                spans[b, sorted(places), index] = 1.0
    return spans.to(batch.source_ids.device)
