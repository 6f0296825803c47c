"""The result of a search."""

from dataclasses import dataclass
from typing import Literal

UnmetReason = Literal[
    "empty",  # it has no tokens
    "not generable",  # it has tokens that the model never generates
    "contradictory",  # all its forms hold a phrase to avoid
    "too many",  # more constraints than a sentence may have
    "no source",  # the policy needs to know what it translates
    "not aligned",  # the policy waits for its source, which nothing was aligned to
    "not preferred",  # it was worth its bonus nowhere
    "length limit",  # the sentence had to end before
    "not avoided",  # a phrase to avoid that nothing could replace
]


@dataclass(frozen=True, kw_only=True)
class ConstraintResult:
    """What became of a constraint: the tokens (first, last + 1) that meet it, or why there are none.

    A phrase to avoid is met if it is not there; if it is, its tokens are. `probability` is that these tokens
    come from the constraint's source, where that was asked for.
    """

    met: bool
    tokens: tuple[int, int] | None = None
    reason: UnmetReason | None = None
    probability: float | None = None


@dataclass(frozen=True)
class Origin:
    """The source token that a token most probably comes from."""

    source: int
    probability: float


@dataclass(frozen=True, kw_only=True)
class Hypothesis:
    """A translation in tokens; end of sentence is scored but not listed.

    Hypotheses are ranked by `score`: the log-probability, and what a policy adds to it for the sake of
    constraints, after the length penalty.
    """

    token_ids: tuple[int, ...]
    score: float
    log_probability: float  # of all tokens, end of sentence included
    token_log_probabilities: tuple[float, ...]  # one for each token, and one for end of sentence
    complete: bool = True  # False where the length limit ended it
    constraint_results: tuple[ConstraintResult, ...] = ()  # of the sentence's constraints, in their order
    origins: tuple[Origin, ...] = ()  # of each token, where they were asked for
