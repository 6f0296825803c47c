"""Plain text, and strings of any length."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.contracts.errors import LexalignError
from lexalign.markup import (
    DocumentOptions,
    TagOptions,
    WordForWord,
    read_document,
    translate_document,
    translate_texts,
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "  ein Wort.  Noch eins!\r\n\r\n\tdrei\n",
        "ohne Ende",
        "\ufeffeins\n",
        "a\n\n\n",
        "\x0c\n1\n",
    ],
)
def test_white_space_and_line_ends_stay(text: str) -> None:
    result = translate_document(read_document(text.encode(), "text", DocumentOptions()), WordForWord())
    assert result.decode() == text.upper()


@given(st.text(alphabet="aB. !?\n\r\t\u3000。é1", max_size=60))
@settings(max_examples=150, deadline=None)
def test_white_space_stays_in_any_text(text: str) -> None:
    result = translate_document(read_document(text.encode(), "text", DocumentOptions()), WordForWord(str))
    assert result.decode() == text


def test_long_sentences_are_cut_at_white_space() -> None:
    seen: list[str] = []

    class Recorder(WordForWord):
        def translate(self, sentences):  # type: ignore[no-untyped-def]
            seen.extend(sentences)
            return super().translate(sentences)

    text = "eins zwei drei, vier fünf sechs sieben acht"
    assert translate_texts([text], Recorder(max_words=3)) == [text.upper()]
    assert " ".join(seen) == text
    assert all(len(sentence.split()) <= 3 for sentence in seen)


def test_a_word_that_is_too_long_is_cut() -> None:
    class Narrow(WordForWord):
        def fits(self, sentence: str) -> bool:
            return len(sentence) <= 4

    assert translate_texts(["eins donaudampfschiff"], Narrow()) == ["EINS DONAUDAMPFSCHIFF"]


def test_a_sentence_is_translated_once() -> None:
    seen: list[str] = []

    class Recorder(WordForWord):
        def translate(self, sentences):  # type: ignore[no-untyped-def]
            seen.extend(sentences)
            return super().translate(sentences)

    assert translate_texts(["a. b", "a. b"], Recorder()) == ["A. B", "A. B"]
    assert seen == ["a. b"]


def test_xml_strings() -> None:
    options = TagOptions(splitting_tags=frozenset({"p"}), ignore_tags=frozenset({"keep"}))
    text = "<p>Eins zwei</p><p>drei <keep>bleibt <b>so</b></keep></p>"
    translated = translate_texts([text], WordForWord(reverse=True), tag_handling="xml", options=options)
    assert translated == ["<p>ZWEI EINS</p><p>DREI <keep>bleibt <b>so</b></keep></p>"]


@pytest.mark.parametrize(
    "text", ["<b>offen", "a < b", "zu</b>", "&nbsp;", "<!DOCTYPE x [<!ENTITY a 'b'>]>&a;", "\0", "\ud800"]
)
def test_xml_strings_that_are_none(text: str) -> None:
    with pytest.raises(LexalignError):
        translate_texts([text], WordForWord(), tag_handling="xml")


def test_words_on_either_side_of_a_line_break_are_not_one() -> None:
    translated = translate_texts(["eins zwei<br/>drei"], WordForWord(reverse=True), tag_handling="xml")
    assert translated == ["ZWEI EINS<br/>DREI"]


def test_many_tags_take_no_longer_than_they_must() -> None:
    text = "<b>wort</b> " * 5000
    assert translate_texts([text], WordForWord(), tag_handling="xml") == [text.upper().replace("B>", "b>")]


def test_control_characters_of_a_translator_do_not_break_a_document() -> None:
    assert translate_texts(["<b>wort</b>"], WordForWord(lambda _: "a\0\nb\x1b"), tag_handling="xml") == [
        "<b>a  b </b>"
    ]
