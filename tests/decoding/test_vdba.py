"""VDBA on models that are tables, against lists and loops."""

from dataclasses import replace

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.model import DecoderOutput
from lexalign.contracts.table_model import TableModel, TableState
from lexalign.decoding.constraints.sentence_constraints import Matching
from lexalign.decoding.graph_search import GraphSearcher
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.vdba import Vdba
from lexalign.decoding.search import search

from .cases import BATCH, TWICE, Case, assert_same, cases
from .exhaustive import EOS, START, random_tables, table_model
from .matching_oracle import Rules, completes


@settings(max_examples=170, deadline=None)
@given(case=cases())
def test_equals_the_oracle(case: Case) -> None:
    found = case.search(Vdba(matching=case.matching()))
    for sentence in range(BATCH):
        expected = case.oracle(sentence)
        results = expected.search()
        if not expected.undecided:
            assert_same(found[sentence], results)


@settings(max_examples=150, deadline=None)
@given(case=cases(kinds=("must", "must", "prefer")))
def test_stops_when_the_oracle_stops(case: Case) -> None:
    case = replace(case, exact=False)
    for sentence in range(BATCH):
        expected = case.oracle(sentence)
        expected.search()
        if expected.tied or expected.undecided:
            continue
        model, at = case.model(), slice(sentence, sentence + 1)
        steps = count_steps(model)
        policy = Vdba(matching=case.matching())
        search(model, case.source_ids()[at], case.options(), policy, case.constraints[at])
        assert len(steps) == expected.steps


@settings(max_examples=100, deadline=None)
@given(case=cases(kinds=("must",), most=4), average_costs=st.booleans())
def test_the_n_best_equal_the_oracle(case: Case, average_costs: bool) -> None:
    case = replace(case, n_best=case.beam)
    found = case.search(Vdba(matching=case.matching(), average_costs=average_costs))
    for sentence in range(BATCH):
        expected = case.oracle(sentence, average_costs=average_costs)
        results = expected.search()
        if not (expected.tied or expected.undecided):
            assert_same(found[sentence], results)


@settings(max_examples=100, deadline=None)
@given(case=cases())
def test_fates_are_what_stands_in_the_text(case: Case) -> None:
    for sentence, ranked in enumerate(case.search(Vdba(matching=case.matching()))):
        constraint_results, constraints = ranked[0].constraint_results, case.constraints[sentence]
        assert len(constraint_results) == len(constraints)
        text = ranked[0].token_ids
        for result, constraint in zip(constraint_results, constraints, strict=True):
            assert result.met == (result.reason is None)
            if constraint.kind == "avoid":
                assert result.met != completes(text, [constraint], case.continuing, ended=True)
            elif result.met:
                assert result.tokens is not None
                start, end = result.tokens
                assert text[start:end] in constraint.alternatives
                assert not (constraint.whole and end < len(text) and text[end] in case.continuing)
        must = [c for c in case.possible(sentence) if c.kind == "must"]
        spans = Rules(must, case.continuing, case.ordered).spans(text, text)
        places = [i for i, f in enumerate(constraint_results) if constraints[i].kind == "must" and f.met]
        assert [constraint_results[place].tokens for place in places] == [
            spans[number] for number in sorted(spans)
        ]
        if not any(f.reason == "length limit" for f in constraint_results):
            assert len(spans) == len(must)


@settings(max_examples=100, deadline=None)
@given(case=cases(kinds=("must",), most=2))
@example(case=TWICE)
def test_constraints_are_met_wherever_there_is_room(case: Case) -> None:
    """With any beam; no token continues a word here, which could undo what was met."""
    case = replace(case, continuing=frozenset())
    found = case.search(Vdba(matching=case.matching()))
    for sentence, ranked in enumerate(found):
        if Rules(case.constraints[sentence], ordered=case.ordered).total() <= case.max_length:
            assert all(result.met for result in ranked[0].constraint_results)


@settings(max_examples=40, deadline=None)
@given(case=cases())
def test_a_batch_gives_what_its_sentences_give_alone(case: Case) -> None:
    policy = Vdba(matching=case.matching())
    together = case.search(policy)
    for index in range(BATCH):
        alone = search(
            case.model(),
            case.source_ids()[index : index + 1],
            case.options(),
            policy,
            case.constraints[index : index + 1],
        )
        assert alone[0] == together[index]


@settings(max_examples=40, deadline=None)
@given(case=cases())
def test_static_tensors_give_the_same(case: Case) -> None:
    policy = Vdba(matching=case.matching())
    searcher = GraphSearcher(case.model(), case.options(), policy)
    searcher.search(case.source_ids().flip(0), case.constraints[::-1])
    # The second batch goes into the tensors of the first, where they are of one layout.
    assert searcher.search(case.source_ids(), case.constraints) == case.search(policy)


@settings(max_examples=80, deadline=None)
@given(case=cases())
def test_a_sentence_without_constraints_gets_what_plain_search_gives(case: Case) -> None:
    case = replace(case, constraints=((), case.constraints[1], ()))
    plain = search(case.model(), case.source_ids(), case.options())
    found = case.search(Vdba(matching=case.matching()))
    assert [found[0], found[2]] == [plain[0], plain[2]]


@pytest.mark.parametrize("beam", [2, 5])
def test_a_word_that_the_model_would_continue_is_followed_by_another(beam: int) -> None:
    """After token 3, twenty tokens that go on with the word are likelier than token 4, which begins one."""
    continuing = torch.arange(30) >= 10
    table = torch.full((30, 30), 1e-6)
    table[START, 4] = table[4, EOS] = 1.0
    table[3, continuing] = 0.047
    table[START, 3], table[3, 4] = 0.1, 0.03
    table = (table / table.sum(dim=1, keepdim=True)).log()
    model = table_model(table.expand(1, 8, 30, 30).clone())
    policy = Vdba(matching=Matching(continues_word=continuing))
    options = SearchOptions(beam=beam, max_length=7)
    wanted = [[TokenConstraint(alternatives=((3,),))]]
    ((best, *_),) = search(model, torch.tensor([[0, 1]]), options, policy, wanted)
    assert best.token_ids == (3, 4)


def test_stops_when_nothing_better_is_to_be_expected() -> None:
    """Sure of a short sentence, the search does not go on to the length limit."""
    tables = random_tables(1, 6, seed=3)
    tables[:] = torch.tensor([-99.0, -0.01, -99.0, -5.0, -6.0, -7.0])
    model = table_model(tables)
    steps = count_steps(model)
    case = Case(0, 6, 1.0, 4, 1, 500, 1.0, (), exact=False)
    wanted = [[TokenConstraint(alternatives=((3, 4),))]]
    found = search(model, torch.tensor([[0, 1]]), case.options(), Vdba(), wanted)
    assert found[0][0].token_ids == (3, 4)
    assert len(steps) < 10


def count_steps(model: TableModel) -> list[int]:
    """A list that grows by one with every step."""
    steps: list[int] = []
    plain_step = model.step

    def counted(state: TableState, token_ids: torch.Tensor) -> DecoderOutput:
        steps.append(1)
        return plain_step(state, token_ids)

    model.step = counted  # type: ignore[method-assign]
    return steps
