"""Guided search: every constraint met, where its source would be translated anyway. Past the paper.

Align-VDBA asks how a constraint's token would be aligned if it came now. PostAln knows the token, so the
answer is much the same wherever it comes, and says little about where it should. And banks give most of a
small beam to whoever has met the most, wherever that was. Here instead:

1.  A token that serves a constraint is weighed by the probability that its source is due: the mass that the
    tokens which the model would generate now have on it, on average. Where it is surely due, it costs no more
    than five nats, however improbable the model finds it: that a user's word is not the model's own says
    nothing against the place. If a constraint has several forms, that is what the best one costs, and the
    others are made as much cheaper, so that the model still chooses among them. If it has no source, nothing
    but the model tells the place, and all that it says counts.
2.  A token that serves none is weighed by the probability that it comes from no constraint's source: what a
    constraint translates is not to be translated twice.
3.  For two fifths of the slots, hypotheses compete as if each met token of a constraint had been worth four
    nats: about what it costs to say what the model would not have said. So those that have paid can stand
    beside those that have yet to. For two fifths a token is worth what it cost, up to that: a term that the
    model will say anyway need not come early. A fifth of the slots stays with the banks, so that who is
    furthest with the constraints goes on. The final ranking knows nothing of this.

`Das Gesetz gilt` with `Gesetz -> statute`, weights at temperature 2, after "The":

    token      log p    natural next tokens: law, right, act    on Gesetz    weight    in the competition
    statute     -9.0                                                 0.95     +3.90    -9.0 + 3.9 + 4 = -1.1
    law         -0.7    (comes from it itself)                       0.98     -1.96    -0.7 - 2.0     = -2.7
    on          -3.5                                                 0.05     -0.03    -3.5 - 0.0     = -3.5
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from lexalign.decoding.banks import Competition
from lexalign.decoding.constraints.records import upload
from lexalign.decoding.constraints.requests import Request
from lexalign.decoding.policies.aligned import AlignedPolicy
from lexalign.decoding.policies.bank_records import Weigher
from lexalign.decoding.policies.banked import BankSelector
from lexalign.decoding.policies.constraint_sources import ConstraintSources
from lexalign.decoding.policy import SearchBatch, Step

# How many of a hypothesis's best tokens say what would come now.
NATURAL_TOKENS = 5
_LEAST_MASS = 1e-4
_NOT_DUE = math.log(_LEAST_MASS)
# A token whose source is due with a mass m costs no more nats than this, and twice the logarithm of 1 / m.
MOST_COST = 5.0
_NEVER = float("-inf")
_LEAST_LOG_PROBABILITY = -50.0  # what is forbidden stays so
# A token that surely comes from a constraint's source may still be wanted there, as an article is.
_MOST_EXCLUDED = 0.99


@dataclass(frozen=True, kw_only=True)
class Guided(AlignedPolicy):
    competition: Competition = field(default_factory=lambda: Competition(advantage=4.0, by_rank=0.8))

    def select(self, batch: SearchBatch, requests: Sequence[Request]) -> BankSelector:
        weigher = GuidedWeigher(self, batch, requests)
        return BankSelector(batch, requests, self.matching, weigher, competition=self.competition)


class GuidedWeigher:
    joint = True
    threshold: float | None = None

    def __init__(self, policy: Guided, batch: SearchBatch, requests: Sequence[Request]) -> None:
        self._policy = policy
        self._sources = ConstraintSources(policy.aligner, batch, requests)
        given = self._sources.given  # (B, 1, 1, G)
        several = np.zeros(given.shape, dtype=bool)
        for sentence, request in enumerate(requests):
            several[sentence, 0, 0, : len(request.must)] = [len(goal.forms) > 1 for goal in request.must]
        self._several = upload((several,), given.device)[0]
        self._least = torch.where(given, -MOST_COST, _NEVER)  # what a token is charged where it is surely due

    def weigh(self, step: Step, token_ids: Tensor, serves: Tensor) -> Tensor:
        natural, scores = step.scores.best(NATURAL_TOKENS)  # (B, K, N)
        # Hypotheses that can never win have no scores to compare.
        shares = torch.softmax(scores.clamp(min=torch.finfo(scores.dtype).min), dim=2)
        due = self._sources.average(step, natural, shares).clamp(_LEAST_MASS, 1.0).log()  # (B, K, 1, G)
        own = step.scores.alone(token_ids).clamp(min=_LEAST_LOG_PROBABILITY)[..., None]  # (B, K, C, 1)
        best = torch.where(serves, own, _NEVER).amax(dim=2, keepdim=True)
        form = torch.where(self._several, best, own)  # (B, K, C, G), the one that is made as cheap as that
        cheaper = torch.add(self._least, due, alpha=2) - form
        weights = torch.maximum(due / self._policy.temperature, cheaper)
        return torch.where(serves, weights, _NOT_DUE / self._policy.temperature).amax(dim=3)

    def weigh_free(self, step: Step, rows: Tensor, token_ids: Tensor) -> Tensor | None:
        mass = self._sources.of_any(step, rows, token_ids).clamp(0.0, _MOST_EXCLUDED)
        return torch.log1p(-mass) / self._policy.temperature

    def keep(self, sentence_index: Tensor) -> None:
        self._sources.keep(sentence_index)
        self._several, self._least = self._several[sentence_index], self._least[sentence_index]

    def restart(self, other: Weigher) -> None:
        assert isinstance(other, GuidedWeigher)
        self._sources.restart(other._sources)
        self._several.copy_(other._several)
        self._least.copy_(other._least)
