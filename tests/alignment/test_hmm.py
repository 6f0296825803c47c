"""The HMM in tensors, against plain loops over all alignments."""

import math
import random
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lexalign.alignment.statistical.hmm import HmmOptions, align_by_agreement
from lexalign.alignment.statistical.hmm.bitext import read_bitext
from lexalign.alignment.statistical.hmm.linking import best_threshold
from lexalign.alignment.statistical.hmm.parameters import Jumps
from lexalign.alignment.statistical.hmm.posteriors import hmm_posteriors
from lexalign.alignment.statistical.hmm.training import HmmAligner
from lexalign.contracts.errors import LexalignError

CPU = torch.device("cpu")
TEXT = [("a b c", "x y z"), ("b a", "y x"), ("c", "z z"), ("a c d", "x"), ("d b", "w y q"), ("", "x")]
PAIRS = [(source.split(), target.split()) for source, target in TEXT]


def aligner(pairs: list[tuple[list[str], list[str]]] = PAIRS, **options: Any) -> HmmAligner:
    chosen = HmmOptions(**options)
    return HmmAligner(read_bitext(pairs, chosen), chosen, CPU)


def jump_probability(weights: list[float], before: int, position: int, length: int) -> float:
    longest = len(weights) // 2

    def weight(step: int) -> float:
        return weights[max(-longest, min(longest, step)) + longest]

    return weight(position - before) / sum(weight(other - before) for other in range(1, length + 1))


def enumerated(
    emissions: list[list[float]], nulls: list[float], weights: list[float], null: float
) -> tuple[float, list[list[float]], list[float], dict[tuple[int, int], float]]:
    """Likelihood, posteriors of words and of nothing, and expected jumps, over every alignment."""
    length = len(emissions[0])
    total, words, nothing = 0.0, [[0.0] * length for _ in emissions], [0.0] * len(emissions)
    jumps: dict[tuple[int, int], float] = {}
    for path in product(range(length + 1), repeat=len(emissions)):
        probability, last, taken = 1.0, 0, []
        for step, position in enumerate(path):
            if position == 0:
                probability *= null * nulls[step]
                continue
            probability *= (1 - null) * jump_probability(weights, last, position, length)
            probability *= emissions[step][position - 1]
            taken.append((last, position))
            last = position
        total += probability
        for step, position in enumerate(path):
            if position:
                words[step][position - 1] += probability
            else:
                nothing[step] += probability
        for jump in taken:
            jumps[jump] = jumps.get(jump, 0.0) + probability
    scaled = [[value / total for value in row] for row in words]
    return total, scaled, [value / total for value in nothing], {j: p / total for j, p in jumps.items()}


def padded(tables: list[list[list[float]]], height: int, width: int) -> torch.Tensor:
    found = torch.zeros(len(tables), height, width)
    for index, table in enumerate(tables):
        found[index, : len(table), : len(table[0])] = torch.tensor(table)
    return found


def test_posteriors_and_jumps_are_those_of_all_alignments() -> None:
    generator = random.Random(1)
    shapes = [(4, 3), (1, 1), (2, 4), (3, 2)]  # targets, sources
    tables = [[[generator.random() for _ in range(width)] for _ in range(height)] for height, width in shapes]
    nulls = [[generator.random() for _ in range(height)] for height, _ in shapes]
    jumps = Jumps(2, CPU)
    jumps.weights = torch.tensor([0.1, 0.3, 0.2, 0.9, 0.4])
    weights, null = jumps.weights.tolist(), 0.3
    source_mask = torch.arange(4) < torch.tensor([[width] for _, width in shapes])
    target_mask = torch.arange(4) < torch.tensor([[height] for height, _ in shapes])
    rows = padded([[row] for row in nulls], 1, 4)[:, 0]
    found = hmm_posteriors(padded(tables, 4, 4), rows, source_mask, target_mask, jumps, null, learn=True)
    likelihood, taken, offered = 0.0, [0.0] * 5, [0.0] * 5
    for index, (height, width) in enumerate(shapes):
        total, words, nothing, expected = enumerated(tables[index], nulls[index], weights, null)
        likelihood += math.log(total)
        assert torch.allclose(found.words[index], padded([words], 4, 4)[0], atol=1e-5)
        assert found.nulls[index, :height].tolist() == pytest.approx(nothing, abs=1e-5)
        assert not found.nulls[index, height:].any()
        for (before, position), count in expected.items():
            taken[max(-2, min(2, position - before)) + 2] += count
            for other in range(1, width + 1):
                share = jump_probability(weights, before, other, width)
                bucket = max(-2, min(2, other - before)) + 2
                offered[bucket] += count * share / weights[bucket]
    assert found.log_likelihood.item() == pytest.approx(likelihood, abs=1e-4)
    assert found.jumps is not None
    jumps.add(*found.jumps)
    jumps.update()
    learnt = [one / other for one, other in zip(taken, offered, strict=True)]
    assert jumps.weights.tolist() == pytest.approx([one / sum(learnt) for one in learnt], abs=1e-5)


@pytest.mark.parametrize("agreement", [True, False])
def test_an_iteration_is_that_of_plain_loops(agreement: bool) -> None:
    """IBM model 1, from the start."""
    found = aligner(agreement=agreement)
    found.run_iteration()
    spoken = [pair for pair in PAIRS if all(pair)]
    seen = [word for _, target in PAIRS for word in target]
    heard = [word for source, _ in PAIRS for word in source]
    counts: dict[tuple[str, str], float] = {}
    for source, target in spoken:
        for t in target:
            for s in source:
                # every translation has the probability one over the size of the vocabulary, padding included
                ahead = 0.8 / len(source) / (len(set(seen)) + 1)
                ahead /= ahead * len(source) + 0.2 * seen.count(t) / len(seen)
                back = 0.8 / len(target) / (len(set(heard)) + 1)
                back /= back * len(target) + 0.2 * heard.count(s) / len(heard)
                counts[s, t] = counts.get((s, t), 0.0) + (math.sqrt(ahead * back) if agreement else ahead)
    text = read_bitext(PAIRS, HmmOptions())
    ids = [dict(zip(words, side.ids.tolist(), strict=True)) for words, side in
           ((heard, text.source), (seen, text.target))]  # fmt: skip
    for (s, t), count in counts.items():
        total = sum(other for (given, _), other in counts.items() if given == s)
        place = (found._sources == ids[0][s]) & (found._targets == ids[1][t])
        assert found.lexicon.forward[place].tolist() == pytest.approx([count / total], abs=1e-5)


def permuted(size: int, seed: int = 1) -> list[tuple[list[str], list[str]]]:
    """Word by word translations, every pair of neighbours in the other order, and a word from nowhere."""
    generator = random.Random(seed)
    words = [f"w{index}" for index in range(30)]
    pairs = []
    for _ in range(size):
        source = generator.sample(words, 2 * generator.randint(1, 4))
        target = [source[index ^ 1].upper() + "x" for index in range(len(source))]
        pairs.append((source, [*target, "NONE"] if len(source) > 4 else target))
    return pairs


def test_likelihood_never_falls_without_agreement() -> None:
    model = aligner(permuted(100), agreement=False)
    likelihoods = [model.run_iteration() for _ in range(4)]
    model.start_hmm()
    following = [model.run_iteration() for _ in range(8)]
    for run in (likelihoods, following):
        for before, after in pairwise(run):
            assert all(new >= old - 1e-5 * abs(old) for old, new in zip(before, after, strict=True))
    assert following[-1][0] > following[0][0] + 1


def test_batches_do_not_change_what_is_found() -> None:
    pairs = permuted(60)
    together, alone = (align_by_agreement(pairs, HmmOptions(batch_cells=cells)) for cells in (1_000_000, 1))
    assert (together.points == alone.points).all()
    assert together.probabilities == pytest.approx(alone.probabilities, abs=1e-3)


def test_threads_change_neither_what_is_found_nor_what_torch_uses() -> None:
    pairs, found = permuted(60), []
    before = torch.get_num_threads()
    try:
        for num_threads in (1, 3):
            torch.set_num_threads(num_threads)
            found.append(align_by_agreement(pairs, HmmOptions(batch_cells=200)))
            assert torch.get_num_threads() == num_threads
    finally:
        torch.set_num_threads(before)
    assert (found[0].points == found[1].points).all()
    assert (found[0].probabilities == found[1].probabilities).all()


def test_a_permuted_text_is_aligned() -> None:
    pairs = permuted(200)
    found = align_by_agreement(pairs, HmmOptions())
    for index, (source, _) in enumerate(pairs):
        assert {(s, t) for s, t, _ in found[index]} == {(i, i ^ 1) for i in range(len(source))}
    assert found.probabilities.min() >= 0.3


@given(st.lists(st.integers(1, 1000), max_size=12), st.integers(0, 3000))
def test_the_best_threshold_is_that_of_a_plain_search(thousandths: list[int], rest: int) -> None:
    probabilities = np.array([one / 1000 for one in thousandths], dtype=np.float32)
    expected = float(probabilities.sum()) + rest / 1000

    def measure(threshold: float) -> float:
        chosen = probabilities[probabilities >= threshold].astype(float)
        return float(2 * chosen.sum() / (len(chosen) + expected))

    found = best_threshold(probabilities, expected)
    if len(probabilities):
        assert measure(found) == pytest.approx(max(map(measure, probabilities)))


def test_a_threshold_may_be_asked_for() -> None:
    pairs = permuted(20)
    whole = align_by_agreement(pairs, HmmOptions(threshold=0.01))
    for threshold in (0.3, 0.9):
        found = align_by_agreement(pairs, HmmOptions(threshold=threshold))
        assert found.probabilities.min() >= threshold
        assert len(found.probabilities) == (whole.probabilities >= threshold).sum()


def test_links_are_between_words_as_they_came() -> None:
    pairs = permuted(200)
    pairs.append((["W1,", "w2."], ["W2X,", "W1X."]))
    found = align_by_agreement([*pairs, ([], ["x"]), (["w1"], [])], HmmOptions())
    assert {(0, 1), (1, 0)} <= {(s, t) for s, t, _ in found[200]}
    assert found[201] == found[202] == []
    assert len(found) == 203


def test_words_with_the_same_stem_are_one_type() -> None:
    forms = ["running", "Runninng", "runnings", "run"]
    stemmed = read_bitext([(forms, ["x"])], HmmOptions(stem=5)).source.ids.tolist()
    assert stemmed[0] == stemmed[1] == stemmed[2] != stemmed[3]
    whole = read_bitext([(forms, ["x"])], HmmOptions(stem=0)).source.ids.tolist()
    assert len(set(whole)) == 4


def test_devanagari_words_stay_whole() -> None:
    assert len(read_bitext([(["हिन्दी।"], ["x"])], HmmOptions()).source.ids) == 2


def test_nothing_to_learn_from() -> None:
    assert len(align_by_agreement([])) == 0
    assert align_by_agreement([([], [])])[0] == []


@pytest.mark.parametrize("options", [{"null": 0.0}, {"threshold": 0.0}, {"stem": -1}, {"batch_cells": 0}])
def test_invalid_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(LexalignError):
        HmmOptions(**options)
