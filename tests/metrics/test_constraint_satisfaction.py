"""CSR by hand, and against a count of words."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.metrics.constraint_satisfaction import avoidance, constraint_satisfaction
from lexalign.metrics.words import WordOptions


def must(*targets: str) -> Constraint:
    return Constraint(targets=targets)


@pytest.mark.parametrize(
    ("text", "constraints", "met"),
    [
        ("The dog barks.", [must("dog")], 1),
        ("The dogma of hotdogs.", [must("dog")], 0),
        ("The hot-dog.", [must("dog")], 1),
        ("A dog, a dog.", [must("dog"), must("dog"), must("dog")], 2),
        ("A cat.", [must("dog", "cat")], 1),
        ("security system", [must("security system"), must("system")], 2),
        ("A Dog.", [must("dog")], 0),
        ("a a b", [must("a b")], 1),
        ("5 6 8", [must("5 6 7"), must("6")], 1),
        ("日本の東京都", [must("東京")], 1),
        ("", [must("dog")], 0),
        ("no", [must("!?"), must("no")], 1),
    ],
)
def test_constraints_met(text: str, constraints: list[Constraint], met: int) -> None:
    score = constraint_satisfaction([text], [constraints])
    assert score.rows.tolist() == [[met, len(constraints)]]
    assert score.value == pytest.approx(100 * met / len(constraints))


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_single_words_are_counted_with_multiplicity(text: list[str], asked: list[str]) -> None:
    score = constraint_satisfaction([" ".join(text)], [[must(word) for word in asked]])
    assert score.rows[0, 0] == sum((Counter(text) & Counter(asked)).values())


def test_a_corpus_is_summed_before_it_is_divided() -> None:
    score = constraint_satisfaction(["a", "b", "c"], [[must("a"), must("b")], [must("b")], []])
    assert score.value == pytest.approx(200 / 3)
    assert "constraints:3" in score.signature


def test_no_constraints_at_all() -> None:
    assert constraint_satisfaction(["a"], [[]]).value == 0


def test_words_to_avoid_are_counted_apart() -> None:
    asked = [[must("dog"), Constraint(targets=("cat", "cats"), kind="avoid")]] * 2
    hypotheses = ["dog", "dog and cats"]
    assert constraint_satisfaction(hypotheses, asked).value == 100
    assert avoidance(hypotheses, asked).value == 50


def test_preferred_constraints_count() -> None:
    assert constraint_satisfaction(["a"], [[Constraint(targets=("b",), kind="prefer")]]).value == 0


def test_case_and_tokenized_text() -> None:
    assert constraint_satisfaction(["A Dog."], [[must("dog")]], WordOptions(ignore_case=True)).value == 100
    spaces = WordOptions(splitting="spaces")
    assert constraint_satisfaction(["a hot-dog ."], [[must("dog")]], spaces).value == 0
    assert "words:spaces" in constraint_satisfaction(["a"], [[]], spaces).signature


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(LexalignError, match="1 hypotheses and 2 lines of constraints"):
        constraint_satisfaction(["a"], [[], []])
