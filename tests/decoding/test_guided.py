"""The guided search on tables, against lists and loops."""

from dataclasses import replace

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lexalign.alignment.attention import ShiftedAttention
from lexalign.alignment.table_aligner import TableAligner
from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.errors import LexalignError
from lexalign.decoding.graph_search import GraphSearcher
from lexalign.decoding.policies.guided import Guided, GuidedAllocation

from .bank_oracle import BankOracle
from .cases import BATCH, Case, assert_alike, assert_same, cases
from .exhaustive import EOS, PAD
from .scoring_oracle import Scoring


def policy(case: Case, temperature: float = 2.0, advantage: float = 4.0, by_rank: float = 0.8) -> Guided:
    return Guided(
        aligner=TableAligner(case.affinity()),
        matching=case.matching(),
        temperature=temperature,
        allocation=GuidedAllocation(advantage=advantage, by_rank=by_rank),
    )


def oracle_of(
    case: Case, sentence: int, temperature: float = 2.0, advantage: float = 4.0, by_rank: float = 0.8
) -> BankOracle:
    rows = [case.mass(sentence, token).tolist() for token in range(case.size)]
    asked = any(constraint.kind == "must" for constraint in case.possible(sentence))
    content = [place for place, token in enumerate(case.source_ids()[sentence]) if token not in (PAD, EOS)]
    scoring = Scoring(
        lambda token, place: rows[token][place],
        temperature,
        0.0,
        joint=True,
        guided=True,
        content=tuple(content),
        boundary=case.boundary,
    )
    return case.oracle(sentence, scoring=scoring, advantage=advantage if asked else 0.0, by_rank=by_rank)


@settings(max_examples=150, deadline=None)
@given(
    case=cases(),
    temperature=st.sampled_from([1.0, 2.0]),
    advantage=st.sampled_from([0.5, 4.0]),
    by_rank=st.sampled_from([0.5, 0.8, 1.0]),
)
def test_equals_the_oracle(case: Case, temperature: float, advantage: float, by_rank: float) -> None:
    found = case.search(policy(case, temperature, advantage, by_rank))
    for sentence in range(BATCH):
        oracle = oracle_of(case, sentence, temperature, advantage, by_rank)
        expected = oracle.search()
        if not (oracle.tied or oracle.undecided):
            assert_same(found[sentence], expected)


# The model finds both forms improbable, and prefers the second.
FORMS = Case(
    seed=36,
    size=6,
    sharpness=5.0,
    beam=1,
    n_best=1,
    max_length=3,
    penalty=0.0,
    constraints=(
        (),
        (),
        (
            TokenConstraint(alternatives=((3,),), kind="prefer", bonus=0.5, whole=False),
            TokenConstraint(alternatives=((4, 5, 3), (4, 4, 3)), source=(0, 1, 2, 3), whole=False),
        ),
    ),
    exact=False,
)


@settings(max_examples=30, deadline=None)
@given(case=cases())
@example(case=FORMS)
def test_static_tensors_give_the_same(case: Case) -> None:
    guided = policy(case)
    searcher = GraphSearcher(case.model(), case.options(), guided)
    searcher.search(case.source_ids().flip(0), case.constraints[::-1])
    found = zip(searcher.search(case.source_ids(), case.constraints), case.search(guided), strict=True)
    for sentence, (ours, expected) in enumerate(found):
        oracle = oracle_of(case, sentence)
        oracle.search()
        # Constraints that are charged the most are level, and rounding may choose between them.
        if not (oracle.tied or oracle.undecided):
            assert_alike([ours], [expected])


def test_the_model_chooses_among_improbable_forms() -> None:
    *_, (best,) = FORMS.search(policy(FORMS))
    assert best.token_ids == (4, 4, 3)
    assert min(best.token_log_probabilities[:2]) < -5.0


@pytest.mark.parametrize(("source", "cheaper"), [((0, 1, 2, 3), True), (None, False)])
def test_without_a_source_a_constraint_costs_all_that_the_model_says(
    source: tuple[int, ...] | None, cheaper: bool
) -> None:
    constraint = TokenConstraint(alternatives=((4, 4, 3),), source=source, whole=False)
    case = replace(FORMS, constraints=((), (), (constraint,)))
    *_, (best,) = case.search(policy(case))
    assert (best.score > best.log_probability + 1e-4) == cheaper


@given(seed=st.integers(0, 1000), slots=st.integers(1, 6))
def test_the_furthest_keeps_a_slot(seed: int, slots: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    ranks = -10 * torch.rand(3, 12, generator=generator)
    banks = torch.randint(0, 4, (3, 12), generator=generator).float()
    costs = -5 * torch.rand(3, 12, generator=generator) * banks
    index = GuidedAllocation(advantage=4.0, by_rank=0.8).choose(ranks, banks, costs, slots)
    assert index.shape == (3, slots)
    assert all(len(set(row)) == slots for row in index.tolist())
    if slots > 1:
        assert torch.equal(banks.gather(1, index).amax(dim=1), banks.amax(dim=1))


def test_a_late_aligner_is_refused() -> None:
    with pytest.raises(LexalignError, match="delay 0"):
        Guided(aligner=ShiftedAttention(layer=0))  # type: ignore[arg-type]
