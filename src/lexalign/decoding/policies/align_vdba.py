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

Past the paper: a hypothesis that would end now, has begun a constraint, or has no more room than it needs,
has no threshold, so that none is kept from meeting its constraints. A constraint without a source has a mass
of 1 everywhere.

A threshold helps a small beam, which has no place for what is improbable; as in the paper, a beam of 10 or
more has none, unless one is asked for.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.decoding.constraints.requests import Request
from lexalign.decoding.policies.aligned import AlignedPolicy
from lexalign.decoding.policies.bank_records import Weigher
from lexalign.decoding.policies.banked import BankSelector
from lexalign.decoding.policies.constraint_sources import ConstraintSources
from lexalign.decoding.policy import SearchBatch, Step

# A mass of 0 is taken for this one, whose logarithm is a number.
_LEAST_MASS = 1e-12
_THRESHOLD = 0.1
_ROOMY_BEAM = 10  # from here on there is no threshold


@dataclass(frozen=True, kw_only=True)
class AlignVdba(AlignedPolicy):
    """With a threshold of 0, Align-VDBA*; None is what suits the beam."""

    threshold: float | None = None
    free_tokens: Literal["literal", "joint"] = "joint"
    average_costs: bool = False  # as in `Vdba`

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise LexalignError(f"threshold is {self.threshold}; it must be between 0 and 1")

    def threshold_of(self, beam: int) -> float:
        return usual_threshold(beam) if self.threshold is None else self.threshold

    def select(self, batch: SearchBatch, requests: Sequence[Request]) -> BankSelector:
        weigher = AlignmentWeigher(self, batch, requests)
        return BankSelector(batch, requests, self.matching, weigher, average_costs=self.average_costs)


def usual_threshold(beam: int) -> float:
    return _THRESHOLD if beam < _ROOMY_BEAM else 0.0


class AlignmentWeigher:
    """Weighs tokens by their alignment."""

    def __init__(self, policy: AlignVdba, batch: SearchBatch, requests: Sequence[Request]) -> None:
        self._policy = policy
        self._sources = ConstraintSources(policy.aligner, batch, requests)
        threshold = policy.threshold_of(batch.beam)
        self.threshold = math.log(threshold) if threshold else None

    @property
    def joint(self) -> bool:
        return self._policy.free_tokens == "joint"

    def weigh(self, step: Step, token_ids: Tensor, serves: Tensor) -> Tensor:
        mass = self._sources.of_candidates(step, token_ids)  # (B, K, C, G)
        return self._sources.best(mass, serves).clamp(_LEAST_MASS, 1.0).log() / self._policy.temperature

    def weigh_free(self, step: Step, rows: Tensor, token_ids: Tensor) -> Tensor | None:  # noqa: ARG002
        return None

    def keep(self, sentence_index: Tensor) -> None:
        self._sources.keep(sentence_index)

    def restart(self, other: Weigher) -> None:
        assert isinstance(other, AlignmentWeigher)
        self._sources.restart(other._sources)
