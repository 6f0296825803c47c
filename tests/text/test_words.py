"""Words, their spans, and the words that subwords belong to."""

from hypothesis import given
from hypothesis import strategies as st

from lexalign.text.surface import Span
from lexalign.text.words import join_words, word_ranges, words_of


def naive_ranges(piece_spans: list[Span], word_spans: list[Span]) -> list[set[int]]:
    return [
        {index for index, word in enumerate(word_spans) if set(range(*piece)) & set(range(*word))}
        for piece in piece_spans
    ]


def test_words_of_german_text_with_uneven_spaces() -> None:
    words, spans = words_of("  Das Haus\tist\u00a0alt. ")
    assert words == ["Das", "Haus", "ist", "alt."]
    assert spans == [(2, 5), (6, 10), (11, 14), (15, 19)]


def test_devanagari_words_keep_their_vowel_signs() -> None:
    words, spans = words_of("मैं घर जाता हूँ")
    assert words == ["मैं", "घर", "जाता", "हूँ"]
    assert spans == [(0, 3), (4, 6), (7, 11), (12, 15)]


def test_words_are_joined_with_and_without_spaces() -> None:
    assert join_words(["Das", "Haus"]) == ("Das Haus", [(0, 3), (4, 8)])
    assert join_words(["東京", "タワー", "へ"], separator="") == ("東京タワーへ", [(0, 2), (2, 5), (5, 6)])
    assert join_words([]) == ("", [])


def test_a_japanese_piece_may_span_several_words() -> None:
    assert word_ranges([(0, 1), (1, 5), (5, 6)], [(0, 2), (2, 5), (5, 6)]) == [(0, 1), (0, 2), (2, 3)]


def test_pieces_of_german_words_and_pieces_outside_any_word() -> None:
    # "Das  Haus": das, a lone space, Ha, us, end of sentence
    pieces = [(0, 3), (4, 5), (5, 7), (7, 9), (9, 9)]
    assert word_ranges(pieces, [(0, 3), (5, 9)]) == [(0, 1), (1, 1), (1, 2), (1, 2), (2, 2)]


def test_an_empty_piece_inside_a_word_touches_nothing() -> None:
    assert word_ranges([(0, 0), (2, 2), (0, 4)], [(0, 4)]) == [(0, 0), (0, 0), (0, 1)]


@given(st.text())
def test_words_agree_with_split(text: str) -> None:
    words, spans = words_of(text)
    assert words == text.split()
    assert [text[start:end] for start, end in spans] == words


@given(st.lists(st.text(min_size=1)), st.sampled_from([" ", "", "--"]))
def test_spans_of_joined_words_are_the_words(words: list[str], separator: str) -> None:
    text, spans = join_words(words, separator)
    assert [text[start:end] for start, end in spans] == words


@st.composite
def ordered_spans(draw: st.DrawFn, smallest: int) -> list[Span]:
    spans = []
    position = 0
    for gap, size in draw(st.lists(st.tuples(st.integers(0, 2), st.integers(smallest, 4)), max_size=12)):
        spans.append((position + gap, position + gap + size))
        position += gap + size
    return spans


@given(ordered_spans(smallest=0), ordered_spans(smallest=1))
def test_ranges_agree_with_shared_characters(pieces: list[Span], words: list[Span]) -> None:
    assert [set(range(*found)) for found in word_ranges(pieces, words)] == naive_ranges(pieces, words)


@given(ordered_spans(smallest=1), st.data())
def test_the_bytes_of_one_character_belong_to_the_same_words(words: list[Span], data: st.DataObject) -> None:
    character = data.draw(st.integers(0, 20))
    ranges = word_ranges([(character, character + 1)] * 3, words)
    assert len(set(ranges)) == 1
