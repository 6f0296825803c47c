"""Exact match and window overlap, against the shared task's rules in plain code."""

import re
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.contracts.constraint import Constraint
from lexalign.metrics.terminology import exact_match, window_overlap
from lexalign.metrics.words import WordOptions

SPACES = WordOptions(splitting="spaces")
TEXT = st.lists(st.sampled_from(["a", "b", "c", ","]), max_size=8)
TERM = st.lists(st.sampled_from("abc"), min_size=1, max_size=2).map(" ".join)


def constraints_of(terms: list[tuple[str, ...]]) -> list[Constraint]:
    return [Constraint(targets=targets) for targets in terms]


def matched_by_text(hypothesis: str, terms: list[tuple[str, ...]]) -> int:
    """Over characters: a term is padded with spaces and searched in the padded text."""
    starts: list[int] = []
    for targets in terms:
        found = [m.start() for target in targets for m in re.finditer(f"(?= {target} )", f" {hypothesis} ")]
        starts.extend(next(([start] for start in found if start not in starts), []))
    return len(starts)


@given(TEXT, st.lists(st.lists(TERM, min_size=1, max_size=2).map(tuple), max_size=4))
def test_exact_match_is_the_shared_tasks(text: list[str], terms: list[tuple[str, ...]]) -> None:
    score = exact_match([" ".join(text)], [constraints_of(terms)], SPACES)
    assert score.rows.tolist() == [[matched_by_text(" ".join(text), terms), len(terms)]]


def around(text: list[str], start: int, size: int, window: int) -> list[str]:
    words = []
    for step, index in ((-1, start - 1), (1, start + size)):
        side: list[str] = []
        while 0 <= index < len(text) and len(side) < window:
            if text[index] not in string.punctuation:
                side.append(text[index])
            index += step
        words += side
    return words


@given(TEXT, TEXT, TERM, st.integers(0, 3))
def test_window_overlap_of_one_term(
    hypothesis: list[str], reference: list[str], term: str, window: int
) -> None:
    """The best place of the translation for the first of the reference."""
    size = len(term.split())
    places = [
        [i for i in range(len(text) - size + 1) if text[i : i + size] == term.split()]
        for text in (reference, hypothesis)
    ]
    best = 0.0
    for place in places[1]:
        if not places[0]:
            break
        wanted = around(reference, places[0][0], size, window)
        common = Counter(wanted) & Counter(around(hypothesis, place, size, window))
        best = max(best, sum(common.values()) / len(wanted) if wanted else 0.0)
    score = window_overlap(
        [" ".join(hypothesis)],
        [" ".join(reference)],
        [[Constraint(targets=(term,))]],
        SPACES,
        window=window,
    )
    assert score.rows.tolist() == [[pytest.approx(best), float(bool(places[0]))]]


def test_the_example() -> None:
    hypothesis, reference = "this virus spreads in small drops", "the virus spreads by small droplets"
    score = window_overlap([hypothesis], [reference], [[Constraint(targets=("spreads",))]])
    assert score.value == pytest.approx(50)


def test_repeated_terms_are_paired_from_the_best_down() -> None:
    """x2 of the reference fits the only place perfectly; x1 then has none, and does not count."""
    reference, hypothesis = "p x q r x s", "r x s"
    score = window_overlap([hypothesis], [reference], [constraints_of([("x",), ("x",)])], window=1)
    assert score.value == pytest.approx(100)


def test_only_segments_with_terms_in_the_reference_count() -> None:
    asked = [constraints_of([("a",)]), constraints_of([("z",)]), []]
    score = window_overlap(["b a", "b z", "c"], ["b a", "b c", "c"], asked)
    assert score.rows.tolist() == [[1, 1], [0, 0], [0, 0]]
    assert "segments:1" in score.signature


def test_a_term_that_was_not_used_overlaps_nothing() -> None:
    assert window_overlap(["b c"], ["b a c"], [constraints_of([("a",)])]).value == 0
