"""Which candidates get the slots of a beam: the best of every bank, then the second of every bank, ...

    slots 4    bank 2: -9    bank 1: -5 -6    bank 0: -1 -2 -3    chosen: -9 -5 -1 -6

The fullest bank comes first, so however few the slots are, whoever is furthest with the constraints goes on;
what a bank cannot fill goes to the others. With a single bank these are the best candidates.

Here are also the values that pass through a step of a search by banks (`vdba.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import torch
from torch import Tensor

from lexalign.contracts.sentence_tensors import SentenceTensors
from lexalign.decoding.candidates import Candidates, row_numbers
from lexalign.decoding.constraints.tracker import CandidateState, ConstraintTracker
from lexalign.decoding.policies.bank_stopping import BankStopping
from lexalign.decoding.policies.source_alignment import AlignedPairs
from lexalign.decoding.policy import Step

_NEVER = float("-inf")


class BeamAllocation(Protocol):
    """How candidates compete for the slots of a beam; a bank is a number of constraint tokens."""

    def choose(self, ranks: Tensor, banks: Tensor, costs: Tensor, slots: int) -> Tensor:
        """Indexes (B, slots) of the chosen among candidates (B, C).

        What constraints have cost is there where nothing but the model tells the place of one; else it is 0.
        """

    def rank_bonus(self, banks: Tensor, costs: Tensor) -> Tensor:
        """What hypotheses (B, K) have beyond their ranks when the best continuations are listed."""

    def kernel_numbers(self, slots: int) -> Mapping[str, float]:
        """What native code has to know of it (`bank_kernels.py`)."""


class ConstraintScorer(Protocol):
    """Says how well tokens fit the constraints that they serve, beyond the model's probability."""

    @property
    def state(self) -> SentenceTensors: ...

    @property
    def kernel_numbers(self) -> Mapping[str, float]:
        """What native code has to know of it (`bank_kernels.py`)."""

    @property
    def kernel_tensors(self) -> Mapping[str, Tensor]:
        """And of its state."""

    @property
    def joint(self) -> bool:
        """Whether a token serves a constraint only with its score."""

    @property
    def threshold(self) -> float | None:
        """The score under which a token is not tried, unless it is urgent; None: all are."""

    @property
    def num_best(self) -> int:
        """How many of the best tokens of each hypothesis it has to know."""

    def align(self, step: Step, prepared: "BankPrepared", listed: "Listed") -> AlignedPairs:
        """Where tokens come from: all that it has to know, in one question to its aligner."""

    def score(self, prepared: "BankPrepared", listed: "Listed", aligned: AlignedPairs) -> "ConstraintScores":
        """What is added for tokens."""

    def score_end(self, rows: int) -> Tensor | None:
        """What is added to the final scores of hypotheses (B, K) if they end now; None: nothing."""

    def commit(self, going: Candidates, index: Tensor, scored: "ConstraintScores") -> None:
        """The candidates that an index (B, K) names are now the present hypotheses."""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """The continuations of a step that are considered."""

    best_tokens: Tensor  # (B, K, N), of each hypothesis
    best_scores: Tensor  # (B, K, N)
    free: Candidates  # (B, F)
    serving: Tensor  # (B, K, C), log p(token | hypothesis) of the tokens that serve constraints
    known_shares: Tensor | None = None  # by kernels, as the pairs
    known_pairs: tuple[Tensor, Tensor] | None = None

    @property
    def pairs(self) -> tuple[Tensor, Tensor]:
        """Hypotheses and tokens (B, K * N + F): the best of each hypothesis, and all that are free."""
        if self.known_pairs is not None:
            return self.known_pairs
        rows = row_numbers(*self.best_tokens.shape[1:], self.best_tokens.device)
        rows = torch.cat([rows.expand(len(self.best_tokens), -1), self.free.beam_index], dim=1)
        return rows, torch.cat([self.best_tokens.flatten(1), self.free.token_ids], dim=1)

    @property
    def shares(self) -> Tensor:
        """The probabilities (B, K, N) of the best tokens among each other."""
        if self.known_shares is not None:
            return self.known_shares
        # Hypotheses that can never win have no scores to compare.
        least = torch.finfo(self.best_scores.dtype).min
        return torch.softmax(self.best_scores.clamp(min=least), dim=2)


@dataclass(frozen=True, kw_only=True)
class ConstraintScores:
    """What a scorer adds to the model's log-probabilities."""

    serving: Tensor  # (B, K, C), for the tokens that serve constraints
    free: Tensor | None = None  # (B, F), for tokens that serve none; None: nothing
    alignments: Tensor | None = None  # (B, F, S), of the latter, if the scorer has asked


@dataclass(kw_only=True)
class BankState(SentenceTensors):
    """All that is known of a batch's hypotheses."""

    tracker: ConstraintTracker
    stopping: BankStopping
    scorer: SentenceTensors | None
    limits: Tensor  # (B,)
    total: Tensor  # (B,), the constraint tokens that must be there
    requires: Tensor  # (B,), whether there are any
    full_priority: Tensor  # (B,), the `finish_priority` of those that meet everything
    without_source: Tensor  # (B, 1), whether nothing but the model tells the place of some constraint
    boundary_node: (
        Tensor  # (B,), of the automaton: a word's beginning alone is there of constraints; -1 for none
    )
    scorer_bias: Tensor | None  # (B, K), what the scorer has added so far
    bias: Tensor | None  # (B, K), what ranks have beyond log-probabilities: that, and bonuses
    rank_bonus: Tensor | None  # (B, K), what the allocation adds when continuations are listed

    @property
    def rank_bias(self) -> Tensor | None:
        if self.rank_bonus is None:
            return self.bias
        return self.rank_bonus if self.bias is None else self.bias + self.rank_bonus


@dataclass(frozen=True, kw_only=True)
class BankPrepared:
    """What is known of the present hypotheses (B, K) without their scores."""

    unfinished: Tensor  # (B, K), whether something is not met
    num_met_tokens: Tensor  # (B, K)
    may_not_end: Tensor  # (B, K)
    finish_priority: Tensor  # (B, K), the higher the more is met if they end now
    just_met: Tensor  # (B, K), whether a constraint is met here, unless its last word goes on
    tokens: Tensor  # (B, K, C), to meet constraints with; an end of sentence where there are fewer
    served: Tensor  # (B, K, C), masks of the constraints that they serve
    continued: Tensor  # (B, K, C), masks of those among them of which more is there already
    preferred_tokens: Tensor | None  # (B, K, C), tokens for preferred constraints, likewise
    num_needed: Tensor  # (B, 1), the tokens that must be there after this step for all to be met in time
    begun: Tensor  # (B, K), whether a constraint is begun that is not met yet
    at_boundary: Tensor  # (B, K), whether nothing but the beginning of its first word is there
    urgent: Tensor | None  # (B, K), whether a scorer must let all tokens pass


@dataclass(frozen=True, kw_only=True)
class BankUpdate:
    """The candidates (B, C) of a step, and which of them (B, K) go on."""

    index: Tensor
    state: CandidateState
    scorer_bias: Tensor | None
    constraint_logprob: Tensor  # (B, C), of tokens that bring constraints nearer
    nearer: Tensor  # (B, C), 1 for such tokens
    clock: Tensor  # (1,)
    scored: ConstraintScores | None


def allocate(ranks: Tensor, banks: Tensor, slots: int) -> Tensor:
    """Indexes (B, slots) of the chosen among candidates (B, C); those of rank -inf come last."""
    turns, index = bank_turns(ranks, banks)
    return index.gather(1, turns.topk(slots, dim=1, largest=False, sorted=True).indices)


def bank_turns(ranks: Tensor, banks: Tensor, by_rank: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Numbers (B, C), the lower the sooner, and the candidates (B, C) whose turn it then is.

    The order by rank may be known already.
    """
    count = ranks.shape[1]
    if by_rank is None:
        by_rank = ranks.sort(dim=1, descending=True, stable=True).indices
    ranks = ranks.gather(1, by_rank)
    # In ascending order, with those that can never win at the end.
    banks = torch.where(ranks == _NEVER, float("inf"), -banks.gather(1, by_rank))
    banks, by_bank = banks.sort(dim=1, stable=True)
    place = positions(count, banks.device)
    depth = place - torch.searchsorted(banks, banks)
    # Candidates stand fullest bank first, so among those of one depth the order is already right.
    turns = torch.where(banks == float("inf"), place + count**2, torch.add(place, depth, alpha=count))
    return turns, by_rank.gather(1, by_bank)


@cache
def positions(count: int, device: torch.device) -> Tensor:
    return torch.arange(count, device=device)
