"""Align-VDBA (Chatterjee, Sarawagi and Jyothi 2022, Algorithm 1).

VDBA puts a constraint wherever its tokens are probable. Here a token that serves a constraint is scored with
the probability that it is aligned to what the constraint translates:

    log p(token) + log(mass of the token's alignment on the constraint's source tokens) / temperature

and is not even tried where mass**(1/temperature) is under a threshold. `Gesetz -> law`, temperature 2:

    hypothesis       token    log p    mass    added     score
    before the       law       -3.0    0.64     -0.22    -3.22
    of course, if    law       -7.0    0.01     -2.30    -9.30; with a threshold of 0.2 not tried

Line 2 of the algorithm lets the best tokens of the beam advance constraints too. Taken literally, they do so
with nothing added, and a frequent word can begin a constraint in the wrong place. Jointly, a token serves a
constraint only with what is added, and may also be generated freely and serve none.

Past the paper: a hypothesis that would end now, has begun a constraint, or has no more room than it needs,
has no threshold, so that none is kept from meeting its constraints. A constraint without a source has a mass
of 1 everywhere.

A threshold helps a small beam, which has no place for what is improbable; as in the paper, a beam of 10 or
more has none, unless one is asked for.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from torch import Tensor

from lexalign.contracts.alignment import OnlineAligner
from lexalign.contracts.errors import LexalignError
from lexalign.decoding.candidates import Candidates
from lexalign.decoding.constraints.phrase_tracker import members
from lexalign.decoding.constraints.sentence_constraints import Matching, SentenceConstraints
from lexalign.decoding.policies.banks import BankPrepared, ConstraintScores, Listed
from lexalign.decoding.policies.source_alignment import AlignedPairs, ConstraintMass
from lexalign.decoding.policies.unconstrained import PlainSelector
from lexalign.decoding.policies.vdba import BankSelector
from lexalign.decoding.policy import AnySelector, SearchBatch, Step
from lexalign.kernel_shapes import steady_log

# A mass of 0 is taken for this one, whose logarithm is a number.
_LEAST_MASS = 1e-12
_THRESHOLD = 0.1
_LARGE_BEAM = 10  # from here on there is no threshold


@dataclass(frozen=True, kw_only=True)
class AlignVdba:
    """With a threshold of 0, Align-VDBA*; None is what suits the beam."""

    aligner: OnlineAligner
    matching: Matching = field(default_factory=Matching)
    temperature: float = 2.0
    threshold: float | None = None
    free_tokens: Literal["literal", "joint"] = "joint"
    average_costs: bool = False  # as in `Vdba`
    recordable: bool = True
    guarantees_constraints: bool = True

    def __post_init__(self) -> None:
        check_aligned_policy(self.aligner, self.temperature)
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise LexalignError(f"threshold is {self.threshold}; it must be between 0 and 1")

    @property
    def attention_layer(self) -> int:
        return self.aligner.layer

    def begin(self, batch: SearchBatch) -> AnySelector:
        constraints = batch.sort_constraints(self.matching)
        if not any(ours.constraints for ours in constraints):
            return PlainSelector(batch)
        scorer = AlignmentScorer(self, batch, constraints)
        return BankSelector(batch, constraints, self.matching, scorer, average_costs=self.average_costs)


def default_threshold(beam: int) -> float:
    return _THRESHOLD if beam < _LARGE_BEAM else 0.0


def check_aligned_policy(aligner: OnlineAligner, temperature: float) -> None:
    """Refuse an aligner that knows a token's source too late, and a temperature that means nothing."""
    if aligner.delay:
        raise LexalignError(
            "this aligner knows an alignment only one step later; this policy needs one of delay 0"
        )
    if temperature <= 0:
        raise LexalignError(f"temperature is {temperature}; it must be over 0")


class AlignmentScorer:
    """Scores tokens by the mass of their alignment on what the constraints translate."""

    num_best = 1

    def __init__(
        self, policy: AlignVdba, batch: SearchBatch, constraints: Sequence[SentenceConstraints]
    ) -> None:
        self.state = ConstraintMass.start(policy.aligner, batch, constraints)
        self.joint = policy.free_tokens == "joint"
        threshold = default_threshold(batch.beam) if policy.threshold is None else policy.threshold
        self.threshold = math.log(threshold) if threshold else None
        self._temperature = policy.temperature

    @property
    def kernel_numbers(self) -> Mapping[str, float]:
        return {"scorer": 1, "temperature": self._temperature}

    @property
    def kernel_tensors(self) -> Mapping[str, Tensor]:
        return {"anywhere": self.state.anywhere}

    def align(self, step: Step, prepared: BankPrepared, listed: Listed) -> AlignedPairs:  # noqa: ARG002
        """Of the tokens that serve constraints."""
        return self.state.of_candidates(step, prepared.tokens)

    def score(
        self,
        prepared: BankPrepared,
        listed: Listed,  # noqa: ARG002
        aligned: AlignedPairs,
    ) -> ConstraintScores:
        mass = (aligned.mass + self.state.anywhere).view(*prepared.tokens.shape, -1)  # (B, K, C, G)
        best = mass.where(members(prepared.served, mass.shape[3]), 0.0).amax(dim=3)  # (B, K, C)
        return ConstraintScores(serving=steady_log(best.clamp(_LEAST_MASS, 1.0)) / self._temperature)

    def score_end(self, rows: int) -> None: ...

    def commit(self, going: Candidates, index: Tensor, scored: ConstraintScores) -> None: ...
