"""TER against sacreBLEU's and against a plain edit distance; TERm by hand."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.lib_ter import translation_edit_rate

from lexalign.contracts.constraint import Constraint
from lexalign.metrics.edit_rate import term_edit_rate, term_weights, translation_edits
from lexalign.metrics.words import WordOptions

WORDS = st.lists(st.sampled_from("abcdef"), max_size=9)


@given(WORDS, WORDS)
def test_weights_of_1_give_sacrebleus_edits(hypothesis: list[str], reference: list[str]) -> None:
    assert translation_edits(hypothesis, reference) == translation_edit_rate(hypothesis, reference)[0]


def test_longer_sentences_with_shifts_too() -> None:
    generator = random.Random(7)
    for _ in range(60):
        reference = [str(generator.randrange(20)) for _ in range(20)]
        cut = generator.randrange(20)
        hypothesis = [word for word in reference[cut:] + reference[:cut] if generator.random() < 0.9]
        expected = translation_edit_rate(hypothesis, reference)[0]
        assert translation_edits(hypothesis, reference) == expected


def distance(hypothesis: list[str], reference: list[str], weights: list[float]) -> float:
    """By its recursive definition."""
    if not hypothesis:
        return sum(weights)
    if not reference:
        return len(hypothesis)
    cost = 0 if hypothesis[-1] == reference[-1] else weights[-1]
    return min(
        distance(hypothesis[:-1], reference[:-1], weights[:-1]) + cost,
        distance(hypothesis[:-1], reference, weights) + 1,
        distance(hypothesis, reference[:-1], weights[:-1]) + weights[-1],
    )


@given(st.lists(st.sampled_from("ab"), max_size=4), st.data())
def test_weighted_edits_are_at_most_the_distance(reference: list[str], data: st.DataObject) -> None:
    weights = data.draw(
        st.lists(st.sampled_from([1.0, 2.0]), min_size=len(reference), max_size=len(reference))
    )
    hypothesis = data.draw(st.lists(st.sampled_from("ab"), max_size=4))
    edits = translation_edits(hypothesis, reference, weights)
    assert edits <= distance(hypothesis, reference, weights)
    if not set(hypothesis) & set(reference):  # nothing could be shifted
        assert edits == distance(hypothesis, reference, weights)
    assert (edits == 0) == (hypothesis == reference)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "weights", "edits"),
    [
        ("d e a b c", "a b c d e", [1, 1, 1, 1, 1], 1),  # one shift
        ("a x c", "a b c", [1, 2, 1], 2),  # a term replaced
        ("a c", "a b c", [1, 2, 1], 2),  # a term missing
        ("a b x c", "a b c", [1, 2, 1], 1),  # a word too many, beside a term
        ("b a", "a b", [2, 2], 1),  # a term moved
        ("", "a b", [2, 1], 3),
        ("a b", "", [], 2),
        ("", "", [], 0),
    ],
)
def test_costs(hypothesis: str, reference: str, weights: list[float], edits: float) -> None:
    assert translation_edits(hypothesis.split(), reference.split(), weights) == edits


def test_nothing_but_repetitions_ends_soon() -> None:
    translation_edits(["the"] * 120 + ["end"], ["the", "end"] * 40)


def test_terms_weigh_double_at_their_place() -> None:
    text = ["a", "dog", "saw", "a", "hot", "dog"]
    constraints = [Constraint(targets=("hot dog",)), Constraint(targets=("cat",))]
    assert term_weights(text, constraints, WordOptions(), 2.0) == [1, 1, 1, 1, 2, 2]


def test_the_corpus_is_the_mean_of_its_segments() -> None:
    asked = [[Constraint(targets=("dog",))], [], []]
    score = term_edit_rate(["a cat", "b", ""], ["a dog", "b", ""], asked)
    assert score.rows[:, 0].tolist() == [1 - 2 / 2, 1, 1]
    assert score.value == pytest.approx(200 / 3)
    assert "weight:2" in score.signature


def test_a_bad_translation_may_go_below_nothing() -> None:
    assert term_edit_rate(["x y z"], ["a"], [[]]).value == pytest.approx(-200)
    assert term_edit_rate(["x"], [""], [[]]).value == 0
