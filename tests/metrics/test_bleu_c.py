"""BLEU-C: the example of the paper's appendix, and spans by hand."""

import pytest
from sacrebleu.metrics import BLEU

from lexalign.contracts.constraint import Constraint
from lexalign.metrics.bleu_c import bleu_c, bleu_c_by_window, span_pairs
from lexalign.metrics.constraint_satisfaction import find_occurrences
from lexalign.metrics.words import WordOptions

REFERENCE = "we consider the development of a robust security system that is independent of the"
PREDICTION = "we consider developing a robust security system which is independent of the"
CONSTRAINTS = [Constraint(targets=("development",)), Constraint(targets=("security system",))]


def pairs(hypothesis: str, reference: str, *targets: str, window: int = 2) -> list[tuple[str, str]]:
    return spans(hypothesis, reference, [Constraint(targets=(target,)) for target in targets], window)


def spans(
    hypothesis: str, reference: str, constraints: list[Constraint], window: int
) -> list[tuple[str, str]]:
    found, expected = (find_occurrences(text, constraints, WordOptions()) for text in (hypothesis, reference))
    return span_pairs(found, expected, window)


def test_the_papers_example() -> None:
    assert pairs(PREDICTION, REFERENCE, "development", "security system") == [
        ("", "consider the development of a"),
        ("a robust security system which is", "a robust security system that is"),
    ]
    expected = BLEU().corpus_score(
        ["", "a robust security system which is"],
        [["consider the development of a", "a robust security system that is"]],
    )
    score = bleu_c([PREDICTION], [REFERENCE], [CONSTRAINTS], window=2)
    assert score.value == pytest.approx(expected.score)
    for part in ("spans:2", "not-in-reference:0", "window:2", "tok:13a", "lexalign:"):
        assert part in score.signature


def test_spans_end_with_the_sentence_and_keep_its_spelling() -> None:
    assert pairs("(The dog), barks!", "The dog.", "dog", window=3) == [("(The dog), barks", "The dog.")]
    assert pairs("a b c", "c b a", "b", window=0) == [("b", "b")]


def test_repeated_constraints_have_places_of_their_own() -> None:
    assert pairs("a x b x c", "1 x 2 x 3", "x", "x", window=1) == [("a x b", "1 x 2"), ("b x c", "2 x 3")]
    assert pairs("a x b", "1 x 2 x 3", "x", "x", window=1) == [("a x b", "1 x 2"), ("", "2 x 3")]


def test_a_constraint_that_is_not_in_the_reference_is_left_out_and_named() -> None:
    score = bleu_c(["a b c e d"], ["a b c e x"], [[Constraint(targets=("d",)), Constraint(targets=("a",))]])
    assert "spans:1|not-in-reference:1" in score.signature
    assert score.value == pytest.approx(100)


def test_any_alternative_meets_a_constraint() -> None:
    constraint = Constraint(targets=("houses", "house"))
    assert spans("two houses", "one house", [constraint], 3) == [("two houses", "one house")]


def test_rows_are_segments() -> None:
    score = bleu_c([PREDICTION, "x"], [REFERENCE, "y"], [CONSTRAINTS, []])
    assert score.rows.shape == (2, 10)
    assert not score.rows[1].any()


def test_words_to_avoid_have_no_spans() -> None:
    score = bleu_c(["a b c d"], ["a b c d"], [[Constraint(targets=("a",), kind="avoid")]])
    assert "spans:0" in score.signature
    assert score.value == 0


def test_windows_together_are_windows_alone() -> None:
    texts = [PREDICTION, "x"], [REFERENCE, "y"], [CONSTRAINTS, []]
    together = bleu_c_by_window(*texts, windows=(0, 2, 4))
    for window, score in together.items():
        alone = bleu_c(*texts, window=window)
        assert score.rows.tolist() == alone.rows.tolist()
        assert score.signature == alone.signature
    assert len({score.value for score in together.values()}) == 3
