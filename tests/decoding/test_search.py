"""Beam search on models that are tables, against slow and plain searches."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.contracts.errors import LexalignError
from lexalign.decoding.graph_search import GraphSearcher
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.scores import TokenScores, take_out_everywhere, take_out_of_rows
from lexalign.decoding.search import join_parts, search, search_parts

from .exhaustive import beam_search, best_of_all, greedy, log_probability, random_tables, table_model

MAX_LENGTH = 6


def options(**changes: Any) -> SearchOptions:
    return SearchOptions(
        **{"exact": True, "max_length": MAX_LENGTH, "max_ratio": 0.0, "max_extra": MAX_LENGTH, **changes}
    )


def batch(number: int) -> torch.Tensor:
    """Sentence i of a batch uses table i; the second token only makes i = 0 a sentence."""
    return torch.stack([torch.arange(number), torch.ones(number, dtype=torch.int64)], dim=1)


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    size=st.integers(4, 9),
    beam=st.integers(1, 6),
    penalty=st.sampled_from([0.0, 0.6, 1.0, 2.0]),
    sharpness=st.sampled_from([0.5, 2.0, 6.0]),
    data=st.data(),
)
def test_equals_beam_search_that_never_stops_early(
    seed: int, size: int, beam: int, penalty: float, sharpness: float, data: st.DataObject
) -> None:
    n_best = data.draw(st.integers(1, beam))
    tables = random_tables(3, size, seed, sharpness)
    results = search(table_model(tables), batch(3), options(beam=beam, n_best=n_best, length_penalty=penalty))
    for table, ranked in zip(tables, results, strict=True):
        expected = beam_search(table, beam, n_best, MAX_LENGTH, penalty)
        assert [h.score for h in ranked] == pytest.approx([score for _, score in expected], abs=1e-4)
        assert [h.token_ids for h in ranked] == [tokens for tokens, _ in expected]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), penalty=st.sampled_from([0.0, 1.0]))
def test_a_beam_as_wide_as_the_space_finds_the_best_sentence(seed: int, penalty: float) -> None:
    table = random_tables(1, 5, seed)
    short = SearchOptions(exact=True, beam=40, length_penalty=penalty, max_length=4)
    hypothesis = search(table_model(table), batch(1), short)[0][0]
    _, score = best_of_all(table[0], 4, penalty)
    assert hypothesis.score == pytest.approx(score, abs=1e-5)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.integers(4, 12))
def test_a_beam_of_one_is_greedy(seed: int, size: int) -> None:
    tables = random_tables(4, size, seed)
    results = search(table_model(tables), batch(4), options(beam=1))
    assert [ranked[0].token_ids for ranked in results] == [greedy(table, MAX_LENGTH) for table in tables]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), beam=st.integers(1, 4), size=st.integers(1, 7), exact=st.booleans())
def test_parts_have_every_sentence_once(seed: int, beam: int, size: int, exact: bool) -> None:
    model, sentences = table_model(random_tables(7, 8, seed)), batch(7)
    chosen = options(beam=beam, exact=exact)
    parts = list(join_parts(search_parts(model, sentences, model.encode(sentences), chosen), size, 7))
    assert all(len(places) >= size for places, _ in parts[:-1])
    found = {place: ranked for part in parts for place, ranked in zip(*part, strict=True)}
    assert sum(len(places) for places, _ in parts) == len(found) == 7
    assert [found[place] for place in range(7)] == search(model, sentences, chosen)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), beam=st.integers(1, 5), exact=st.booleans())
def test_a_batch_gives_what_its_sentences_give_alone(seed: int, beam: int, exact: bool) -> None:
    tables = random_tables(5, 8, seed)
    model, sentences = table_model(tables), batch(5)
    chosen = options(beam=beam, n_best=beam, exact=exact)
    together = search(model, sentences, chosen)
    for index in range(5):
        assert together[index] == search(model, sentences[index : index + 1], chosen)[0]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), beam=st.integers(1, 5))
def test_an_exact_search_finds_no_less(seed: int, beam: int) -> None:
    model, sentences = table_model(random_tables(5, 8, seed)), batch(5)
    found, better = (search(model, sentences, options(beam=beam, exact=exact)) for exact in (False, True))
    for one, other in zip(found, better, strict=True):
        assert other[0].score >= one[0].score


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), beam=st.integers(1, 5), exact=st.booleans())
def test_static_tensors_give_the_same(seed: int, beam: int, exact: bool) -> None:
    model = table_model(random_tables(6, 8, seed))
    chosen = options(beam=beam, n_best=beam, exact=exact)
    searcher = GraphSearcher(model, chosen)
    for first in (0, 3):  # the second batch goes into the tensors of the first
        sentences = batch(6)[first : first + 3]
        expected = search(model, sentences, chosen)
        assert searcher.search(sentences) == expected


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), beam=st.integers(1, 5))
def test_scores_are_those_of_forced_decoding(seed: int, beam: int) -> None:
    table = random_tables(1, 9, seed)
    for hypothesis in search(table_model(table), batch(1), options(beam=beam, n_best=beam))[0]:
        expected = log_probability(table[0], hypothesis.token_ids)
        assert hypothesis.log_probability == pytest.approx(expected, abs=1e-4)
        assert sum(hypothesis.token_log_probabilities) == pytest.approx(expected, abs=1e-4)
        assert len(hypothesis.token_log_probabilities) == len(hypothesis.token_ids) + 1


def test_lengths_stay_within_their_limits() -> None:
    tables = random_tables(8, 9, seed=1)
    for ranked in search(table_model(tables), batch(8), options(beam=3, n_best=3, min_length=2)):
        for hypothesis in ranked:
            assert 2 <= len(hypothesis.token_ids) <= MAX_LENGTH
            assert hypothesis.complete == (len(hypothesis.token_ids) < MAX_LENGTH)


def test_a_forced_length_is_kept() -> None:
    tables = random_tables(4, 9, seed=2)
    fixed = SearchOptions(beam=4, min_length=5, max_length=5)
    for ranked in search(table_model(tables), batch(4), fixed):
        assert len(ranked[0].token_ids) == 5


def test_a_short_source_limits_the_target() -> None:
    limited = SearchOptions(max_length=100, max_ratio=1.5, max_extra=2)
    assert limited.limit(10) == 18  # with end of sentence
    assert limited.limit(1000) == 101


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"beam": 0}, "beam is 0"),
        ({"beam": 2, "n_best": 3}, "n_best 3 is larger than beam 2"),
        ({"length_penalty": -1.0}, "length_penalty"),
        ({"min_length": 9, "max_length": 5}, "min_length 9"),
    ],
)
def test_impossible_options_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(LexalignError, match=message):
        SearchOptions(**changes)


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    size=st.sampled_from([5, 31, 97, 256, 257, 401, 960, 10_007]),
    count=st.integers(1, 20),
)
def test_top_is_the_head_of_the_sorted_scores(seed: int, size: int, count: int) -> None:
    """Also for vocabularies that do not divide into groups, and for tokens that are forbidden."""
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(2, 3, size, generator=generator) * 3
    logits[:, :, :2] = float("-inf")
    hypotheses = -torch.rand(2, 3, generator=generator) * 5
    top = TokenScores(logits.clone(), hypotheses).top(count)
    scores = (logits.log_softmax(-1) + hypotheses[:, :, None]).view(2, -1)
    expected = scores.sort(dim=1, descending=True).values[:, :count]
    torch.testing.assert_close(top.scores[:, : expected.shape[1]], expected)
    chosen = scores.gather(1, top.beam_index * size + top.token_ids)[:, : expected.shape[1]]
    torch.testing.assert_close(chosen, expected)


@given(seed=st.integers(0, 99), share=st.sampled_from([0.0, 0.3, 1.0]))
def test_tokens_are_taken_out_in_either_way(seed: int, share: float) -> None:
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(6, 20, generator=generator)
    where, tokens = torch.rand(6, generator=generator) < share, torch.rand(20, generator=generator) < 0.5
    left = scores.clone(), scores.clone()
    ways = (take_out_everywhere, take_out_of_rows)
    taken = [take_out(one, tokens, where) for take_out, one in zip(ways, left, strict=True)]
    assert torch.equal(*left)
    assert torch.equal(left[0], scores.masked_fill(where[:, None] & tokens, float("-inf")))
    for best, token_ids in taken:
        assert torch.equal(
            best, torch.where(where, scores.masked_fill(~tokens, float("-inf")).amax(1), float("-inf"))
        )
        if tokens.any():
            assert torch.equal(scores[where, token_ids[where]], best[where])
