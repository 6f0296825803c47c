"""The result of a search."""

from dataclasses import dataclass
from typing import Literal, get_args

UnmetReason = Literal[
    "empty",  # the constraint has no tokens
    "not generable",  # it contains tokens that the model never generates
    "contradictory",  # all its alternatives contain a phrase to avoid
    "too many",  # more constraints than a sentence may have
    "no source",  # the policy needs the source of the constraint
    "not aligned",  # the policy inserts it where its source is aligned, and no token was aligned to it
    "inside a word",  # it stands only inside a longer word
    "inside a source word",  # its source is only a part of a longer word, to which no token was aligned
    "not preferred",  # its bonus was too small everywhere
    "length limit",  # the length limit was reached before
    "not avoided",  # a phrase to avoid without an alternative
]
# The same for readers who do not know how the search works.
REASONS: dict[UnmetReason, str] = {
    "empty": "it has no letters",
    "not generable": "the model cannot write it",
    "contradictory": "all its forms contain words to be avoided",
    "too many": "there are too many terms in this sentence",
    "no source": "it is not known which words it translates",
    "not aligned": "no word of the translation is aligned with its source",
    "inside a word": "it is only a part of a longer word",
    "inside a source word": "its source is only a part of a longer word",
    "not preferred": "another word fitted better",
    "length limit": "the translation reached its length limit",
    "not avoided": "nothing could replace it",
}
assert set(REASONS) == set(get_args(UnmetReason))


@dataclass(frozen=True, kw_only=True)
class ConstraintResult:
    """Whether a constraint is met: the tokens (first, last + 1) that meet it, or the reason why not.

    A phrase to avoid is met if it does not occur; if it does, `tokens` are its occurrence. `probability` is
    that of the alignment of these tokens to the constraint's source, where it was requested.
    """

    met: bool
    tokens: tuple[int, int] | None = None
    reason: UnmetReason | None = None
    probability: float | None = None


@dataclass(frozen=True)
class Origin:
    """The most probable source token of a target token."""

    source: int
    probability: float


@dataclass(frozen=True, kw_only=True)
class Hypothesis:
    """A translation in tokens; the end of sentence is scored but not listed.

    Hypotheses are ranked by `score`: the log-probability, plus what a policy adds for constraints, after the
    length penalty.
    """

    token_ids: tuple[int, ...]
    score: float
    log_probability: float  # of all tokens, end of sentence included
    token_log_probabilities: tuple[float, ...]  # one for each token, and one for end of sentence
    complete: bool = True  # False if it ended at the length limit
    constraint_results: tuple[ConstraintResult, ...] = ()  # of the sentence's constraints, in their order
    origins: tuple[Origin, ...] = ()  # of each token, where they were requested
    # Of each source token without end of sentence, the probability that something comes from it; likewise.
    coverage: tuple[float, ...] = ()
