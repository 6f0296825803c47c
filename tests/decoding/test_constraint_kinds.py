"""Each kind of constraint by itself, and what is said of those that could not be met."""

from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings

from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.hypothesis import ConstraintResult, Hypothesis
from lexalign.decoding.constraints.sentence_constraints import MAX_TOKENS, Matching, sort_constraints
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.vdba import Vdba
from lexalign.decoding.search import search

from .cases import Case, cases
from .exhaustive import EOS, START, random_tables, table_model
from .matching_oracle import completes

PLENTY = SearchOptions(beam=5, max_length=12, max_ratio=0.0, max_extra=12)
SOURCE = torch.tensor([[0, 1]])


def translate(
    *constraints: TokenConstraint,
    size: int = 8,
    options: SearchOptions = PLENTY,
    matching: Matching | None = None,
    seed: int = 1,
) -> Hypothesis:
    model = table_model(random_tables(1, size, seed=seed))
    policy = Vdba(matching=matching or Matching())
    return search(model, SOURCE, options, policy, [constraints])[0][0]


def must(*forms: tuple[int, ...], whole: bool = True) -> TokenConstraint:
    return TokenConstraint(alternatives=forms, whole=whole)


def avoid(*forms: tuple[int, ...], whole: bool = True) -> TokenConstraint:
    return TokenConstraint(alternatives=forms, kind="avoid", whole=whole)


def continuing(*token_ids: int, size: int = 8) -> Matching:
    mask = torch.zeros(size, dtype=torch.bool)
    mask[list(token_ids)] = True
    return Matching(continues_word=mask)


@pytest.mark.parametrize("seed", range(8))
def test_the_same_constraint_twice_asks_for_two_occurrences(seed: int) -> None:
    found = translate(must((3, 3)), must((3, 3)), seed=seed)
    first, second = (result.tokens for result in found.constraint_results)
    assert first is not None
    assert second is not None
    assert first[1] <= second[0]


@pytest.mark.parametrize("seed", range(8))
def test_different_constraints_may_share_tokens(seed: int) -> None:
    found = translate(
        must((3, 4, 5)), must((4,)), must((4, 5)), options=replace(PLENTY, max_length=3), seed=seed
    )
    assert found.token_ids == (3, 4, 5)
    assert [result.tokens for result in found.constraint_results] == [(0, 3), (1, 2), (1, 3)]


@pytest.mark.parametrize("seed", range(8))
def test_ordered_constraints_come_in_their_order(seed: int) -> None:
    order = [must((5, 6)), must((3,)), must((5,)), must((4, 3))]
    found = translate(*order, matching=Matching(ordered=True), seed=seed)
    spans = [result.tokens for result in found.constraint_results if result.tokens is not None]
    assert len(spans) == len(order)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


@pytest.mark.parametrize("seed", range(8))
def test_a_whole_constraint_is_not_met_inside_a_word(seed: int) -> None:
    found = translate(must((3, 4)), matching=continuing(4, 5, 6, 7), seed=seed)
    assert found.constraint_results[0].tokens is not None
    end = found.constraint_results[0].tokens[1]
    assert end == len(found.token_ids) or found.token_ids[end] == 3


def test_the_model_chooses_among_forms() -> None:
    table = random_tables(1, 8, seed=2, sharpness=0.5)
    table[:, :, START, 6] += 8
    table[:, :, 6, EOS] += 8
    found = search(table_model(table), SOURCE, PLENTY, Vdba(), [[must((5, 5), (6,), (7, 7))]])[0][0]
    assert found.token_ids == (6,)


@settings(max_examples=80, deadline=None)
@given(case=cases(kinds=("avoid",)))
def test_what_is_to_be_avoided_never_appears(case: Case) -> None:
    """Unless nothing else is left; with plain beam search it does appear."""
    for ranked, constraints in zip(
        case.search(Vdba(matching=case.matching())), case.constraints, strict=True
    ):
        avoided = not completes(ranked[0].token_ids, constraints, case.continuing, ended=True)
        assert avoided == all(result.met for result in ranked[0].constraint_results)
        if case.beam > 3 and all(len(c.alternatives) == 1 for c in constraints) and len(constraints) < 3:
            assert avoided


def test_a_part_of_a_word_is_not_avoided() -> None:
    """4 continues a word: 3 is avoided, 3 4 is not."""
    table = random_tables(1, 8, seed=2, sharpness=0.5)
    for last, following in ((START, 3), (3, 4), (4, EOS)):
        table[:, :, last, following] += 8
    model = table_model(table)
    for matching, expected in ((continuing(4), True), (Matching(), False)):
        found = search(model, SOURCE, PLENTY, Vdba(matching=matching), [[avoid((3,))]])[0][0]
        assert (found.token_ids == (3, 4)) == expected


def test_a_preferred_phrase_is_taken_if_it_is_worth_its_bonus() -> None:
    table = random_tables(1, 8, seed=4, sharpness=1.0)
    plain = search(table_model(table), SOURCE, PLENTY)[0][0]
    wish = TokenConstraint(alternatives=((6, 7),), kind="prefer", bonus=9.0)
    found = search(table_model(table), SOURCE, PLENTY, Vdba(), [[wish]])[0][0]
    assert (6, 7) not in pairwise(plain.token_ids)
    assert found.constraint_results[0].met
    assert found.log_probability <= 0 < found.score
    assert sum(found.token_log_probabilities) == pytest.approx(found.log_probability, abs=1e-4)
    free = search(table_model(table), SOURCE, PLENTY, Vdba(), [[replace(wish, bonus=0.0)]])[0][0]
    assert free.token_ids == plain.token_ids
    assert free.constraint_results == (ConstraintResult(met=False, reason="not preferred"),)


def test_reasons_are_given() -> None:
    short = replace(PLENTY, max_length=2)
    found = translate(
        must((3, 4, 5)), must(()), must((EOS,)), must((99,)), must((6, 7)), avoid((7,)), options=short
    )
    assert [result.reason for result in found.constraint_results] == [
        "length limit",
        "empty",
        "not generable",
        "not generable",
        "contradictory",
        None,
    ]


def test_forms_without_what_is_to_be_avoided_are_left() -> None:
    found = translate(must((6, 7), (6, 5)), avoid((7,)))
    assert found.constraint_results[0].met
    assert 7 not in found.token_ids


def test_more_constraints_than_a_mask_has_bits_are_reported() -> None:
    many = [must((3 + number % 37, 3 + number // 37, 9)) for number in range(64)]
    options = SearchOptions(beam=2, max_length=300, max_ratio=0.0, max_extra=300)
    found = translate(*many, size=60, options=options)
    assert all(result.met for result in found.constraint_results[:63])
    assert found.constraint_results[63].reason == "too many" or found.constraint_results[63].met


def test_a_thousand_tokens_of_constraints_are_met() -> None:
    generator = torch.Generator().manual_seed(1)
    long = [must(tuple(torch.randint(3, 40, (16,), generator=generator).tolist())) for _ in range(63)]
    options = SearchOptions(beam=1, max_length=1100, max_ratio=0.0, max_extra=1100)
    found = translate(*long, size=40, options=options)
    assert all(result.met for result in found.constraint_results)


def test_plain_search_refuses_constraints() -> None:
    with pytest.raises(LexalignError, match="choose a policy"):
        search(table_model(random_tables(1, 6, seed=1)), SOURCE, PLENTY, None, [[must((3,))]])


def test_if_everything_is_to_be_avoided_the_best_is_still_given() -> None:
    found = translate(*(avoid((token,)) for token in range(3, 8)), must((3,)))
    assert found.constraint_results[-1].reason == "contradictory"
    assert isinstance(found.token_ids, tuple)


def test_many_forms_share_the_room_and_no_constraint_is_refused_for_them() -> None:
    def form(constraint: int, rank: int) -> tuple[int, ...]:
        return (10 + constraint, 60 + rank, 3, 4, 5)

    constraints = [
        TokenConstraint(alternatives=tuple(form(index, rank) for rank in range(index % 3 + 10)))
        for index in range(40)
    ]
    found = sort_constraints(constraints, table_model(random_tables(1, 80, seed=1)).vocabulary)
    assert not found.refused
    assert sum(len(one) for required in found.must for one in required.forms) <= MAX_TOKENS
    assert {len(required.forms) for required in found.must} == {5, 6}
    for index, required in enumerate(found.must):
        assert required.forms == constraints[index].alternatives[: len(required.forms)]
