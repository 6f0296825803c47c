"""Translations on a terminal and as a page: alignments, terms and their results."""

import os
import pty
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

from lexalign.cli.output.translation.terminal import TerminalView
from lexalign.contracts.alignment import SpanLink
from lexalign.contracts.hypothesis import REASONS
from lexalign.display.page import article
from lexalign.display.term_results import outcome
from lexalign.glossary import Glossary, Matcher, parse_term
from lexalign.translator import Constraint, TermResult, Translation
from tests.cli.conftest import FAST, TEXT, Run


def test_alignments_below_a_line(run: Run, aligned: Path) -> None:
    outcome = run("translate", "--model", aligned, TEXT, "--show-alignment", *FAST)
    first, *rows = outcome.output.splitlines()
    assert first.strip()
    assert "\x1b" not in outcome.output
    words = re.findall(r"\w[\w-]*", first)
    assert " ".join(rows[0].split()).startswith(words[0])
    assert "%" in rows[2]


def test_a_terminal_shows_colours_and_a_table(aligned: Path, glossary: Path) -> None:
    """In a process of its own, as only that has a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "lexalign", "translate", "--model", str(aligned), TEXT]
    command += ["--glossary", str(glossary), "--source-forms", "exact", *map(str, FAST)]
    environment = {**os.environ, "COLUMNS": "120", "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            block = os.read(ours, 4096)
        except OSError:  # how a terminal says that nobody writes to it any more
            break
        if not block:
            break
        shown += block
    assert process.wait() == 0
    text = shown.decode()
    assert "\x1b[1;32mOtto\x1b[0m" in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert re.search(r"term\s+asked for\s+result\s+form\s+at\s+aligned", plain)
    assert re.search(r"Anna\s+Otto\s+met\s+Otto\s+\d+–\d+\s+\d+ %", plain)


class Structure(HTMLParser):
    """Checks nesting, and collects texts and attributes."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.words: list[dict[str, str | None]] = []
        self.tags: list[str] = []
        self.text: dict[str, str] = {}
        self._side = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "meta":
            return
        self.open.append(tag)
        found = dict(attrs)
        if "data-word" in found:
            self.words.append({**found, "side": self._side})
        if tag == "p":
            self._side = found.get("class") or ""
        assert not {"src", "href", "onclick"} & set(found)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "p" in self.open:
            self.text[self._side] = self.text.get(self._side, "") + data


def read(page: str) -> Structure:
    structure = Structure()
    structure.feed(page)
    structure.close()
    assert structure.open == []
    return structure


def test_a_page_stands_alone(run: Run, aligned: Path, glossary: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    text = f"{TEXT}\n\n<script>alert('Anna & \"Otto\"')</script>"
    outcome = run("translate", "--model", aligned, text, "--glossary", glossary, "--html", page, *FAST)
    assert outcome.status == 0
    content = page.read_text(encoding="utf-8")
    assert content.startswith("<!doctype html>")
    structure = read(content)
    assert structure.tags.count("article") == 3
    assert structure.tags.count("script") == 1
    assert "http" not in content.replace("http-equiv", "")
    assert "<script>alert('Anna & \"Otto\"')</script>" in structure.text["source"]


HOSTILE = "<b>&\"'a\u00a0<i>"


def test_words_terms_and_links_of_a_page() -> None:
    source, target = f"{HOSTILE} Haus-Tür", f"door {HOSTILE}"
    matches = Matcher(Glossary((parse_term("Haus-Tür=door"),))).match(source)
    terms = (
        TermResult(
            constraint=matches[0].constraint, met=True, target=(0, 2), probability=0.5, match=matches[0]
        ),
        TermResult(constraint=Constraint(targets=("<u>",), source=(1, 5)), met=False, reason="length limit"),
    )
    end = len(source)
    links = (SpanLink((end - 8, end), (0, 4), 0.9), SpanLink((1, 2), (6, 7), 0.25))
    found = article(1, source, Translation(text=target, terms=terms, links=links))
    structure = read(found)
    assert (structure.text["source"], structure.text["target"]) == (source, target)
    pieces = [(word["side"], word["data-word"], word["data-links"]) for word in structure.words]
    haus = len([word for word in structure.words if word["side"] == "source"]) - 1
    number = structure.words[haus]["data-word"]
    assert pieces[haus] == ("source", number, "0:0.900")
    # A term that ends inside a word cuts it in two, and both know the word.
    assert [piece for piece in pieces if piece[0] == "target"][:2] == [("target", "0", f"{number}:0.900")] * 2
    assert "not met: the translation reached its length limit" in found
    assert "&lt;u&gt;" in found


def test_every_reason_has_plain_words() -> None:
    for reason, words in REASONS.items():
        term = TermResult(constraint=Constraint(targets=("x",)), met=False, reason=reason)
        assert reason == "not avoided" or outcome(term) == f"not met: {words}"
    avoid = Constraint(targets=("x",), kind="avoid")
    assert outcome(TermResult(constraint=avoid, met=True)) == "avoided"
    assert outcome(TermResult(constraint=avoid, met=False, reason="not avoided")) == "not avoided"


def test_unmet_terms_are_shown_and_nothing_is_taken_for_markup() -> None:
    view = TerminalView(alignment=False, table=True, colours=False, width=100)
    term = TermResult(constraint=Constraint(targets=("[red]x",), source=(0, 1)), met=False, reason="too many")
    shown = view.render("[b]", Translation(text="[bold]a\nb", terms=(term,)))
    assert shown.splitlines()[0] == "[bold]a b"
    assert re.search(r"\[\s+\[red\]x\s+not met: there are too many terms in this sentence", shown)


def test_wide_words_stay_in_their_columns() -> None:
    links = (SpanLink((0, 2), (0, 5), 0.9), SpanLink((2, 5), (6, 11), 0.8))
    view = TerminalView(alignment=True, table=False, colours=False, width=80)
    shown = view.render("東京タワー", Translation(text="Tokyo tower", links=links))
    assert shown.splitlines()[1:4] == ["  Tokyo  tower", "  東 京  タ ワ ー", "  90 %   80 %"]


def test_a_placed_term_is_shown_below_its_own_source() -> None:
    links = (
        SpanLink((4, 13), (4, 9), 0.7),  # Ausschuss – panel
        SpanLink((18, 21), (4, 9), 0.2),  # den – panel
        SpanLink((0, 3), (10, 15), 0.6),  # Der – group
        SpanLink((18, 21), (16, 19), 0.9),
    )
    term = TermResult(
        constraint=Constraint(targets=("panel group",), source=(4, 13)),
        met=True,
        target=(4, 15),
        probability=0.5,
    )
    view = TerminalView(alignment=True, table=False, colours=False, width=80)
    text = Translation(text="The panel group the", links=links, terms=(term,))
    shown = view.render("Der Ausschuss hat den", text)
    assert shown.splitlines()[1:4] == [
        "  The  panel      group      the",
        "  –    Ausschuss  Ausschuss  den",
        "       70 %       50 %       90 %",
    ]
