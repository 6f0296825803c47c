"""What a choice by banks works with: who weighs tokens, what is known before a step, what was chosen."""

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from lexalign.decoding.constraints.tracks import Outlook
from lexalign.decoding.policy import Step
from lexalign.decoding.pool import Pool
from lexalign.decoding.scores import Candidates


class Weigher(Protocol):
    """Says how well tokens fit the constraints that they serve, beyond the model's probability."""

    @property
    def joint(self) -> bool:
        """Whether a token serves a constraint only with its weight."""

    @property
    def threshold(self) -> float | None:
        """The weight under which a token is not tried, unless it is urgent; None: all are."""

    def weigh(self, step: Step, token_ids: Tensor, serves: Tensor) -> Tensor:
        """Log weights (B, K, C) of tokens that serve constraints (B, K, C, G)."""

    def weigh_free(self, step: Step, rows: Tensor, token_ids: Tensor) -> Tensor | None:
        """Log weights (B, C) of tokens that serve no constraint, each after one hypothesis; None: all 0."""

    def keep(self, sentence_index: Tensor) -> None: ...

    def restart(self, other: "Weigher") -> None: ...


@dataclass(frozen=True, kw_only=True)
class Foresight:
    """What is known of the present hypotheses (B, K) without their scores."""

    outlook: Outlook
    unable: Tensor  # (B, K), may not end
    extra: Tensor  # of their ranks, if they end now
    merit: Tensor  # (B, K), the higher the more is met if they end now
    said: Tensor  # (B, K), whether a constraint is met here, unless its last word goes on
    tokens: Tensor  # (B, K, C), to meet constraints with; an end of sentence where there are fewer
    use: Tensor  # (B, K, C), whether there is one
    serves: Tensor | None  # (B, K, C, G), the constraints that they serve, where there is a weigher
    wishes: Tensor | None  # (B, K, C), tokens for preferred constraints, likewise
    needed: Tensor  # (B, 1), what must have been met after this step for all to be met in time
    urgent: Tensor | None  # (B, K), whether a weigher must let all tokens pass


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """What has been chosen, until it is taken."""

    index: Tensor  # (B, K), into the pool
    pool: Pool
    outlook: Outlook
    weights: Tensor | None
    ended: Candidates
    ends: Tensor
    going: Candidates
    price: Tensor  # (B, C), of the pool: what tokens cost that bring constraints nearer
    clock: Tensor  # (1,), their tokens
