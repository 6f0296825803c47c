"""HTML: what is translated, and that the rest stays unchanged, to the byte."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from lexalign.markup import DocumentOptions, WordForWord, read_document, translate_document, translate_texts


def translated(page: str | bytes, language: str | None = None) -> str | bytes:
    content = page.encode() if isinstance(page, str) else page
    document = read_document(content, "html", DocumentOptions(target_language=language))
    result = translate_document(document, WordForWord())
    return result.decode() if isinstance(page, str) else result


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>ein Wort</p>", "<p>EIN WORT</p>"),
        ("<p>ein <b>fettes</b> Wort</p>", "<p>EIN <b>FETTES</b> WORT</p>"),
        ("<P CLASS=x>ein</P >", "<P CLASS=x>EIN</P >"),
        ("<p>eins<p>zwei", "<p>EINS<p>ZWEI"),
        ("<ul><li>eins<li>zwei</ul>", "<ul><li>EINS<li>ZWEI</ul>"),
        ("eins<br>zwei", "EINS<br>ZWEI"),
        ("<p>  ein\n   Wort\n</p>", "<p>  EIN WORT\n</p>"),
        ("<p><img src=a> ein Bild <img src=b></p>", "<p><img src=a> EIN BILD <img src=b></p>"),
        ("<p>a <!-- c --> b</p>", "<p>A <!-- c --> B</p>"),
        ("<p>a &amp; b &lt; &eacute;&#233;&#xe9;</p>", "<p>A &amp; B &lt; ÉÉÉ</p>"),
        ("<p>a&nbsp;b</p>", "<p>A\u00a0B</p>"),
        ("<p>AT&T und &foo</p>", "<p>AT&amp;T UND &amp;FOO</p>"),
        ("<p>ein <wunder-bar>neues</wunder-bar> Wort</p>", "<p>EIN <wunder-bar>NEUES</wunder-bar> WORT</p>"),
        ("<p>a <x-y/> b</p>", "<p>A <x-y/> B</p>"),
        ("<p>a <b>b</p><p>c</b> d</p>", "<p>A <b>B</p><p>C</b> D</p>"),
        ("<p>a <b>b <i>c</b> d</i> e</p>", "<p>A <b>B <i>C</b> D</i> E</p>"),
    ],
)
def test_text_and_inline_elements(page: str, expected: str) -> None:
    assert translated(page) == expected


@pytest.mark.parametrize(
    "page",
    [
        "<script>var wort = '<p>nicht</p>';</script>",
        "<style>p { color: rot }</style>",
        "<pre>so  \n bleibt <b>es</b></pre>",
        "<code>nichts</code>",
        "<p translate=no>nichts <b>davon</b></p>",
        "<p translate='NO'>nichts</p>",
        '<div translate="no"><p>nichts</p>nichts</div>',
        '<p class="a notranslate b">nichts</p>',
        "<textarea>nichts</textarea>",
        "<svg><text>nichts</text></svg>",
        "<p>12,5 % – 3</p>",
        '<img translate=no alt="nichts">',
        '<p title="12"></p><img alt="">',
        '<a href="wort" name="wort" data-title="wort"></a>',
        "<!-- ein Wort --><!DOCTYPE html><?php echo 1 ?>",
        "<!-- ohne Ende",
        "<p", "</", "<", "&", "<>", "",
        "\ufeff<p></p>\r\n",
    ],
)  # fmt: skip
def test_what_is_not_translated_stays(page: str) -> None:
    assert translated(page) == page


def test_blocks_inside_of_what_is_not_translated_may_be() -> None:
    page = '<div translate="no">nein<p translate="yes">ja</p>nein</div>'
    assert translated(page) == page.replace("ja", "JA")


def test_a_paragraph_that_is_not_closed_ends_where_the_next_begins() -> None:
    assert translated("<p translate=no>nein<p>ja<ul><li translate=no>nein<li>ja</ul>") == (
        "<p translate=no>nein<p>JA<ul><li translate=no>nein<li>JA</ul>"
    )


def test_code_in_a_sentence_goes_with_it() -> None:
    assert translated("<p>Der Befehl <code>ls <b>-l</b></code> zeigt <kbd>x</kbd>.</p>") == (
        "<p>DER BEFEHL <code>ls <b>-l</b></code> ZEIGT <kbd>x</kbd>.</p>"
    )


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ('<img alt="ein Bild" src="x">', '<img alt="EIN BILD" src="x">'),
        ("<img ALT=Bild>", '<img ALT="BILD">'),
        ("<a title='so \"ja\" &amp; nein'>x</a>", '<a title="SO &quot;JA&quot; &amp; NEIN">X</a>'),
        ('<p>ein <a title="ein Titel">Wort</a></p>', '<p>EIN <a title="EIN TITEL">WORT</a></p>'),
        (
            '<input placeholder="Name"><b aria-label="zu">x</b>',
            '<input placeholder="NAME"><b aria-label="ZU">X</b>',
        ),
    ],
)
def test_attributes_that_people_read(page: str, expected: str) -> None:
    assert translated(page) == expected


def test_the_language_is_named_where_it_was() -> None:
    assert translated('<html lang="de"><p lang="fr">x</p>', "en") == '<html lang="en"><p lang="fr">X</p>'
    assert translated("<html><p>x</p>", "en") == "<html><p>X</p>"


@pytest.mark.parametrize("name", ["iso-8859-1", "windows-1252", "utf-8", "shift_jis"])
def test_the_encoding_stays(name: str) -> None:
    page = f'<meta charset="{name}"><p>Wort & so</p>'
    assert translated(page.encode(name)) == page.replace("Wort & so", "WORT &amp; SO").encode(name)


def test_a_character_that_the_encoding_lacks_is_written_as_a_reference() -> None:
    document = read_document(b"<meta charset=ascii><p>a</p>", "html", DocumentOptions())
    result = translate_document(document, WordForWord(lambda _word: "ß€"))
    assert result == b"<meta charset=ascii><p>&#223;&#8364;</p>"


PIECES = st.sampled_from(
    ["Wort ", " und", ".", "<b>", "</b>", "<i>", "</i>", "<p>", "</p>", "<br>", "<img alt='ein Bild'>",
     "&amp;", " <code>x</code> ", "<!-- c -->", "<div>", "</div>", "\n", "<script>a<b</script>", "<li>", "12",
     "<a title=Wort>"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=20).map("".join))
@settings(max_examples=100, deadline=None)
def test_any_page_keeps_its_tags_and_its_words(page: str) -> None:
    """Checked by another parser; the translation is a copy, so only white space may differ."""
    result = translate_texts([page], WordForWord(str), tag_handling="html")[0]
    tags = r"<[^>]*>"
    assert sorted(re.findall(tags, result.replace('"', "'"))) == sorted(
        re.findall(tags, page.replace("title=Wort", "title='Wort'"))
    )
    first, second = (html.fromstring(f"<main>{text}</main>").text_content() for text in (page, result))
    assert "".join(first.split()) == "".join(second.split())


@given(st.text(alphabet="<>/!-&;ab \n\"'=?[]", max_size=40))
@settings(max_examples=150, deadline=None)
def test_no_page_is_too_broken(page: str) -> None:
    translate_texts([page], WordForWord(), tag_handling="html")
