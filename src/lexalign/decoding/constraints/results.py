"""The result of each constraint, read off the finished translation itself.

    constraints   a b, b, b       text   a b c b       met by tokens   0-2, 1-2, 3-4

The same constraint given twice needs two occurrences that do not overlap; different ones may share tokens.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from torch import Tensor

from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.hypothesis import ConstraintResult, Hypothesis, UnmetReason
from lexalign.decoding.constraints.sentence_constraints import (
    RequiredPhrase,
    SentenceConstraints,
    find_phrase,
)


def add_constraint_results(
    ranked: list[list[Hypothesis]], constraints: Sequence[SentenceConstraints], *, guaranteed: bool = True
) -> list[list[Hypothesis]]:
    """Each sentence's hypotheses with their results; a search may not guarantee that constraints are met."""
    if not any(ours.constraints for ours in constraints):
        return ranked
    return [
        [_with_results(one, find_constraint_results(one, ours, guaranteed=guaranteed)) for one in hypotheses]
        if ours.constraints
        else hypotheses
        for hypotheses, ours in zip(ranked, constraints, strict=True)
    ]


def find_constraint_results(
    hypothesis: Hypothesis, ours: SentenceConstraints, *, guaranteed: bool = True
) -> tuple[ConstraintResult, ...]:
    """In the order of the sentence's constraints."""
    tokens = hypothesis.token_ids
    found: dict[int, ConstraintResult] = {}
    chained = {index for chain in ours.chains for index in chain} if ours.chains else ()
    for chain in ours.chains:
        _find_chain(tokens, [ours.must[index] for index in chain], ours, guaranteed, found)
    for index, required in enumerate(ours.must):
        if index not in chained:
            span = _earliest(tokens, required, ours, 0)
            found[required.position] = _met(span) if span else _unmet(_reason(required, guaranteed))
    for preferred in ours.prefer:
        span = _earliest(tokens, preferred, ours, 0)
        found[preferred.position] = _met(span) if span else _unmet("not preferred")
    if len(found) == len(ours.constraints):
        return tuple([found[position] for position in range(len(found))])
    for position, constraint in enumerate(ours.constraints):
        if constraint.kind == "avoid":
            found[position] = _avoided(tokens, position, constraint, ours)
        elif position in ours.refused:
            found[position] = _unmet(ours.refused[position])
    return tuple(found[position] for position in range(len(ours.constraints)))


def with_probabilities(
    results: Sequence[ConstraintResult], constraints: Sequence[TokenConstraint], distribution: Tensor
) -> tuple[ConstraintResult, ...]:
    """Tell how probably (T, S) each constraint's tokens come from its source: the mean over its tokens."""
    return tuple(
        result
        if result.tokens is None or not constraint.source
        else replace(
            result,
            probability=float(distribution[slice(*result.tokens), list(constraint.source)].sum(-1).mean()),
        )
        for result, constraint in zip(results, constraints, strict=False)
    )


def _find_chain(
    tokens: Sequence[int],
    chain: Sequence[RequiredPhrase],
    ours: SentenceConstraints,
    guaranteed: bool,
    found: dict[int, ConstraintResult],
) -> None:
    """One after the other, each as early as it can be, which leaves the most room for the rest."""
    start, broken = 0, False
    for required in chain:
        span = None if broken else _earliest(tokens, required, ours, start)
        found[required.position] = _met(span) if span else _unmet(_reason(required, guaranteed))
        start, broken = (start, True) if span is None else (span[1], False)


def _avoided(
    tokens: Sequence[int], position: int, constraint: TokenConstraint, ours: SentenceConstraints
) -> ConstraintResult:
    forms = tuple(form for form in constraint.alternatives if form)
    phrase = RequiredPhrase(position=position, forms=forms, source=None, bonus=0.0, whole=constraint.whole)
    span = _earliest(tokens, phrase, ours, 0) if forms else None
    if span is None:
        return ConstraintResult(met=True)
    return ConstraintResult(met=False, tokens=span, reason="not avoided")


# Many constraints share the same few results, and a search reports thousands of them in little time.
@lru_cache(maxsize=4096)
def _met(tokens: tuple[int, int]) -> ConstraintResult:
    return ConstraintResult(met=True, tokens=tokens)


@lru_cache
def _unmet(reason: UnmetReason) -> ConstraintResult:
    return ConstraintResult(met=False, reason=reason)


def _with_results(hypothesis: Hypothesis, results: tuple[ConstraintResult, ...]) -> Hypothesis:
    """As `dataclasses.replace`, in a fifth of its time."""
    return Hypothesis(
        token_ids=hypothesis.token_ids,
        score=hypothesis.score,
        log_probability=hypothesis.log_probability,
        token_log_probabilities=hypothesis.token_log_probabilities,
        complete=hypothesis.complete,
        constraint_results=results,
        origins=hypothesis.origins,
        coverage=hypothesis.coverage,
    )


def _reason(required: RequiredPhrase, guaranteed: bool) -> UnmetReason:
    if guaranteed:
        return "length limit"
    return "no source" if required.source is None else "not aligned"


def _earliest(
    tokens: Sequence[int], required: RequiredPhrase, ours: SentenceConstraints, start: int
) -> tuple[int, int] | None:
    """The occurrence that is over first, and of those the shortest."""
    if len(required.forms) == 1:
        first = find_phrase(tokens, required.forms[0], required.whole, ours.continuing, start)
        return None if first is None else (first, first + len(required.forms[0]))
    spans = []
    for form in required.forms:
        first = find_phrase(tokens, form, required.whole, ours.continuing, start)
        if first is not None:
            spans.append((first + len(form), -first))
    return (-min(spans)[1], min(spans)[0]) if spans else None
