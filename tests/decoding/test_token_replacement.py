"""Token replacement on tables, against Algorithm 2 line by line."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.alignment.attention import NaiveAttention, ShiftedAttention
from lexalign.alignment.table_aligner import TableAligner
from lexalign.contracts.alignment import Aligner, OnlineAligner
from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.errors import LexalignError
from lexalign.decoding.graph_search import GraphSearcher
from lexalign.decoding.policies.token_replacement import TokenReplacement
from lexalign.decoding.search import search

from .cases import BATCH, Case, assert_same, cases
from .exhaustive import START, random_tables, table_model
from .matching_oracle import Text
from .replacement_oracle import replacement_search

ALIGNERS: dict[str, Callable[[Case], Aligner | OnlineAligner]] = {
    "online": lambda case: TableAligner(case.affinity()),
    "naive": lambda _: NaiveAttention(layer=0),
    "shifted": lambda _: ShiftedAttention(layer=0),
}


def policy(case: Case, name: str) -> TokenReplacement:
    return TokenReplacement(aligner=ALIGNERS[name](case), matching=case.matching())


@settings(max_examples=150, deadline=None)
@given(case=cases(kinds=("must",)), name=st.sampled_from(sorted(ALIGNERS)))
def test_equals_the_oracle(case: Case, name: str) -> None:
    case = replace(case, n_best=min(case.beam, 2), exact=True)
    found = case.search(policy(case, name))
    for sentence in range(BATCH):
        if not any(c.source for c in case.possible(sentence)):
            continue

        def aligned_to(token: int, text: Text, sentence: int = sentence) -> int:
            """The attention that predicts a token is that of the token before it."""
            seen = token if name != "naive" else (text or (START,))[-1]
            return int(case.mass(sentence, seen).argmax())

        expected = replacement_search(
            case.tables()[sentence],
            case.possible(sentence),
            aligned_to,
            beam=case.beam,
            n_best=case.n_best,
            max_length=case.max_length,
            penalty=case.penalty,
        )
        assert_same(found[sentence], expected)


@settings(max_examples=60, deadline=None)
@given(case=cases(), name=st.sampled_from(sorted(ALIGNERS)))
def test_without_a_source_it_is_plain_search(case: Case, name: str) -> None:
    wanted = tuple(replace(c, source=None) for c in case.constraints[0] if c.kind == "must")
    case = replace(case, constraints=(wanted, case.constraints[1], ()))
    plain = search(case.model(), case.source_ids(), case.options())
    found = case.search(policy(case, name))
    assert replace(found[0][0], constraint_results=()) == plain[0][0]
    assert found[2] == plain[2]
    reasons = {result.reason for result in found[0][0].constraint_results}
    assert reasons <= {None, "no source", "length limit", "inside a word"}


@settings(max_examples=30, deadline=None)
@given(case=cases(), name=st.sampled_from(sorted(ALIGNERS)))
def test_static_tensors_give_the_same(case: Case, name: str) -> None:
    replacement = policy(case, name)
    searcher = GraphSearcher(case.model(), case.options(), replacement)
    searcher.search(case.source_ids().flip(0), case.constraints[::-1])
    assert searcher.search(case.source_ids(), case.constraints) == case.search(replacement)


def test_a_head_that_is_not_there_is_an_error() -> None:
    wanted = (TokenConstraint(alternatives=((6, 6),), source=(2,)),)
    case = Case(0, 7, 1.0, 2, 1, 8, 1.0, (wanted,) * BATCH)
    with pytest.raises(LexalignError, match="no attention head 2; there are 1"):
        case.search(TokenReplacement(aligner=ShiftedAttention(layer=0, head=1)))


def test_a_token_is_replaced_where_it_is_aligned_to_the_source() -> None:
    """3 4 5 translates 3 4 5; 6 6 stands for the second."""
    table = random_tables(1, 7, seed=1, sharpness=0.1)
    for last, following in ((2, 3), (3, 4), (4, 5), (5, 1), (6, 5)):
        table[:, :, last, following] += 9.0
    wanted = [[TokenConstraint(alternatives=((6, 6),), source=(2,))]]
    case = Case(0, 7, 1.0, 2, 1, 8, 1.0, ())
    replacement = TokenReplacement(aligner=TableAligner(torch.eye(7) + 0.01))
    source = torch.tensor([[0, 3, 4, 5]])
    found = search(table_model(table), source, case.options(), replacement, wanted)[0][0]
    assert found.token_ids == (3, 6, 6, 5)
    assert found.constraint_results[0].tokens == (1, 3)
