"""Word posteriors against a slow implementation of their definition."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.alignment.posteriors import (
    agreed_links,
    first_tokens,
    linked_word_posteriors,
    word_indexes,
    word_posteriors,
)
from lexalign.contracts.alignment import WordAlignment
from lexalign.contracts.errors import LexalignError
from lexalign.translator.mutual_alignment import symmetrized


def test_a_word_continues_until_another_begins() -> None:
    continuing = torch.tensor([False, True, True])
    ids = torch.tensor([[0, 1, 2, 0, 0, 1]])
    words = word_indexes(ids, continuing)
    assert words.tolist() == [[1, 1, 1, 2, 3, 3]]
    content = torch.tensor([[True, True, True, True, False, False]])
    assert first_tokens(words, content).tolist() == [[True, False, False, True, False, False]]


def _slow_masses(rows: list[list[float]], sources: list[int], targets: list[int]) -> list[list[float]]:
    given_to = [
        [sum(p for p, word in zip(row, sources, strict=True) if word == wanted) for wanted in sources]
        for row in rows
    ]
    return [
        [max(given_to[t][s] for t in range(len(rows)) if targets[t] == word) for s in range(len(sources))]
        for word in targets
    ]


@settings(max_examples=200)
@given(st.data())
def test_masses_are_sums_over_the_source_word_and_maxima_over_the_target_word(data: st.DataObject) -> None:
    sources, targets = (
        torch.tensor(data.draw(st.lists(st.booleans(), min_size=1, max_size=6))).int().cumsum(0).tolist()
        for _ in range(2)
    )
    weights = data.draw(
        st.lists(
            st.integers(1, 9), min_size=len(sources) * len(targets), max_size=len(sources) * len(targets)
        )
    )
    rows = torch.tensor(weights, dtype=torch.float64).view(1, len(targets), len(sources))
    rows /= rows.sum(dim=2, keepdim=True)
    tensors = torch.tensor([sources]), torch.tensor([targets])
    expected = np.array(_slow_masses(rows[0].tolist(), sources, targets))
    assert np.allclose(word_posteriors(rows, *tensors)[0].numpy(), expected)
    best = rows.argmax(dim=2, keepdim=True)
    links = torch.zeros_like(rows, dtype=torch.bool).scatter_(2, best, True)
    found = linked_word_posteriors(rows, links, *tensors)[0].numpy()
    chosen = {(word, sources[column]) for word, column in zip(targets, best[0, :, 0].tolist(), strict=True)}
    linked = np.array([[(target, source) in chosen for source in sources] for target in targets])
    assert np.allclose(found, expected * linked)


def test_words_are_linked_where_the_mean_of_both_directions_is_high() -> None:
    forward = torch.tensor([[[0.9, 0.1], [0.4, 0.6]]])  # (B, T, S)
    backward = torch.tensor([[[0.3, 0.7], [0.8, 0.2]]])  # (B, S, T)
    masses = [forward, backward.transpose(1, 2)]
    assert agreed_links(masses).tolist() == [[[True, False], [True, False]]]
    third = torch.tensor([[[0.0, 1.0], [0.0, 1.0]]])
    assert agreed_links([*masses, third]).tolist() == [[[False, True], [False, True]]]


def _aligned(probabilities: list[list[float]] | None) -> WordAlignment:
    known = None if probabilities is None else np.array(probabilities)
    return WordAlignment(source=("a", "b"), target=("x", "y"), links=(), probabilities=known)


def test_the_mean_of_two_directions_needs_no_links() -> None:
    found = symmetrized(_aligned([[0.9, 0.1], [0.4, 0.6]]), _aligned([[0.3, 0.7], [0.8, 0.2]]), "mean")
    assert [(link.source, link.target) for link in found.links] == [(0, 0), (0, 1)]
    assert [link.probability for link in found.links] == pytest.approx([0.6, 0.55])


def test_the_mean_has_a_threshold() -> None:
    both = _aligned([[0.9, 0.1], [0.4, 0.6]]), _aligned([[0.3, 0.7], [0.8, 0.2]])
    found = {level: len(symmetrized(*both, "mean", level).links) for level in (0.42, 0.5, 0.57)}
    assert found == {0.42: 3, 0.5: 2, 0.57: 1}


def test_the_mean_of_what_has_no_probabilities_is_refused() -> None:
    with pytest.raises(LexalignError, match="mean joins probabilities"):
        symmetrized(_aligned(None), _aligned(None), "mean")
