"""Random sentences with constraints that overlap, contain one another, repeat and contradict."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from hypothesis import strategies as st

from lexalign.contracts.constraint import ConstraintKind, TokenConstraint
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.contracts.table_model import TableModel
from lexalign.decoding.constraints.sentence_constraints import Matching, sort_constraints
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policy import Policy
from lexalign.decoding.search import search

from .bank_oracle import BankOracle, Finished
from .exhaustive import PAD, START, random_tables, table_vocabulary

BATCH = 3
FIRST = START + 1  # of the tokens that are words


@dataclass(frozen=True)
class Case:
    seed: int
    size: int
    sharpness: float
    beam: int
    n_best: int
    max_length: int
    penalty: float
    constraints: tuple[tuple[TokenConstraint, ...], ...]
    continuing: frozenset[int] = frozenset()
    boundary: int | None = None
    ordered: bool = False
    exact: bool = True

    def tables(self) -> torch.Tensor:
        return random_tables(BATCH, self.size, self.seed, self.sharpness)

    def affinity(self) -> torch.Tensor:
        return torch.rand(self.size, self.size, generator=torch.Generator().manual_seed(self.seed))

    def model(self) -> TableModel:
        return TableModel(self.tables(), table_vocabulary(self.size), self.affinity())

    def source_ids(self) -> torch.Tensor:
        """The first token names the table; that of the first sentence happens to be padding."""
        generator = torch.Generator().manual_seed(self.seed)
        source_ids = torch.randint(FIRST, self.size, (BATCH, 4), generator=generator)
        source_ids[:, 0] = torch.arange(BATCH)
        return source_ids

    def source_length(self, sentence: int) -> int:
        return int((self.source_ids()[sentence] != PAD).sum())

    def mass(self, sentence: int, token: int) -> torch.Tensor:
        """The alignment (S,) of a token by the affinity."""
        source_ids = self.source_ids()[sentence]
        weights = self.affinity()[token, source_ids] * (source_ids != PAD)
        return weights / weights.sum()

    def options(self) -> SearchOptions:
        return SearchOptions(
            exact=self.exact,
            beam=self.beam,
            n_best=self.n_best,
            length_penalty=self.penalty,
            max_length=self.max_length,
            max_ratio=0.0,
            max_extra=self.max_length,
        )

    def matching(self) -> Matching:
        continues_word = torch.zeros(self.size, dtype=torch.bool)
        continues_word[list(self.continuing)] = True
        return Matching(
            continues_word=continues_word if self.continuing else None,
            boundary_id=self.boundary,
            ordered=self.ordered,
        )

    def possible(self, sentence: int) -> list[TokenConstraint]:
        """The constraints of a sentence, without forms and constraints that contradict others."""
        constraints = self.constraints[sentence]
        vocabulary = table_vocabulary(self.size)
        ours = sort_constraints(constraints, vocabulary, self.continuing, self.ordered, self.max_length)
        forms = {one.position: one.forms for one in (*ours.must, *ours.prefer)}
        return [
            replace(constraint, alternatives=forms.get(position, constraint.alternatives))
            for position, constraint in enumerate(constraints)
            if position not in ours.refused
        ]

    def oracle(self, sentence: int, **others: Any) -> BankOracle:
        """Of a sentence alone; what a case does not say is the policy's."""
        return BankOracle(
            self.tables()[sentence],
            self.possible(sentence),
            beam=self.beam,
            n_best=self.n_best,
            max_length=self.max_length,
            penalty=self.penalty,
            continuing=self.continuing,
            ordered=self.ordered,
            source_length=self.source_length(sentence),
            exact=self.exact,
            **others,
        )

    def search(self, policy: Policy) -> list[list[Hypothesis]]:
        return search(self.model(), self.source_ids(), self.options(), policy, self.constraints)


# Just room for both: the second begins where the first has ended, though the text looks further on.
TWICE = Case(
    seed=0,
    size=5,
    sharpness=0.5,
    beam=1,
    n_best=1,
    max_length=6,
    penalty=0.0,
    constraints=((), (TokenConstraint(alternatives=((3, 3, 3),), whole=False),) * 2, ()),
)


def cases(
    kinds: Sequence[ConstraintKind] = ("must", "must", "prefer", "avoid"), most: int = 3
) -> st.SearchStrategy[Case]:
    return st.integers(5, 8).flatmap(lambda size: _cases(size, kinds, most))


def assert_same(found: Sequence[Hypothesis], expected: Sequence[Finished]) -> None:
    assert [h.token_ids for h in found] == [entry.tokens for entry in expected]
    for hypothesis, entry in zip(found, expected, strict=True):
        assert abs(hypothesis.score - entry.score) < 1e-3
        assert abs(hypothesis.log_probability - entry.log_probability) < 1e-3


def _cases(size: int, kinds: Sequence[ConstraintKind], most: int) -> st.SearchStrategy[Case]:
    token = st.integers(FIRST, size - 1)
    phrase = st.lists(token, min_size=1, max_size=3).map(tuple)
    constraint = st.builds(
        TokenConstraint,
        alternatives=st.lists(phrase, min_size=1, max_size=2, unique=True).map(tuple),
        source=st.sampled_from([None, (1,), (1, 2), (2, 3)]),
        kind=st.sampled_from(kinds),
        bonus=st.sampled_from([0.5, 1.0, 3.0]),
        whole=st.booleans(),
    )
    again = st.tuples(constraint, st.booleans()).map(lambda pair: [pair[0]] * (1 + pair[1]))
    sentence = st.lists(again, max_size=most).map(lambda lists: tuple(c for one in lists for c in one))
    return st.builds(
        Case,
        seed=st.integers(0, 10**6),
        size=st.just(size),
        sharpness=st.sampled_from([0.5, 2.0, 5.0]),
        beam=st.integers(1, 6),
        n_best=st.just(1),
        max_length=st.integers(2, 7),
        penalty=st.sampled_from([0.0, 0.6, 1.0]),
        constraints=st.tuples(*[sentence] * BATCH),
        continuing=st.frozensets(token, max_size=2),
        boundary=st.none() | token,
        ordered=st.booleans(),
        exact=st.booleans(),
    )


def assert_alike(found: Sequence[Sequence[Hypothesis]], expected: Sequence[Sequence[Hypothesis]]) -> None:
    """The same texts and results; padding may change the last bits of what alignments add to a score."""
    for ranked, wanted in zip(found, expected, strict=True):
        assert [(one.token_ids, one.constraint_results) for one in ranked] == [
            (one.token_ids, one.constraint_results) for one in wanted
        ]
        assert [one.score for one in ranked] == pytest.approx([one.score for one in wanted], abs=1e-4)
