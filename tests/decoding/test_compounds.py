"""A term as a part of a compound: where the model itself makes one, and never behind a stump.

Tokens: 3 is ▁Die, 4 is ▁Umwelt, 5 is standards, 6 is ▁Standards, 7 is ▁W; 5 continues a word.
"""

import pytest
import torch

from lexalign.alignment.table_aligner import TableAligner
from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.contracts.table_model import TableModel
from lexalign.decoding.constraints.sentence_constraints import Matching
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.guided import Guided
from lexalign.decoding.policies.token_replacement import TokenReplacement
from lexalign.decoding.policies.vdba import Vdba
from lexalign.decoding.policy import Policy
from lexalign.decoding.search import search

from .exhaustive import EOS, START, table_vocabulary

THE, UMWELT, TAIL, STANDARDS, STUMP, SIZE = 3, 4, 5, 6, 7, 8
CONTINUES = torch.tensor([token == TAIL for token in range(SIZE)])
WHOLE = TokenConstraint(alternatives=((STANDARDS,),), source=(2,))
COMPOUND = TokenConstraint(alternatives=((STANDARDS,), (TAIL,)), source=(2,))
# The source is "the standards"; all but the two tokens of standards come from its first word.
AFFINITY = torch.full((SIZE, SIZE), 0.001)
AFFINITY[[THE, UMWELT, STUMP, EOS], THE] = 1.0
AFFINITY[[TAIL, STANDARDS], STANDARDS] = 1.0
ALIGNER = TableAligner(AFFINITY)
GUIDED = Guided(aligner=ALIGNER, matching=Matching(continues_word=CONTINUES))
VDBA = Vdba(matching=Matching(continues_word=CONTINUES))


def translate(policy: Policy, constraint: TokenConstraint, after: dict[int, dict[int, float]]) -> Hypothesis:
    """`after` has the probabilities of tokens after a token; the rest is shared by all others."""
    table = torch.full((SIZE, SIZE), 0.001)
    for token, following in after.items():
        for other, probability in following.items():
            table[token, other] = probability
    tables = (table / table.sum(1, keepdim=True)).log()[None, None]
    model = TableModel(tables, table_vocabulary(SIZE), AFFINITY)
    options = SearchOptions(beam=4, max_length=8, max_ratio=0.0, max_extra=8)
    return search(model, torch.tensor([[0, THE, STANDARDS]]), options, policy, [[constraint]])[0][0]


COMPOUNDING = {
    START: {THE: 0.9},
    THE: {UMWELT: 0.9},
    UMWELT: {TAIL: 0.9},
    TAIL: {EOS: 0.9},
    STANDARDS: {EOS: 0.9},
}
SEPARATE = {START: {THE: 0.9}, THE: {STANDARDS: 0.5, STUMP: 0.4}, STANDARDS: {EOS: 0.9}, STUMP: {EOS: 0.9}}


@pytest.mark.parametrize("policy", [GUIDED, VDBA])
def test_the_model_s_own_compound_meets_its_term(policy: Policy) -> None:
    found = translate(policy, COMPOUND, COMPOUNDING)
    assert found.token_ids == (THE, UMWELT, TAIL)
    (result,) = found.constraint_results
    assert result.met
    assert result.tokens == (2, 3)


@pytest.mark.parametrize("policy", [GUIDED, VDBA])
def test_where_compounds_are_not_allowed_the_word_stands_alone(policy: Policy) -> None:
    found = translate(policy, WHOLE, COMPOUNDING)
    assert STANDARDS in found.token_ids
    assert found.constraint_results[0].met


@pytest.mark.parametrize("policy", [GUIDED, VDBA])
def test_no_compound_is_made_where_the_model_makes_none(policy: Policy) -> None:
    found = translate(policy, COMPOUND, SEPARATE)
    assert found.token_ids == (THE, STANDARDS)


def test_replacement_tells_of_a_longer_word() -> None:
    """The term was said, and the model went on with the word."""
    policy = TokenReplacement(aligner=ALIGNER, matching=Matching(continues_word=CONTINUES))
    after = {START: {STANDARDS: 0.9}, STANDARDS: {TAIL: 0.9}, TAIL: {EOS: 0.9}}
    (result,) = translate(policy, WHOLE, after).constraint_results
    assert (result.met, result.reason, result.tokens) == (False, "inside a word", (0, 1))
