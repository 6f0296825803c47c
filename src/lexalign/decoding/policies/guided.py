"""Guided search: every constraint met, where its source would be translated anyway. Past the paper.

Align-VDBA asks how a constraint's token would be aligned if it came now. PostAln knows the token, so the
answer is much the same wherever it comes, and says little about where it should. And banks give most of a
small beam to whoever has met the most, wherever that was. Here instead:

1.  A token that serves a constraint is scored by the probability that its source is due: the mass that the
    tokens which the model would generate now have on it, on average. Where it is surely due, it costs no more
    than five nats, however improbable the model finds it: that a user's word is not the model's own says
    nothing against the place. If a constraint has several forms, that is what the best one costs, and the
    others are made as much cheaper, so that the model still chooses among them. If it has no source, nothing
    but the model tells the place, and all that it says counts.
2.  A token that serves none is scored by the probability that it comes from no constraint's source: what a
    constraint translates is not to be translated twice.
3.  A constraint begins where a word does: if its first token begins a word, it still costs what it costs that
    a word begins here at all. One that is begun is not broken off, which would leave an unfinished word
    behind; the same token may have been generated freely as well.
4.  For two fifths of the slots, hypotheses compete as if each met token of a constraint counted as four
    nats: about what it costs to say what the model would not have said. So those that have paid can stand
    beside those that have yet to. For two fifths a token counts as what it cost, up to that: a term that the
    model will say anyway need not come early. A fifth of the slots stays with the banks, so that who is
    furthest with the constraints goes on. The final ranking knows nothing of this.
5.  Whoever ends with much of the source uncovered pays for it (`coverage.py`).

`Das Gesetz gilt` with `Gesetz -> statute`, temperature 2, after "The":

    token      log p    natural next tokens: law, right, act    on Gesetz    added     in the allocation
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

from lexalign.contracts.alignment import OnlineAligner
from lexalign.contracts.sentence_tensors import SentenceTensors, upload
from lexalign.decoding.candidates import Candidates
from lexalign.decoding.constraints.sentence_constraints import Matching, SentenceConstraints
from lexalign.decoding.policies.align_vdba import check_aligned_policy
from lexalign.decoding.policies.banks import bank_turns, positions
from lexalign.decoding.policies.coverage import Coverage
from lexalign.decoding.policies.source_alignment import ConstraintMass
from lexalign.decoding.policies.unconstrained import PlainSelector
from lexalign.decoding.policies.vdba import BankSelector
from lexalign.decoding.policy import AnySelector, SearchBatch, Step

# How many of a hypothesis's best tokens say what would come now.
NATURAL_TOKENS = 5
# A token whose source is due with a mass m costs no more nats than this, and twice the logarithm of 1 / m.
MOST_COST = 5.0
# Not all of a cost, lest those that have said nothing but terms be level, and rounding decide.
REFUNDED = 0.99
# What it costs to break off a constraint that is begun: an unfinished word would be left behind.
BREAKING = 20.0
_LEAST_MASS = 1e-4
_NOT_DUE = math.log(_LEAST_MASS)
_NEVER = float("-inf")
_LEAST_LOG_PROBABILITY = -50.0  # what is forbidden stays so
# A token that surely comes from a constraint's source may still be wanted there, as an article is.
_MOST_EXCLUDED = 0.99


@dataclass(frozen=True, kw_only=True)
class GuidedAllocation:
    """A share of the slots goes by rank, the rest by banks.

    Half of this share goes to those that are best if every met token of a constraint counts as so many nats
    of `advantage`, the other half to those that are best if it counts as what it cost, and no more than that.
    """

    advantage: float = 4.0
    by_rank: float = 0.8

    def choose(self, ranks: Tensor, banks: Tensor, costs: Tensor, slots: int) -> Tensor:
        by_rank = max(1, int(self.by_rank * slots))
        first = (by_rank + 1) // 2
        best = (ranks + self.advantage * banks).topk(first, dim=1).indices
        others = (ranks + self.rank_bonus(banks, costs)).scatter_(1, best, _NEVER)
        best = torch.cat([best, others.topk(by_rank - first, dim=1).indices], dim=1)
        # Each candidate's turn in the order of banks; the best by rank come before all others.
        turns, index = bank_turns(ranks, banks)
        turns = torch.empty_like(turns).scatter_(1, index, turns)
        turns.scatter_(1, best, positions(by_rank, ranks.device).expand_as(best) - by_rank)
        return turns.topk(slots, dim=1, largest=False, sorted=True).indices

    def rank_bonus(self, banks: Tensor, costs: Tensor) -> Tensor:
        """What met tokens have cost, where they count as that."""
        return torch.minimum(self.advantage * banks, -REFUNDED * costs)


@dataclass(frozen=True, kw_only=True)
class Guided:
    aligner: OnlineAligner
    matching: Matching = field(default_factory=Matching)
    temperature: float = 2.0
    allocation: GuidedAllocation = field(default_factory=GuidedAllocation)
    recordable: bool = True
    guarantees_constraints: bool = True

    def __post_init__(self) -> None:
        check_aligned_policy(self.aligner, self.temperature)

    @property
    def attention_layer(self) -> int:
        return self.aligner.layer

    def begin(self, batch: SearchBatch) -> AnySelector:
        constraints = batch.sort_constraints(self.matching)
        if not any(ours.constraints for ours in constraints):
            return PlainSelector(batch)
        scorer = GuidedScorer(self, batch, constraints)
        return BankSelector(batch, constraints, self.matching, scorer, allocation=self.allocation)


@dataclass(kw_only=True)
class GuidedState(SentenceTensors):
    mass: ConstraintMass
    several: Tensor  # (B, 1, 1, G), whether a constraint has several forms
    least: Tensor  # (B, 1, 1, G), what a token is charged where it is surely due
    coverage: Coverage


class GuidedScorer:
    joint = True
    threshold: float | None = None

    def __init__(
        self, policy: Guided, batch: SearchBatch, constraints: Sequence[SentenceConstraints]
    ) -> None:
        self._temperature = policy.temperature
        mass = ConstraintMass.start(policy.aligner, batch, constraints)
        has_source = mass.has_source  # (B, 1, 1, G)
        several = np.zeros(has_source.shape, dtype=bool)
        for sentence, ours in enumerate(constraints):
            several[sentence, 0, 0, : len(ours.must)] = [len(one.forms) > 1 for one in ours.must]
        words = policy.matching.continues_word
        self._continues_word = None if words is None else words.to(has_source.device)
        self.state = GuidedState(
            mass=mass,
            several=upload((several,), has_source.device)[0],
            least=torch.where(has_source, -MOST_COST, _NEVER),
            coverage=Coverage.start(batch, constraints),
        )

    def score(self, step: Step, token_ids: Tensor, serves: Tensor, begun: Tensor) -> Tensor:
        natural, scores = step.scores.best(NATURAL_TOKENS)  # (B, K, N)
        # Hypotheses that can never win have no scores to compare.
        shares = torch.softmax(scores.clamp(min=torch.finfo(scores.dtype).min), dim=2)
        due = self.state.mass.average(step, natural, shares).clamp(_LEAST_MASS, 1.0).log()  # (B, K, 1, G)
        own = step.scores.alone(token_ids).clamp(min=_LEAST_LOG_PROBABILITY)[..., None]  # (B, K, C, 1)
        best = torch.where(serves, own, _NEVER).amax(dim=2, keepdim=True)
        form = torch.where(self.state.several, best, own)  # (B, K, C, G), the one that is made so cheap
        cheaper = torch.add(self.state.least, due, alpha=2) - form
        if self._continues_word is not None:
            cheaper = cheaper + self._word_break(natural, shares, token_ids, begun)[..., None]
        added = torch.maximum(due / self._temperature, cheaper)
        return torch.where(serves, added, _NOT_DUE / self._temperature).amax(dim=3)

    def score_free(self, step: Step, rows: Tensor, token_ids: Tensor, begun: Tensor) -> Tensor:
        mass = self.state.mass.of_any(step, rows, token_ids).clamp(0.0, _MOST_EXCLUDED)
        added = torch.log1p(-mass) / self._temperature
        return torch.where(begun.gather(1, rows), added - BREAKING, added)

    def _word_break(self, natural: Tensor, shares: Tensor, token_ids: Tensor, begun: Tensor) -> Tensor:
        """For tokens (B, K, C) that begin a constraint with a new word, how probable a new word is here.

        What begins inside of a word is the end of a compound, which must be the model's own word: it is never
        made cheaper, or it would be put behind any beginning of a word.
        """
        assert self._continues_word is not None
        new_word = (shares * ~self._continues_word[natural]).sum(dim=2, dtype=torch.float64).float()
        begins = ~begun[:, :, None]
        inside = self._continues_word[token_ids]
        charged = torch.where(inside, _NEVER, new_word.clamp(_LEAST_MASS, 1.0).log()[:, :, None])
        return torch.where(begins, charged, 0.0)

    def score_end(self, rows: int) -> Tensor:
        return self.state.coverage.penalty(rows)

    def observe(self, step: Step, going: Candidates) -> Tensor:
        mass = self.state.mass
        return mass.aligner.align_pairs(mass.memory, step.output, going.beam_index, going.token_ids)

    def commit(self, going: Candidates, observed: Tensor | None) -> None:
        assert observed is not None
        self.state.coverage.commit(going, observed)
