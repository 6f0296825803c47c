"""Alignment error rate against numbers worked out by hand."""

import pytest

from lexalign.contracts.alignment import Link
from lexalign.contracts.errors import LexalignError
from lexalign.metrics.aer import score_alignments

GOLD = [Link(0, 0), Link(1, 1), Link(2, 2, sure=False), Link(2, 3, sure=False)]


def test_a_hand_made_example() -> None:
    """A = {0-0, 2-2, 3-3}: one sure, one possible, one wrong."""
    score = score_alignments([GOLD], [[Link(0, 0), Link(2, 2), Link(3, 3)]])
    assert (score.hypothesized, score.sure, score.possible) == (3, 2, 4)
    assert (score.in_sure, score.in_possible) == (1, 2)
    assert score.precision == 2 / 3
    assert score.recall == 1 / 2
    assert score.aer == pytest.approx(1 - (1 + 2) / (3 + 2))


def test_a_corpus_is_summed_before_it_is_divided() -> None:
    score = score_alignments([[Link(0, 0)], GOLD], [[Link(0, 0)], [Link(1, 0)]])
    assert score.aer == pytest.approx(1 - (1 + 1) / (2 + 3))
    assert score.sentences == 2


def test_leaving_out_possible_links_is_no_error() -> None:
    sure = [link for link in GOLD if link.sure]
    assert score_alignments([GOLD], [sure]).aer == 0
    assert score_alignments([GOLD], [GOLD]).aer == 0


def test_links_count_once_whatever_their_probability() -> None:
    score = score_alignments([[Link(0, 0)]], [[Link(0, 0, 0.5), Link(0, 0, 0.7)]])
    assert score.hypothesized == 1


@pytest.mark.parametrize(
    ("gold", "hypothesis", "values"),
    [
        ([], [], (0.0, 1.0, 1.0)),
        ([], [Link(0, 0)], (1.0, 0.0, 1.0)),
        ([Link(0, 0)], [], (1.0, 1.0, 0.0)),
        ([Link(0, 0, sure=False)], [], (0.0, 1.0, 1.0)),
        ([Link(0, 0, sure=False)], [Link(0, 0)], (0.0, 1.0, 1.0)),
    ],
)
def test_empty_alignments(
    gold: list[Link], hypothesis: list[Link], values: tuple[float, float, float]
) -> None:
    score = score_alignments([gold], [hypothesis])
    assert (score.aer, score.precision, score.recall) == values


def test_no_sentences() -> None:
    assert score_alignments([], []).aer == 0


def test_unequal_numbers_of_sentences_are_refused() -> None:
    with pytest.raises(LexalignError, match="2 gold sentences and 1 hypothesised"):
        score_alignments([[], []], [[]])


def test_the_signature_has_the_settings() -> None:
    signature = score_alignments([[]], [[]], null="end:masked", gold_base=1, lengths_checked=True).signature
    for part in ("sentences:1", "null:end:masked", "gold-base:1", "hypothesis-base:0", "lengths:checked"):
        assert part in signature
