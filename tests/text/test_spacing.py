"""Detokenization of separate words, with rules and with joiner marks."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.text.spacing import JOINER, space_words, without_joiners

WORDS = st.lists(st.text(alphabet=f"ab-'\".,({JOINER}", min_size=1, max_size=4))


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("an above ￭-￭ mentioned station", "an above-mentioned station"),
        ("the newspapers ￭' fault , a dash - and s ￭-￭ a", "the newspapers' fault, a dash - and s-a"),
        ("we ￭'￭ ll say ' yes ' .", "we'll say 'yes'."),
        ("( or the journalists ￭' ) own way", "(or the journalists') own way"),
        ("10 ￭-￭", "10-"),
    ],
)
def test_marked_words_are_joined_to_their_neighbours(line: str, text: str) -> None:
    assert space_words(line.split())[0] == text


@given(WORDS)
def test_every_word_has_its_span_and_only_spaces_are_between(words: list[str]) -> None:
    text, spans = space_words(words)
    bare = [without_joiners(word) for word in words]
    assert [text[start:end] for start, end in spans] == bare
    assert text.replace(" ", "") == "".join(bare)
    gaps = [text[left[1] : right[0]] for left, right in itertools.pairwise(spans)]
    assert set(gaps) <= {"", " "}


@given(WORDS)
def test_no_space_is_on_the_marked_side_of_a_word(words: list[str]) -> None:
    _, spans = space_words(words)
    for index in range(1, len(words)):
        if words[index].startswith(JOINER) or words[index - 1].endswith(JOINER):
            assert spans[index - 1][1] == spans[index][0]
