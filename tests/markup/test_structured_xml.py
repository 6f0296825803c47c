"""XML by its structure: no text crosses a block, and a caller says what is one."""

import pytest

from lexalign.markup import (
    DocumentOptions,
    TagOptions,
    WordForWord,
    read_document,
    translate_document,
    translate_texts,
)

BACKWARDS = WordForWord(reverse=True)


def translated(text: str, options: TagOptions | None = None) -> str:
    return translate_texts([text], BACKWARDS, tag_handling="xml", options=options)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<cell>rot und</cell><cell>grün</cell>", "<cell>UND ROT</cell><cell>GRÜN</cell>"),
        ("<a1>rot und</a1><a1>grün</a1>", "<a1>UND ROT</a1><a1>GRÜN</a1>"),
        ("das <a1>rote</a1> Haus", "HAUS <a1>ROTE</a1> DAS"),
        ("<b>eins</b> <i>zwei</i>", "<i>ZWEI</i> <b>EINS</b>"),
        ("<p>eins zwei</p> drei vier", "<p>ZWEI EINS</p> VIER DREI"),
        ("<o1>eins <p>zwei drei</p></o1>", "<o1>EINS <p>DREI ZWEI</p></o1>"),
        ("eins zwei<br/>drei vier", "ZWEI EINS<br/>VIER DREI"),
        ('<p translate="no">eins zwei</p>', '<p translate="no">eins zwei</p>'),
        ("<code>eins zwei</code>", "<code>eins zwei</code>"),
    ],
)
def test_blocks_are_told_apart(text: str, expected: str) -> None:
    assert translated(text) == expected


def test_the_caller_comes_first() -> None:
    text = "<x>eins</x> <y>zwei drei</y>"
    assert translated(text, TagOptions(non_splitting_tags=frozenset("xy"))) == "<y>DREI ZWEI</y> <x>EINS</x>"
    assert translated(text, TagOptions(ignore_tags=frozenset("y"))) == "<x>EINS</x> <y>zwei drei</y>"
    assert translated("a <b>c</b> d", TagOptions(splitting_tags=frozenset("b"))) == "A <b>C</b> D"
    assert translated(text, TagOptions(outline_detection=False)) == "<y>DREI ZWEI</y> <x>EINS</x>"


def test_a_document_of_another_reader_is_not_taken_for_any_xml() -> None:
    from lexalign.contracts.errors import LexalignError

    with pytest.raises(LexalignError, match="--format android"):
        read_document(b"<resources/>", "xml", DocumentOptions())


def test_white_space_is_one_space_unless_it_is_kept() -> None:
    page = b'<a><p>ein\n   Wort</p><p xml:space="preserve">ein  Wort</p></a>'
    result = translate_document(read_document(page, "xml", DocumentOptions()), WordForWord())
    assert result == b'<a><p>EIN WORT</p><p xml:space="preserve">EIN  WORT</p></a>'
