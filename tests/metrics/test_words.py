"""Words of texts in several scripts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.metrics.words import Splitting, WordOptions, forms, is_punctuation, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Der Hollywood-Star, 25.000 Euro.", "Der Hollywood - Star , 25.000 Euro ."),
        ("„Haus“ (neu)", "„ Haus “ ( neu )"),
        ("don't a_b", "don ' t a_b"),
        ("हिन्दी में प्रस्ताव।", "हिन्दी में प्रस्ताव ।"),
        ("e\u0301te\u0301", "e\u0301te\u0301"),
        ("東京タワーへ", "東 京 タ ワ ー へ"),
        ("東京Tower3", "東 京 Tower3"),
        ("한국어 문장", "한국어 문장"),
        ("", ""),
        (" \t ", ""),
    ],
)
def test_words_of_a_text(text: str, words: str) -> None:
    assert forms(split_words(text)) == tuple(words.split())


def test_tokenized_text_is_split_at_spaces() -> None:
    options = WordOptions(splitting="spaces", ignore_case=True)
    assert forms(split_words("We cherry-pick .", options)) == ("we", "cherry-pick", ".")


@given(st.text(max_size=30), st.sampled_from(["words", "spaces"]))
def test_nothing_but_white_space_is_lost(text: str, splitting: Splitting) -> None:
    words = split_words(text, WordOptions(splitting=splitting))
    assert "".join(word.form for word in words) == "".join(text.split())
    assert all(text[word.start : word.end] == word.form for word in words)


def test_punctuation() -> None:
    assert [is_punctuation(form) for form in (".", "।", "--", "a", "3", "हि", "s.")] == [True] * 3 + [
        False
    ] * 4
