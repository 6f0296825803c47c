"""`lexalign evaluate`."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome, Run

REFERENCE = "the old house burns\na dog barks\n"
FIRST = "the old home burns\na <script>alert(1)</script> barks\n"
SECOND = "the old house burns\na dog barks\n"
TERMS = '{"text": "das alte <i>Haus</i>", "constraints": [{"source": [12, 16], "target": "house"}]}\n' + (
    '{"text": "ein Hund", "constraints": [{"target": ["dog & co", "dog"]}]}\n'
)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    contents = {"reference": REFERENCE, "first": FIRST, "second": SECOND, "terms": TERMS}
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


@pytest.fixture
def evaluated(run: Run, files: Path) -> Run:
    def evaluate(*arguments: object) -> Outcome:
        systems = (f"<b>={files / 'first'}", files / "second")
        return run("evaluate", files / "reference", *systems, "--samples", 20, *arguments)

    return evaluate


class Page(HTMLParser):
    """Checks that every element that is opened is closed, and remembers what there was."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.links: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_one_table_for_all_systems(evaluated: Run, files: Path) -> None:
    outcome = evaluated("--constraints", files / "terms", "--time", "second=2.5")
    assert outcome.status == 0
    table, differences, signatures = outcome.output.split("\n\n")
    head, first, second = table.splitlines()
    assert head.split() == ["BLEU", "chrF", "CSR", "BLEU-C", "exact", "match", "overlap", "1-TERm", "time"]
    assert first.split()[0] == "<b>"
    assert first.split()[-1] == "–"
    assert second.split()[3].rstrip("*") == "100.0"
    assert second.endswith("2.5 s")
    assert differences.splitlines()[0] == "Against <b> (* where p < 0.05):"
    assert len(differences.splitlines()) == 8
    assert "samples:20|seed:12345" in signatures
    assert "window:3" in signatures


def test_json_has_everything(evaluated: Run, files: Path) -> None:
    evaluated("--constraints", files / "terms", "--json", files / "out.json", "--ignore-case", "--tokenized")
    content = json.loads((files / "out.json").read_text(encoding="utf-8"))
    assert (content["segments"], content["constraints"]) == (2, 2)
    first, second = content["systems"]
    assert "against" not in first["scores"][0]
    csr = second["scores"][2]
    assert (csr["name"], csr["value"]) == ("CSR", 100)
    assert csr["against"]["difference"] == 100
    assert csr["against"]["system"] == "<b>"
    assert "case:lc|words:spaces" in csr["signature"]


def test_the_page_stands_alone_and_escapes(evaluated: Run, files: Path) -> None:
    evaluated("--constraints", files / "terms", "--html", files / "page.html")
    text = (files / "page.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not page.links
    assert "url(" not in text
    assert not {"script", "i", "b", "link", "img", "iframe"} & page.seen
    assert {"table", "svg", "mark", "article"} <= page.seen
    assert "&lt;script&gt;" in text
    assert '<span class="missing">dog &amp; co / dog</span>' in text
    assert '<mark class="source">Haus</mark>' in text


def test_a_page_of_one_system_without_constraints(run: Run, files: Path) -> None:
    run("evaluate", files / "reference", files / "first", "--html", files / "page.html", "--examples", 1)
    text = (files / "page.html").read_text(encoding="utf-8")
    assert Page(text).seen.isdisjoint({"svg", "mark"})
    assert text.count("<article>") == 1


def test_a_file_with_an_equals_sign_is_a_file(run: Run, files: Path) -> None:
    (files / "beam=5").write_text(SECOND)
    assert "beam=5" in run("evaluate", files / "reference", files / "beam=5").output


def test_without_spaces_bleu_is_by_characters(run: Run, files: Path) -> None:
    (files / "japanese").write_text("京都は古い都市である。\n", encoding="utf-8")
    arguments = ("evaluate", files / "japanese", files / "japanese", "--json", files / "scores.json")
    for given, expected in (((), "tok:char"), (("--tokenizer", "13a"), "tok:13a")):
        run(*arguments, *given)
        assert expected in (files / "scores.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{}/short"], "short has 1 lines but"),
        (["{}/missing"], "missing: No such file"),
        (["{}/first", "{}/first"], "two systems have the name first; name them by NAME=FILE"),
        (["a={}/first", "a={}/second"], "two systems have the name a"),
        (["{}/first", "--constraints", "{}/short"], "short has constraints for 1 lines but"),
        (["{}/first", "--constraints", "{}/bad"], "bad, line 2: constraint 1: a target is empty"),
        (["{}/first", "--time", "second=1"], "--time second=...: no system has this name"),
        (["{}/first", "--time", "first=soon"], "--time first=soon: write it as NAME=SECONDS"),
        (["{}/first", "--time", "first=-1"], "write it as NAME=SECONDS"),
        (["{}/first", "--tokenizer", "klingon"], "--tokenizer klingon: sacreBLEU knows 13a"),
    ],
)
def test_bad_input_is_one_line(run: Run, files: Path, arguments: list[str], message: str) -> None:
    (files / "short").write_text("a\n")
    (files / "bad").write_text('{"text": "a"}\n{"text": "a", "constraints": [{"target": ""}]}\n')
    output = files / "never.json"
    given = [argument.format(files) for argument in arguments]
    outcome = run("evaluate", files / "reference", *given, "--json", output)
    assert (outcome.status, outcome.output, outcome.errors.count("\n")) == (2, "", 1)
    assert message in outcome.errors
    assert not output.exists()


def test_nothing_to_evaluate(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    outcome = run("evaluate", tmp_path / "empty", tmp_path / "empty")
    assert (outcome.status, outcome.errors) == (2, "lexalign: error: there is nothing to evaluate\n")
