"""`--report`, `--strict`, `--memory` and `--write-memory` of the commands that translate."""

import csv
import json
from pathlib import Path

import pytest
from lxml import etree

from tests.cli.conftest import FAST, Run

XLIFF = """<xliff version="1.2">
<file source-language="de" target-language="en" original="x" datatype="x"><body>
<trans-unit id="1"><source>Anna <g id="1">kauft</g> Äpfel.</source></trans-unit>
<trans-unit id="2"><source>Otto schläft heute.</source></trans-unit>
<trans-unit id="3"><source>Otto schläft morgen.</source></trans-unit>
</body></file></xliff>"""
TMX = """<tmx version="1.4"><header srclang="de"/><body>
<tu><tuv xml:lang="de"><seg>Anna <bpt i="1"/>kauft<ept i="1"/> Äpfel.</seg></tuv>
<tuv xml:lang="en"><seg>Apples are <bpt i="1"/>bought<ept i="1"/>.</seg></tuv></tu>
<tu><tuv xml:lang="de"><seg>Otto schläft heute.</seg></tuv>
<tuv xml:lang="en"><seg>Otto sleeps.</seg></tuv></tu>
</body></tmx>"""


def test_a_memory_is_taken_offered_and_written(run: Run, aligned: Path, tmp_path: Path) -> None:
    pytest.importorskip("rapidfuzz")
    (tmp_path / "in.xlf").write_text(XLIFF, encoding="utf-8")
    (tmp_path / "old.tmx").write_text(TMX, encoding="utf-8")
    given = (
        "--memory",
        tmp_path / "old.tmx",
        "--write-memory",
        tmp_path / "new.tmx",
        "--term",
        "Äpfel=pears",
    )
    report = ("--report", tmp_path / "r.json", "--model", aligned, "--from", "de", "--to", "en", "--beam", 2)
    outcome = run(
        "translate-file", tmp_path / "in.xlf", tmp_path / "out.xlf", *given, *report, "--workers", 1
    )
    assert outcome.status == 0, outcome.errors
    assert outcome.errors.splitlines()[-1].startswith("3 segments (2 from memory): ")
    units = etree.parse(tmp_path / "out.xlf").getroot().findall(".//trans-unit")
    targets = [unit.find("target") for unit in units]
    assert etree.tostring(targets[0]).startswith(b'<target state="translated" state-qualifier="exact-match">')
    assert b'Apples are <g id="1">bought</g>.' in etree.tostring(targets[0])
    assert (targets[1].text, targets[1].get("state-qualifier")) == ("Otto sleeps.", "exact-match")
    assert targets[2].get("state") == "needs-review-translation"
    assert units[2].findtext("alt-trans/target") == "Otto sleeps."
    content = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    (alternative,) = content["files"][0]["segments"][-1]["alternatives"]
    assert alternative["source"] == "Otto schläft heute."
    # What a memory has is taken as it is, and told if it lacks a term.
    assert [(term["source"], term["met"]) for term in content["files"][0]["segments"][0]["terms"]] == [
        ("Äpfel", False)
    ]
    new = etree.parse(tmp_path / "new.tmx").getroot().xpath("//tuv[@xml:lang='de']/seg/text()")
    assert new == ["Otto schläft morgen."]


def test_strict_fails_where_a_term_is_missed(run: Run, aligned: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("Anna liest.\nAnna schläft.\n", encoding="utf-8")
    term = ("--term", "Anna=zebra", "--source-forms", "exact", "--policy", "none", "--strict")
    command = ("--model", aligned, *term, "--report", tmp_path / "r.csv", *FAST)
    outcome = run("translate", "--input", tmp_path / "in.txt", *command)
    assert (outcome.status, len(outcome.output.splitlines())) == (1, 2)
    assert outcome.errors.splitlines()[-1].startswith("2 segments: 2 terms, 2 missed")
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == "term"]
    assert [(row["where"], row["result"], row["wanted"]) for row in rows] == [
        ("line 1", "missed", "zebra"),
        ("line 2", "missed", "zebra"),
    ]
    outcome = run("translate-file", tmp_path / "in.txt", tmp_path / "out.txt", *command)
    assert outcome.status == 1, outcome.errors
    assert (tmp_path / "out.txt").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--report", "r.pdf"), "the name of a report ends in .json, .html, .csv"),
        (("--memory", "none.tmx"), "no such translation memory"),
        (("--write-memory", "new.tsv"), "written as .tmx"),
        (("--memory", "in.txt"), "a .tmx or a .tsv file"),
    ],
)
def test_bad_options_are_refused_before_anything_is_translated(
    run: Run, aligned: Path, tmp_path: Path, options: tuple[str, str], said: str
) -> None:
    (tmp_path / "in.txt").write_text("Anna liest.\n", encoding="utf-8")
    flag, name = options
    outcome = run(
        "translate-file", tmp_path / "in.txt", tmp_path / "out.txt", "--model", aligned, flag, tmp_path / name
    )
    assert outcome.status == 2
    assert said in outcome.errors
    assert len(outcome.errors.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


def test_a_corpus_is_reported_from_its_output(run: Run, aligned: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_bytes("Anna liest.\nOtto\0\nAnna schläft 3 Tage.\n".encode())
    arguments = ("translate-corpus", tmp_path / "in.txt", tmp_path / "job", "--model", aligned, "--beam", 2)
    terms = ("--term", "Anna=zebra", "--source-forms", "exact", "--device", "cpu", "--workers", 1)
    assert run(*arguments, *terms).status == 0
    outcome = run(*arguments, *terms, "--report", tmp_path / "r.json", "--strict")
    assert outcome.status == 1  # a row could not be translated
    counts = json.loads((tmp_path / "r.json").read_text())["counts"]
    assert (counts["segments"], counts["terms"], counts["terms_met"], counts["refused"]) == (3, 2, 2, 1)
    plain = ("translate-corpus", tmp_path / "in.txt", tmp_path / "other", "--model", aligned, "--strict")
    outcome = run(*plain, "--format", "text")
    assert (outcome.status, "--format jsonl" in outcome.errors) == (2, True)
