"""Symmetrisation against a literal, slow implementation of its definition."""

import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.alignment.symmetrization import (
    METHODS,
    NEIGHBOURS,
    Method,
    _symmetrize_on_gpu,
    symmetrize,
    symmetrize_links,
)

Points = set[tuple[int, int]]  # source, target


def slow(forward: Points, backward: Points, method: str, num_targets: int, num_sources: int) -> Points:
    """Koehn's pseudo-code, word for word: no shortcuts, everything looked up anew each time."""
    if method == "union":
        return forward | backward
    aligned = forward & backward
    if method == "intersection":
        return aligned

    def source_free(source: int) -> bool:
        return all(other != source for other, _ in aligned)

    def target_free(target: int) -> bool:
        return all(other != target for _, other in aligned)

    added = True
    while added:
        added = False
        for target in range(num_targets):
            for source in range(num_sources):
                if (source, target) not in aligned:
                    continue
                for down, right in NEIGHBOURS:
                    new = (source + right, target + down)
                    free = (source_free(new[0]), target_free(new[1]))
                    allowed = all(free) if method == "grow-diag-and" else any(free)
                    if allowed and new in forward | backward:
                        aligned.add(new)
                        added = True
    if "final" in method:
        for direction in (forward, backward):
            for target in range(num_targets):
                for source in range(num_sources):
                    free = (source_free(source), target_free(target))
                    allowed = all(free) if method == "grow-diag-final-and" else any(free)
                    if allowed and (source, target) in direction:
                        aligned.add((source, target))
    return aligned


def matrix(points: Points, num_targets: int, num_sources: int) -> torch.Tensor:
    links = torch.zeros(num_targets, num_sources, dtype=torch.bool)
    for source, target in points:
        links[target, source] = True
    return links


def points_of(links: torch.Tensor) -> Points:
    return {(source, target) for target, source in links.nonzero().tolist()}


@st.composite
def directions(draw: st.DrawFn) -> tuple[Points, Points, int, int]:
    num_targets, num_sources = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    point = st.tuples(st.integers(0, num_sources - 1), st.integers(0, num_targets - 1))
    shared = draw(st.sets(point, max_size=5))
    forward, backward = (shared | draw(st.sets(point, max_size=14)) for _ in range(2))
    return forward, backward, num_targets, num_sources


@settings(max_examples=150, deadline=None)
@given(pair=directions(), method=st.sampled_from(METHODS))
def test_links_equal_the_definition(pair: tuple[Points, Points, int, int], method: Method) -> None:
    forward, backward, num_targets, num_sources = pair
    expected = slow(forward, backward, method, num_targets, num_sources)
    assert symmetrize_links(forward, backward, method) == sorted(expected)


@settings(max_examples=60, deadline=None)
@given(pairs=st.lists(directions(), min_size=1, max_size=4), method=st.sampled_from(METHODS))
def test_batches_equal_the_definition(pairs: list[tuple[Points, Points, int, int]], method: Method) -> None:
    ahead, back = (
        torch.stack([matrix(points, 7, 7) for points in side])
        for side in ([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    )
    expected = [slow(pair[0], pair[1], method, pair[2], pair[3]) for pair in pairs]
    assert [points_of(links) for links in symmetrize(ahead, back, method)] == expected
    if "grow" in method:
        assert [points_of(links) for links in _symmetrize_on_gpu(ahead, back, method)] == expected


@pytest.mark.parametrize("method", METHODS)
def test_long_sentences_as_models_align_them(method: Method) -> None:
    """One link for each word of either side, near the diagonal, so that many passes are needed."""
    generator = random.Random(3)
    pairs = []
    for _ in range(12):
        length = generator.randrange(15, 25)
        forward, backward = set(), set()
        for word in range(length):
            near = min(length - 1, max(0, word + generator.randrange(-2, 3)))
            forward.add((near, word))
            backward.add((word, min(length - 1, max(0, word + generator.randrange(-2, 3)))))
        pairs.append((forward, backward))
    ahead, back = (torch.stack([matrix(pair[side], 25, 25) for pair in pairs]) for side in range(2))
    expected = [slow(forward, backward, method, 25, 25) for forward, backward in pairs]
    assert [points_of(links) for links in symmetrize(ahead, back, method)] == expected
    if "grow" in method:
        assert [points_of(links) for links in _symmetrize_on_gpu(ahead, back, method)] == expected


@settings(max_examples=60, deadline=None)
@given(pair=directions())
def test_methods_lie_between_intersection_and_union(pair: tuple[Points, Points, int, int]) -> None:
    forward, backward, _, _ = pair
    found = {method: set(symmetrize_links(forward, backward, method)) for method in METHODS}
    assert found["intersection"] <= found["grow-diag"] <= found["grow-diag-final-and"] <= found["union"]
    assert found["intersection"] <= found["grow-diag-and"] <= found["union"]
    assert found["grow-diag"] <= found["grow-diag-final"] <= found["union"]


def test_the_worked_example() -> None:
    forward, backward = {(0, 0), (1, 1), (1, 2)}, {(0, 0), (2, 2)}
    assert symmetrize_links(forward, backward, "grow-diag") == [(0, 0), (1, 1), (1, 2), (2, 2)]
    assert symmetrize_links(forward, backward, "grow-diag-and") == [(0, 0), (1, 1), (2, 2)]


def test_nothing_is_symmetrised_to_nothing() -> None:
    nothing = torch.zeros(2, 3, 4, dtype=torch.bool)
    for method in METHODS:
        assert symmetrize_links([], [], method) == []
        assert not symmetrize(nothing, nothing, method).any()
        assert symmetrize(nothing[:0], nothing[:0], method).shape == (0, 3, 4)
