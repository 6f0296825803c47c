"""Subtitles and tables."""

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.markup import (
    DocumentOptions,
    FormatName,
    WordForWord,
    looks_like,
    read_document,
    too_long,
    translate_document,
)
from lexalign.markup.documents.line_breaking import break_lines, divide
from lexalign.markup.tagged_text import TaggedText

TIMES = "00:00:0{}.000 --> 00:00:0{}.900"


def cues(*texts: str) -> str:
    return (
        "WEBVTT\n\n"
        + "\n\n".join(f"{TIMES.format(index, index)}\n{text}" for index, text in enumerate(texts))
        + "\n"
    )


def translated(content: str, format_name: FormatName, *, reverse: bool = False, **options: object) -> str:
    document = read_document(content.encode(), format_name, DocumentOptions(**options))  # type: ignore[arg-type]
    return translate_document(document, WordForWord(reverse=reverse)).decode()


def test_a_sentence_over_two_cues_is_translated_as_one() -> None:
    document = read_document(
        cues("Das ist der Anfang", "und das Ende.", "Neu.").encode(), "vtt", DocumentOptions()
    )
    assert [segment.text.text for segment in document.segments] == [
        "Das ist der Anfang und das Ende.",
        "Neu.",
    ]
    assert translated(cues("Das ist der Anfang", "und das Ende."), "vtt") == cues(
        "DAS IST DER ANFANG", "UND DAS ENDE."
    )


def test_no_cue_is_left_empty() -> None:
    result = translated(cues("eins zwei drei", "vier"), "vtt", reverse=True)
    assert result == cues("VIER DREI ZWEI", "EINS")


def test_speakers_keep_their_lines() -> None:
    assert translated(cues("- Wer da?\n- Nur ich."), "vtt", reverse=True) == cues("- ? DA WER\n- . ICH NUR")


@pytest.mark.parametrize("length", [10, 20, 42])
def test_lines_are_no_longer_than_asked_for(length: int) -> None:
    text = "ein kurzes Wort nach dem anderen, bis die Zeile voll ist und noch weiter"
    lines = translated(cues(text), "vtt", line_length=length).split("\n")[3:-1]
    assert " ".join(lines) == text.upper()
    assert all(len(line) <= length for line in lines)


def test_division_leaves_no_part_without_a_word() -> None:
    parts = divide(TaggedText("a b c"), [0, 0], [10, 1, 1])
    assert [part.text for part in parts] == ["a", "b", "c"]
    assert [line.text for line in break_lines(TaggedText("einlangeswort da"), 4)] == ["einlangeswort", "da"]


def test_columns_are_chosen_by_name_number_or_pair() -> None:
    table = "id,de,en\n1,eins,\n2,zwei,two\n"
    assert translated(table, "csv", columns=("de",)) == "id,de,en\n1,EINS,\n2,ZWEI,two\n"
    assert translated(table, "csv", columns=("2=3",)) == "id,de,en\n1,eins,EINS\n2,zwei,two\n"
    assert translated(table, "csv", columns=("de=en",), retranslate=True).endswith("2,zwei,ZWEI\n")


def test_a_table_without_columns_is_refused_with_their_names() -> None:
    with pytest.raises(
        LexalignError, match="the columns to translate with --columns; the file has: id, text"
    ):
        translated("id,text\n1,a\n", "csv")
    with pytest.raises(LexalignError, match="no column 'x'"):
        translated("id,text\n1,a\n", "csv", columns=("x",))


def test_translations_over_their_length_are_told() -> None:
    unit = (
        '<xliff version="1.2"><file source-language="de" target-language="en"><body>'
        '<trans-unit id="1" maxwidth="3" size-unit="char"><source>lang</source></trans-unit>'
        "</body></file></xliff>"
    )
    document = read_document(unit.encode(), "xliff1", DocumentOptions())
    assert list(too_long(document.segments, [TaggedText("abc")])) == []
    (told,) = too_long(document.segments, [TaggedText("abcd")])
    assert "4 characters, and 3 are allowed" in told


@pytest.mark.parametrize(
    ("text", "format_name"),
    [
        ("# Titel\n\n[a](b)", "markdown"),
        ('{"a": "b"}', "json"),
        ("<html><p>a</p></html>", "html"),
        ("WEBVTT\n", "vtt"),
        ('msgid "a"\nmsgstr ""', "po"),
        ("Ein Text, mit (Klammern) und 3 < 4.\nNoch einer.\n", None),
    ],
)
def test_what_a_text_looks_like(text: str, format_name: FormatName | None) -> None:
    assert looks_like(text) == format_name
