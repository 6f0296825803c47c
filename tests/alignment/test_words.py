"""Links of subwords, words and characters from distributions."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.alignment.links import End, best_links, subword_alignment
from lexalign.alignment.words import span_links, text_alignment, word_alignment, word_links
from lexalign.contracts.alignment import Link, SpanLink

ROWS = torch.tensor([[[0.5, 0.3, 0.2, 0.0], [0.2, 0.1, 0.7, 0.0], [0.1, 0.3, 0.6, 0.0]]])
SOURCE_CONTENT = torch.tensor([[True, True, False, False]])  # then an end of sentence and padding
TARGET_CONTENT = torch.tensor([[True, True, False]])


@pytest.mark.parametrize(("end", "expected"), [("masked", [[0, 0], [1, 0]]), ("null", [[0, 0]])])
def test_which_tokens_are_linked(end: End, expected: list[list[int]]) -> None:
    links = best_links(ROWS, SOURCE_CONTENT, TARGET_CONTENT, end)
    assert links[0].nonzero().tolist() == expected


@pytest.mark.parametrize(("threshold", "expected"), [(0.0, [(0, 0), (1, 0)]), (0.85, [(0, 0)]), (0.95, [])])
def test_words_are_not_linked_below_a_threshold(threshold: float, expected: list[tuple[int, int]]) -> None:
    """The worked example; the probabilities of all pairs are known, linked or not."""
    probabilities = torch.tensor([[0.5, 0.3, 0.1, 0.1], [0.25, 0.25, 0.25, 0.25], [0.1, 0.1, 0.0, 0.8]])
    source = (["Apfelsaft", "trinken"], [(0, 9), (10, 17)], [(0, 2), (2, 5), (5, 9), (10, 17)])
    target = (["apple-juice"], [(0, 11)], [(0, 5), (5, 6), (6, 11)])
    found = word_alignment([Link(0, 0), Link(3, 2)], probabilities, source, target, threshold)
    assert [(link.source, link.target) for link in found.links] == expected
    assert found.probabilities is not None
    assert found.probabilities.tolist() == [pytest.approx([0.9, 0.8])]


def test_a_source_without_content_has_no_links() -> None:
    assert not best_links(ROWS, torch.zeros(1, 4, dtype=torch.bool), TARGET_CONTENT).any()


def test_subword_links_carry_their_probability() -> None:
    links = best_links(ROWS, SOURCE_CONTENT, TARGET_CONTENT)
    found = subword_alignment(ROWS[0], links[0]).links
    assert [(link.source, link.target) for link in found] == [(0, 0), (0, 1)]
    assert [link.probability for link in found] == pytest.approx([0.5, 0.2])


def test_the_worked_example() -> None:
    probabilities = torch.tensor([[0.5, 0.3, 0.1, 0.1], [0.25, 0.25, 0.25, 0.25], [0.1, 0.1, 0.0, 0.8]])
    source_ranges, target_ranges = [(0, 1), (0, 1), (0, 1), (1, 2)], [(0, 1)] * 3
    found = word_links([Link(0, 0), Link(3, 2)], source_ranges, target_ranges, probabilities)
    assert [(link.source, link.target) for link in found] == [(0, 0), (1, 0)]
    assert [link.probability for link in found] == pytest.approx([0.9, 0.8])


def test_a_piece_over_several_words_links_them_all() -> None:
    """東京タワーへ, cut as in the docstring of the words."""
    found = word_links([Link(1, 0)], [(0, 1), (0, 2), (2, 3)], [(0, 1)])
    assert found == [Link(0, 0), Link(1, 0)]


def test_ends_of_sentence_belong_to_no_word() -> None:
    assert word_links([Link(2, 0), Link(0, 1), Link(1, 0)], [(0, 1), (1, 1)], [(0, 1)]) == []


def test_words_and_characters_of_a_text() -> None:
    source, target = "das Haus", "the house"
    source_words, target_words = ["das", "Haus"], ["the", "house"]
    source_spans, target_spans = [(0, 3), (4, 8)], [(0, 3), (4, 9)]
    pieces = [(0, 3), (4, 6), (6, 8), (8, 8)]
    found = word_alignment(
        [Link(0, 0), Link(2, 1), Link(3, 1)],
        None,
        (source_words, source_spans, pieces),
        (target_words, target_spans, target_spans),
    )
    assert found.links == (Link(0, 0), Link(1, 1))
    text = text_alignment(source, target, found.links, source_spans, target_spans)
    assert [(source[slice(*link.source)], target[slice(*link.target)]) for link in text.links] == [
        ("das", "the"),
        ("Haus", "house"),
    ]
    assert span_links([Link(3, 1, 0.5), Link(0, 0, 0.25)], pieces, target_spans) == [
        SpanLink((0, 3), (0, 3), 0.25)
    ]


@st.composite
def cut_words(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Ranges of pieces, each of which belongs to one word."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    return [(word, word + 1) for word, size in enumerate(sizes) for _ in range(size)]


@settings(max_examples=60, deadline=None)
@given(source=cut_words(), target=cut_words(), data=st.data())
def test_words_are_linked_exactly_if_any_of_their_pieces_are(
    source: list[tuple[int, int]], target: list[tuple[int, int]], data: st.DataObject
) -> None:
    point = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    points = data.draw(st.sets(point))
    generator = torch.Generator().manual_seed(len(points))
    probabilities = torch.rand(len(target), len(source), generator=generator).softmax(dim=1)
    found = word_links([Link(*point) for point in points], source, target, probabilities)
    assert {(link.source, link.target) for link in found} == {(source[s][0], target[t][0]) for s, t in points}
    for link in found:
        sums = [
            sum(float(probabilities[t, s]) for s in range(len(source)) if source[s][0] == link.source)
            for t in range(len(target))
            if target[t][0] == link.target
        ]
        assert link.probability == pytest.approx(max(sums), abs=1e-6)
