"""Markdown: what is translated, what stays, and that the page is the same page."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from lexalign.markup import DocumentOptions, WordForWord, read_document, translate_document

RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def translated(text: str, translator: WordForWord | None = None) -> str:
    document = read_document(text.encode(), "markdown", DocumentOptions())
    return translate_document(document, translator or WordForWord()).decode()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# Ein *Titel* #\n", "# EIN *TITEL* #\n"),
        ("Ein\n===\n", "EIN\n===\n"),
        ("a `b c` d", "A `b c` D"),
        ("[ein](u \"t\") Wort", '[EIN](u "T") WORT'),
        ("![ein *Bild*](u)", "![EIN *BILD*](u)"),
        ("[ein]\n\n[ein]: /u", "[EIN][ein]\n\n[ein]: /u"),
        ("[ein][]\n\n[ein]: /u 'Titel'", "[EIN][ein]\n\n[ein]: /u 'TITEL'"),
        ("a<br>b  \nc\\\nd", "A<br>B  \nC\\\nD"),
        ("> - eins\n>   zwei", "> - EINS\n>   ZWEI"),
        ("- [x] eins", "- [x] EINS"),
        ("1\\. Mai", "1\\. MAI"),
        ("\\*a\\* \\_b\\_ 2 \\< 3", "\\*A\\* \\_B\\_ 2 < 3"),
        ("a | b\n--- | ---\nc \\| d | `e`", "A | B\n--- | ---\nC \\| D | `e`"),
        ("> | a | b |\n> |---|---|\n> | c | |", "> | A | B |\n> |---|---|\n> | C | |"),
        ("Wort[^1]\n\n[^1]: Ein Wort.", "WORT[^1]\n\n[^1]: EIN WORT."),
        ("> [!NOTE]\n> ein Wort", "> [!NOTE]\n> EIN WORT"),
        ("## Titel {#id}", "## TITEL {#id}"),
        ('<p title="ein">ein <b>Wort</b></p>\n', '<p title="EIN">EIN <b>WORT</b></p>\n'),
        ("---\ntitle: ein Wort\nslug: ein-wort\n---\nein", "---\ntitle: EIN WORT\nslug: ein-wort\n---\nEIN"),
        ("+++\ntitle = \"ein\"\n+++\nein", '+++\ntitle = "ein"\n+++\nEIN'),
        ("a\r\n\r\n- b\r\n", "A\r\n\r\n- B\r\n"),
    ],
)  # fmt: skip
def test_text_and_markup(source: str, expected: str) -> None:
    assert translated(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "```\nein Wort\n```\n",
        "    ein Wort\n",
        "***\n",
        "<!-- ein Wort -->\n",
        "[a]: /u\n",
        "12 %\n",
        "`ein`\n",
        "\n\n",
        "",
    ],
)
def test_what_is_not_translated_stays(source: str) -> None:
    assert translated(source) == source


def test_emphasis_that_would_not_be_read_is_html() -> None:
    """Two stars after a mark and before a letter end nothing in CommonMark."""
    glued = translated("**ein Wort!** da", WordForWord(lambda word: word))
    assert RENDERER.render(glued) == "<p><strong>ein Wort!</strong> da</p>\n"
    moved = translated("a **(b)**", WordForWord(reverse=True))
    assert "<strong>" in RENDERER.render(moved)


_PIECES = [
    "Wort",
    "zwei Worte",
    " *kursiv* ",
    " **fett** ",
    " `code` ",
    " [Verweis](u) ",
    " ![Bild](b) ",
    " ~~weg~~ ",
    " ",
    "\n",
    "\n\n",
    "  \n",
    "\\\n",
    "> ",
    "- ",
    "1. ",
    "# ",
    "    ",
    " \\* ",
    " &amp; ",
    ".",
    "!",
    "é",
    " <https://a.b> ",
    "\n\n[r]: /u\n",
    " [r] ",
    "| a | b |\n|---|---|\n| c | d |\n",
    "```\n",
    "\n***\n",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))
@settings(max_examples=120, deadline=None)
def test_the_page_is_the_same_page(source: str) -> None:
    """Where every word is its own translation, both files are rendered the same."""
    assert _page(translated(source, WordForWord(str))) == _page(source)


def _page(text: str) -> str:
    page = re.sub(r"\s+", " ", RENDERER.render(text)).replace("<del>", "<s>").replace("</del>", "</s>")
    return re.sub(r"\s*(<[^<>]*>)\s*", r"\1", page)
