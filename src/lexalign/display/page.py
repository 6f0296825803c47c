"""Translations as one self-contained HTML page: pointing at a word shows the words that it is aligned with.

A text is split wherever a word or a term begins or ends, and each piece knows its word and its term; so terms
that end inside a word, or overlap, need no nested elements. All text is escaped.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING

from lexalign import __version__
from lexalign.display.page_style import SCRIPT, STYLE
from lexalign.display.term_results import asked, form, outcome, percent
from lexalign.display.word_links import LinkedWords, linked_words
from lexalign.storage import new_file

if TYPE_CHECKING:
    from lexalign.contracts.alignment import Span
    from lexalign.translator import TermResult, Translation

_COLUMNS = ("term", "asked for", "result", "form", "aligned", "glossary")


class TranslationPage:
    """A page to which translations are added one by one; see `new_page`."""

    def __init__(self, file: IO[str]) -> None:
        self._file, self._number = file, 0

    def add(self, source: str, translation: "Translation") -> None:
        self._number += 1
        self._file.write(article(self._number, source, translation))


@contextmanager
def new_page(path: Path | None) -> Iterator[TranslationPage | None]:
    """A page that is complete or not there; None where there is no path."""
    if path is None:
        yield None
        return
    with new_file(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.write(
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>Translation</title><style>{STYLE}</style></head>\n<body><main>\n"
            '<h1>Translation</h1><p class="soft">Point at a word to see where it comes from.</p>\n'
        )
        yield TranslationPage(file)
        file.write(
            f"</main><footer>Made by lexalign {escape(__version__)}.</footer>"
            f"<script>{SCRIPT}</script></body></html>\n"
        )


def article(number: int, source: str, translation: "Translation") -> str:
    linked = linked_words(source, translation)
    sources = [term.constraint.source for term in translation.terms]
    targets = [term.target for term in translation.terms]
    return (
        f'<article id="s{number}">'
        f'<p class="source" dir="auto">{_text(source, linked, sources, translation.terms, "source")}</p>'
        f'<p class="target" dir="auto">'
        f"{_text(translation.text, linked, targets, translation.terms, 'target')}</p>"
        f"{_table(source, translation)}</article>\n"
    )


def _text(
    text: str, linked: LinkedWords, spans: Sequence["Span | None"], terms: Sequence["TermResult"], side: str
) -> str:
    words = linked.source if side == "source" else linked.target
    cuts = sorted({0, len(text), *(edge for span in (*words, *spans) if span for edge in span)})
    return "".join(
        _piece(text[start:end], (start, end), linked, spans, terms, side) for start, end in pairwise(cuts)
    )


def _piece(
    text: str,
    span: "Span",
    linked: LinkedWords,
    spans: Sequence["Span | None"],
    terms: Sequence["TermResult"],
    side: str,
) -> str:
    words = linked.source if side == "source" else linked.target
    word = next((index for index, one in enumerate(words) if _covers(one, span)), None)
    term = next((terms[index] for index, one in enumerate(spans) if one and _covers(one, span)), None)
    if word is None and term is None:
        return escape(text)
    marks = ""
    if word is not None:
        others = [
            (pair.target if side == "source" else pair.source, pair.probability)
            for pair in linked.pairs
            if (pair.source if side == "source" else pair.target) == word
        ]
        listed = " ".join(f"{index}:{probability:.3f}" for index, probability in others)
        marks += f' data-word="{word}" data-links="{listed}"'
    if term is not None:
        marks += f' class="term {"met" if term.met else "missed"}" title="{escape(outcome(term))}"'
    return f"<span{marks}>{escape(text)}</span>"


def _covers(outer: "Span", inner: "Span") -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _table(source: str, translation: "Translation") -> str:
    if not translation.terms:
        return ""
    head = "".join(f'<th scope="col">{name}</th>' for name in _COLUMNS)
    rows = "".join(_row(source, translation.text, term) for term in translation.terms)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _row(source: str, target: str, term: "TermResult") -> str:
    match = term.match
    said = "" if match is None else " ".join(filter(None, (match.explanation, match.entry.note)))
    cells = (
        "" if term.constraint.source is None else source[slice(*term.constraint.source)],
        asked(term),
        outcome(term),
        form(term, target),
        percent(term.probability),
        said,
    )
    kind = "met" if term.met else "missed"
    return f'<tr class="{kind}">{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
