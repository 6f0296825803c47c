"""The commands that make glossaries and check translations, with their exit codes."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from lexalign.cli.main import app
from lexalign.glossary import read_glossary
from tests.terminology.small_memory import TERMS, make_units


def call(*arguments: object, answers: str | None = None) -> Result:
    return CliRunner().invoke(app, ["glossary", *map(str, arguments)], input=answers)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("memory") / "memory.tsv"
    path.write_text("".join(f"{one.source}\t{one.target}\n" for one in make_units(200)), encoding="utf-8")
    return path


def test_extract_accept_and_check(memory: Path, tmp_path: Path) -> None:
    terms, sheet, page = (tmp_path / name for name in ("terms.tbx", "candidates.csv", "page.html"))
    found = call(
        "extract", memory, "--languages", "en:de", "--to", terms, "--candidates", sheet, "--candidates", page
    )
    assert found.exit_code == 0, found.output
    targets = {entry.source: entry.targets for entry in read_glossary(terms)}
    assert all(targets[source] == (target,) for source, target in TERMS.items())
    assert "vendor" in page.read_text(encoding="utf-8")
    accepted = tmp_path / "accepted.csv"
    assert call("accept", sheet, "--to", accepted).exit_code == 0
    assert {entry.source for entry in read_glossary(accepted)} == set(targets)
    assert (
        call("check", memory, "--glossary", terms, "--languages", "en:de", "--aligner", "none").exit_code == 0
    )


def test_check_fails_once_and_not_with_a_baseline(tmp_path: Path) -> None:
    text, known, report = tmp_path / "m.tsv", tmp_path / "known.json", tmp_path / "r.json"
    text.write_text("Post the vendor order 3 times.\tBuchen Sie den Auftrag 4 Mal.\n", encoding="utf-8")
    command = ("check", text, "--languages", "en:de", "--aligner", "none")
    assert call(*command, "--write-baseline", known, "--report", report).exit_code == 1
    assert json.loads(report.read_text())["counts"] == {"number": 1}
    assert call(*command, "--baseline", known).exit_code == 0
    assert call(*command, "--kind", "tag").exit_code == 0
    assert call(*command, "--fail-on", "never").exit_code == 0


def test_review_on_the_terminal(memory: Path, tmp_path: Path) -> None:
    to = tmp_path / "terms.csv"
    found = call(
        "extract",
        memory,
        "--languages",
        "en:de",
        "--to",
        to,
        "--review",
        answers="y\n?\nn\nk\nEtwas|Anderes\nQ\n",
    )
    assert found.exit_code == 0, found.output
    first, second, third = read_glossary(to)
    assert second.policy == "keep"
    assert third.targets == ("Etwas", "Anderes")
    assert first.source not in (second.source, third.source)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "there is no bilingual file"),
        (("none.tmx",), "no such file"),
        (("--source", "a"), "give as many of each"),
        (("MEMORY", "--languages", "de:en"), "changed places"),
        (("MEMORY", "--from", "en"), "give both --from and --to"),
        (("MEMORY", "--languages", "en:de", "--candidates", "x.doc"), "candidates are written as"),
        (("MEMORY", "--languages", "en:de", "--output", "x.doc"), "a glossary's name ends in"),
        (("MEMORY", "--languages", "en:de", "--review"), "give its place with --output"),
    ],
)
def test_bad_input_is_a_line_and_exit_code_2(memory: Path, arguments: Sequence[str], message: str) -> None:
    found = call("extract", *(str(memory) if one == "MEMORY" else one for one in arguments))
    assert found.exit_code == 2
    assert message in found.stderr
    assert found.stderr.splitlines()[-1].startswith("lexalign: error: ")


def test_merge_diff_stats_and_consistency(memory: Path, tmp_path: Path) -> None:
    first, second, both = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "c.csv"
    first.write_text("en,de\nvendor,Lieferant\n")
    second.write_text("en,de\nvendor,Kreditor\ninvoice,Rechnung\n")
    assert call("merge", first, second, "--to", both).exit_code == 0
    assert [entry.targets for entry in read_glossary(both)] == [("Lieferant", "Kreditor"), ("Rechnung",)]
    assert call("merge", first, second, "--to", both, "--conflicts", "refuse").exit_code == 2
    assert call("diff", first, first).exit_code == 0
    changed = call("diff", first, second)
    assert (changed.exit_code, changed.stdout.splitlines()) == (
        1,
        ["~ vendor: Lieferant → Kreditor", "+ invoice: Rechnung"],
    )
    assert "terms: 2" in call("stats", second).stdout
    used = call("stats", second, "--corpus", memory, "--json")
    counts = {one["source"]: one for one in json.loads(used.stdout)}
    assert counts["invoice"]["verdicts"]["as-asked"] == counts["invoice"]["count"] > 20
    assert counts["vendor"]["verdicts"]["missing-term"] == counts["vendor"]["count"] > 20
    assert call("consistency", memory, "--languages", "en:de").exit_code == 0


def test_consistency_as_json_has_terms_and_segments(memory: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.tsv"
    lines = memory.read_text(encoding="utf-8").splitlines()
    changed = [line.replace("Lieferant", "Kreditor") for line in lines[:60]]
    other.write_text("\n".join(changed), encoding="utf-8")
    found = call("consistency", memory, other, "--languages", "en:de", "--json")
    assert found.exit_code == 1
    content = json.loads(found.stdout)
    (vendor,) = (one for one in content["terms"] if one["source"] == "vendor")
    assert (vendor["majority"]["target"], vendor["outliers"][0]["target"]) == ("Lieferant", "Kreditor")
    assert {one["kind"] for one in content["segments"]} == {"inconsistent"}
    assert any("Kreditor" in one["found"] for one in content["segments"])
