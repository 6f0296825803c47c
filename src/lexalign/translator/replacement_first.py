"""Replacement first, the guided search where it is needed, and of the two translations the better one.

Token replacement follows the model and exchanges words as they come, so it loses nothing of the sentence and
costs little; but it misses terms whose source no word is aligned to, and where a model does not know a term,
it often says its own word beside it. The guided search misses nothing. So a sentence is searched by
replacement; unless that meets every term and leaves nothing to be desired, it is searched again by the guided
search; and if both meet every term, the better translation is taken, replacement's if they are level. It is
judged by what is not a term, since the terms are in both:

    the mean log-probability of the free tokens, the end of the sentence among them
    - twice the share of free tokens that come from a term's source all the same
    + twice the mean probability that something comes from a source token

`Beschluss -> ruling`, four source tokens, by replacement and by the guided search:

    The ruling decision was right.     5 free tokens    -0.30 - 2 * 1/6 + 2 * 0.98 = 1.33
    The ruling was right.              4 free tokens    -0.35 - 0       + 2 * 0.98 = 1.61
"""

from collections.abc import Sequence

from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.hypothesis import Hypothesis

# Of the free tokens that come from a term's source, as shares of all free ones.
REPEATED = 2.0
COVERED = 2.0
# By so much the guided search must be better.
MARGIN = 0.05
# What leaves nothing to be desired: no term's source is said again, and at least this is reached.
LEAST_FREE = -0.5
LEAST_COVERED = 0.8
_SURE = 0.5

Constraints = Sequence[TokenConstraint]


def meets_all(hypothesis: Hypothesis, constraints: Constraints) -> bool:
    """Whether nothing is missing that must be there, and nothing there that must not."""
    pairs = zip(constraints, hypothesis.constraint_results, strict=True)
    return hypothesis.complete and all(result.met for one, result in pairs if one.kind != "prefer")


def is_convincing(hypothesis: Hypothesis, constraints: Constraints) -> bool:
    """Whether a translation by replacement needs no comparison."""
    if not meets_all(hypothesis, constraints) or _num_repeated(hypothesis, constraints):
        return False
    return _free_average(hypothesis) >= LEAST_FREE and _covered(hypothesis) >= LEAST_COVERED


def choose(replaced: Hypothesis, guided: list[Hypothesis], constraints: Constraints) -> list[Hypothesis]:
    """The better translation, then the other ones of the guided search."""
    if not guided or not meets_all(replaced, constraints):
        return guided
    better = meets_all(guided[0], constraints) and (
        _judge(guided[0], constraints) > _judge(replaced, constraints) + MARGIN
    )
    if better:
        return guided
    others = [one for one in guided if one.token_ids != replaced.token_ids]
    return [replaced, *others][: len(guided)]


def _judge(hypothesis: Hypothesis, constraints: Constraints) -> float:
    repeated = _num_repeated(hypothesis, constraints) / (len(_free_tokens(hypothesis)) + 1)
    return _free_average(hypothesis) - REPEATED * repeated + COVERED * _covered(hypothesis)


def _free_tokens(hypothesis: Hypothesis) -> list[int]:
    """The positions of tokens that belong to no term."""
    spans = [result.tokens for result in hypothesis.constraint_results if result.met and result.tokens]
    inside = {position for span in spans for position in range(*span)}
    return [position for position in range(len(hypothesis.token_ids)) if position not in inside]


def _free_average(hypothesis: Hypothesis) -> float:
    *tokens, end = hypothesis.token_log_probabilities
    free = [tokens[position] for position in _free_tokens(hypothesis)]
    return (sum(free) + end) / (len(free) + 1)


def _num_repeated(hypothesis: Hypothesis, constraints: Constraints) -> int:
    """How many free tokens surely come from the source of a term."""
    sources = {place for one in constraints if one.kind == "must" for place in one.source or ()}
    origins = [hypothesis.origins[position] for position in _free_tokens(hypothesis)]
    return sum(origin.source in sources and origin.probability > _SURE for origin in origins)


def _covered(hypothesis: Hypothesis) -> float:
    return sum(hypothesis.coverage) / max(1, len(hypothesis.coverage))
