"""Guided search: every constraint met, where its source would be translated anyway. Past the paper.

Align-VDBA asks how a constraint's token would be aligned if it came now. PostAln knows the token, so the
answer is much the same wherever it comes, and says little about where it should. And what the model thinks of
a user's word says little about its place. So the model is asked for the place alone, and the word is the
user's. The tokens y that the model would generate now come from a constraint's source c with the probability

    due(c) = sum over y of p(y) a(c | y)

where a is the aligner's. To translate c now and by the user's word is then as probable as to translate it now
by any word, and a token that serves no constraint is as probable as it is and does not come from one:

    first token of a term      due(c)               the later ones      1
    any other token y          p(y) (1 - a(c | y))

This is a distribution again, that of a model with the user's words in place of its own. In practice:

1.  `due` is taken over the best few tokens, and only over those that begin a word if the term does; it counts
    by its power `SHARPNESS`, since alignments to words that a model does not know are spread. 1 - a counts by
    its power 1 / `temperature`: what stands around a term, as an article, is often aligned to its source too.
2.  Of several forms, or several ways to go on with them, each has its share of the model's probability among
    these, so that the model chooses. Where a form is met that might go on as a longer one, the model decides.
3.  A constraint that is begun is not broken off, nor is one that is met made part of a longer word: that
    leaves an unfinished word behind. The same token may have been generated freely as well. What begins
    inside of a word is the end of a compound, which must be the model's own: all that the model says counts.
4.  Where a vocabulary spells the beginning of a word apart from its letters, as before a digit, that says
    nothing of the word. So it is as probable as the model says, half of it for the term, and it is the second
    token that is as probable as that the source is due.
5.  If a constraint has no source, nothing but the model tells the place, and all that it says counts.
6.  Most slots of the beam go by rank, the rest by banks, so that who is furthest with the constraints goes
    on. If a constraint has no source, half of the former go by rank without what constraints cost.
7.  Whoever ends with much of the source uncovered pays for it (`coverage.py`).

`Das Gesetz gilt` with `Gesetz -> statute`, after "The", where the model would go on with law (0.6), right
(0.2) or a word of no interest (0.2), and statute itself has 0.0001:

    token      p         a(Gesetz | token)    rank by                          rank
    statute    0.0001                         1.5 log (0.6 * 0.98 + 0.2 * 0.95)   -0.38
    law        0.6       0.98                 log 0.6 + log(1 - 0.98) / 2         -2.47
    on         0.04      0.05                 log 0.04 + log(1 - 0.05) / 2        -3.24
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from lexalign.contracts.alignment import OnlineAligner
from lexalign.contracts.sentence_tensors import SentenceTensors
from lexalign.decoding.candidates import Candidates
from lexalign.decoding.constraints.phrase_tracker import members
from lexalign.decoding.constraints.sentence_constraints import Matching, SentenceConstraints
from lexalign.decoding.policies.align_vdba import check_aligned_policy
from lexalign.decoding.policies.banks import (
    BankPrepared,
    ConstraintScores,
    Listed,
    bank_turns,
    positions,
)
from lexalign.decoding.policies.coverage import CHARGE, FREE_SHARE, Coverage
from lexalign.decoding.policies.source_alignment import AlignedPairs, ConstraintMass
from lexalign.decoding.policies.unconstrained import PlainSelector
from lexalign.decoding.policies.vdba import BankSelector
from lexalign.decoding.policy import AnySelector, SearchBatch, Step
from lexalign.kernel_shapes import steady_log

# How many of a hypothesis's best tokens say what would come now.
NATURAL_TOKENS = 5
SHARPNESS = 1.5
# Not all of a cost, lest those that have said nothing but terms be level, and rounding decide.
REFUNDED = 0.99
# What it costs to break off a constraint that is begun: an unfinished word would be left behind.
BREAKING = 20.0
# Of a word's beginning without a letter half is the term's, and half is left to other words.
BOUNDARY_COST = 0.7
_LEAST_MASS = 1e-4
_NEVER = float("-inf")
_LEAST_LOG_PROBABILITY = -50.0  # what is forbidden stays so
# A token that surely comes from a constraint's source may still be wanted there, as an article is.
_MOST_EXCLUDED = 0.99


@dataclass(frozen=True, kw_only=True)
class GuidedAllocation:
    """A share of the slots goes by rank, the rest by banks.

    Where something may be refunded of what constraints have cost, half of this share goes by rank with it: at
    most so many nats of `advantage` for every met token.
    """

    advantage: float = 4.0
    by_rank: float = 0.8

    def choose(self, ranks: Tensor, banks: Tensor, costs: Tensor, slots: int) -> Tensor:
        by_rank = max(1, int(self.by_rank * slots))
        first = (by_rank + 1) // 2
        order = ranks.sort(dim=1, descending=True, stable=True).indices
        best = order[:, :first]
        others = (ranks + self.rank_bonus(banks, costs)).scatter_(1, best, _NEVER)
        others = others.sort(dim=1, descending=True, stable=True).indices[:, : by_rank - first]
        best = torch.cat([best, others], dim=1)
        # Each candidate's turn in the order of banks; the best by rank come before all others.
        turns, index = bank_turns(ranks, banks, order)
        turns = torch.empty_like(turns).scatter_(1, index, turns)
        turns.scatter_(1, best, positions(by_rank, ranks.device).expand_as(best) - by_rank)
        return turns.topk(slots, dim=1, largest=False, sorted=True).indices

    def rank_bonus(self, banks: Tensor, costs: Tensor) -> Tensor:
        return torch.minimum(self.advantage * banks, -REFUNDED * costs)

    def kernel_numbers(self, slots: int) -> Mapping[str, float]:
        by_rank = max(1, int(self.by_rank * slots))
        return {"by_rank": by_rank, "advantage": self.advantage, "refunded": REFUNDED}


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
    coverage: Coverage


class GuidedScorer:
    joint = True
    threshold: float | None = None
    num_best = NATURAL_TOKENS

    def __init__(
        self, policy: Guided, batch: SearchBatch, constraints: Sequence[SentenceConstraints]
    ) -> None:
        self._temperature = policy.temperature
        boundary_id = policy.matching.boundary_id
        self._boundary_id = -1 if boundary_id is None else boundary_id
        mass = ConstraintMass.start(policy.aligner, batch, constraints)
        words = policy.matching.continues_word
        self._continues_word = None if words is None else words.to(batch.source_ids.device)
        self.state = GuidedState(mass=mass, coverage=Coverage.start(batch, constraints))

    @property
    def kernel_numbers(self) -> Mapping[str, float]:
        return {
            "scorer": 2,
            "temperature": self._temperature,
            "sharpness": SHARPNESS,
            "breaking": BREAKING,
            "charge": CHARGE,
            "free_share": FREE_SHARE,
            "boundary_id": self._boundary_id,
            "boundary_cost": BOUNDARY_COST,
        }

    @property
    def kernel_tensors(self) -> Mapping[str, Tensor]:
        mass, coverage = self.state.mass, self.state.coverage
        return {"anywhere": mass.anywhere, "share": coverage.share, "mass": coverage.mass}

    def align(self, step: Step, prepared: BankPrepared, listed: Listed) -> AlignedPairs:  # noqa: ARG002
        """Of the best tokens of every hypothesis, and then of all that are free."""
        return self.state.mass.of_pairs(step, *listed.pairs)

    def score(self, prepared: BankPrepared, listed: Listed, aligned: AlignedPairs) -> ConstraintScores:
        num_natural = listed.best_tokens[0].numel()
        due = self._due(prepared, listed, aligned.mass[:, :num_natural])
        return ConstraintScores(
            serving=self._score_serving(prepared, listed.serving, due),
            free=self._score_free(prepared, listed.free, aligned.any_mass[:, num_natural:]),
            alignments=aligned.alignments[:, num_natural:],
        )

    def _score_serving(self, prepared: BankPrepared, serving: Tensor, due: Tensor) -> Tensor:
        """What is added (B, K, C) for tokens that serve constraints, of which some are `due`."""
        has_source = self.state.mass.has_source
        serves = members(prepared.served, has_source.shape[3])
        continues = members(prepared.continued, has_source.shape[3])
        begun = prepared.begun[:, :, None, None]
        own = serving.clamp(min=_LEAST_LOG_PROBABILITY)[..., None]  # (B, K, C, 1)
        place = SHARPNESS * due
        first = place + _share(own, serves & ~continues)
        if self._continues_word is not None:
            first = torch.where(self._continues_word[prepared.tokens][..., None], own, first)
        is_boundary = (prepared.tokens == self._boundary_id)[..., None]
        first = torch.where(is_boundary, own - BOUNDARY_COST, first)
        first = torch.where(begun, first - BREAKING, first)
        share = _share(own, continues)
        later = torch.where(prepared.at_boundary[:, :, None, None], place + share, share)
        later = torch.where(begun, later, own)
        ours = torch.where(continues, later, first)  # (B, K, C, G)
        ours = torch.where(has_source, ours, own)
        best = torch.where(serves, ours, _NEVER).amax(dim=3)
        return torch.where(prepared.served != 0, best - own[..., 0], 0.0)

    def _score_free(self, prepared: BankPrepared, free: Candidates, mass: Tensor) -> Tensor:
        """What is added (B, F) for tokens that serve none, and have a mass (B, F) on some constraint."""
        rows, token_ids = free.beam_index, free.token_ids
        added = steady_log(1.0 - mass.clamp(0.0, _MOST_EXCLUDED)) / self._temperature
        broken = prepared.begun.gather(1, rows)
        if self._continues_word is not None:
            broken = broken | prepared.just_met.gather(1, rows) & self._continues_word[token_ids]
        return torch.where(broken, added - BREAKING, added)

    def _due(self, prepared: BankPrepared, listed: Listed, mass: Tensor) -> Tensor:
        """The logarithm of the probability (B, K, 1, G) that constraints' sources are due with a new word.

        Of the best tokens, the mass is (B, K * N, G).
        """
        shares = listed.shares
        if self._continues_word is not None:
            in_word = self._continues_word[listed.best_tokens] & ~prepared.at_boundary[:, :, None]
            shares = shares * ~in_word
        mass = mass.view(*shares.shape, -1) * shares[..., None]
        # In float64, in which the order does not matter that a kernel takes for the number of constraints.
        due = mass.sum(dim=2, keepdim=True, dtype=torch.float64).float()
        return steady_log(due.clamp(_LEAST_MASS, 1.0))

    def score_end(self, rows: int) -> Tensor:
        return self.state.coverage.penalty(rows)

    def commit(self, going: Candidates, index: Tensor, scored: ConstraintScores) -> None:
        assert scored.alignments is not None
        self.state.coverage.commit(going, index, scored.alignments)


def _share(own: Tensor, among: Tensor) -> Tensor:
    """The share (B, K, C, G) of tokens in the probability of those `among` which they are."""
    # At most a few tokens, and a sum of which the order does not matter in float64.
    total = torch.where(among, own, _LEAST_LOG_PROBABILITY).double().exp().sum(dim=2, keepdim=True)
    return own - total.log().float()
