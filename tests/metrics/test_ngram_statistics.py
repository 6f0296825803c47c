"""BLEU and chrF from statistics are sacreBLEU's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF

from lexalign.contracts.errors import LexalignError
from lexalign.metrics.ngram_statistics import bleu_statistics, chrf_statistics

SENTENCE = st.lists(st.sampled_from(["a", "b", "cat", "dog,", "it's"]), max_size=8).map(" ".join)
CORPUS = st.lists(st.tuples(SENTENCE, SENTENCE), min_size=1, max_size=4)


@given(CORPUS)
def test_values_are_sacrebleus(corpus: list[tuple[str, str]]) -> None:
    hypotheses, references = [list(column) for column in zip(*corpus, strict=True)]
    for statistics, metric in ((bleu_statistics, BLEU()), (chrf_statistics, CHRF())):
        ours = statistics(hypotheses, references)
        theirs = metric.corpus_score(hypotheses, [references]).score
        assert ours.value == pytest.approx(theirs, abs=1e-9)
        assert ours.signature == str(metric.get_signature())
        assert len(ours.rows) == len(corpus)


def test_case_can_be_ignored() -> None:
    for statistics in (bleu_statistics, chrf_statistics):
        assert statistics(["THE CAT SAT DOWN"], ["the cat sat down"]).value < 50
        ignored = statistics(["THE CAT SAT DOWN"], ["the cat sat down"], ignore_case=True)
        assert ignored.value == pytest.approx(100)
        assert "case:lc" in ignored.signature


def test_no_segments_score_nothing() -> None:
    assert bleu_statistics([], []).value == chrf_statistics([], []).value == 0


def test_many_samples_are_combined_at_once() -> None:
    statistics = bleu_statistics(["a b c d", "x"], ["a b c d", "y"])
    alone = [statistics.combine(row[None])[0] for row in statistics.rows]
    assert np.allclose(statistics.combine(statistics.rows), alone)
    assert np.allclose(alone, [100, 0])


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(LexalignError, match="1 hypotheses and 2 references"):
        bleu_statistics(["a"], ["a", "b"])
