"""`lexalign aer`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

GOLD = "0-0 1-1 2p2 2p3\n0-0\n"  # three sure links, five possible ones
FOUND = "0-0 2-2 3-3\n0-0\n"  # two sure, three possible of four
AER = 1 - (2 + 3) / (4 + 3)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "gold").write_text(GOLD)
    (tmp_path / "found").write_text(FOUND)
    (tmp_path / "source").write_text("a b c d\nx\n")
    (tmp_path / "target").write_text("A B C D\nX\n")
    return tmp_path


def from_one(text: str) -> str:
    return "".join(str(int(character) + 1) if character.isdigit() else character for character in text)


def test_the_table_says_how_files_were_read(run: Run, files: Path) -> None:
    lines = run("aer", files / "gold", files / "found").output.splitlines()
    assert [line.split()[0] for line in lines] == [
        "AER",
        "precision",
        "recall",
        "gold",
        "hypothesis",
        "signature",
    ]
    assert float(lines[0].split()[1]) == pytest.approx(100 * AER, abs=0.005)
    assert "talp, counts from 0 (line 1 has a word 0)" in lines[3]
    assert "pharaoh, counts from 0" in lines[4]
    assert "lengths:unchecked" in lines[5]


def test_json_has_the_same(run: Run, files: Path) -> None:
    content = json.loads(run("aer", files / "gold", files / "found", "--json").output)
    assert content["aer"] == pytest.approx(AER)
    assert (content["precision"], content["recall"]) == (3 / 4, pytest.approx(2 / 3))
    assert content["gold"]["base"] == 0


def test_gold_that_counts_from_one_is_found_out(run: Run, files: Path) -> None:
    (files / "gold").write_text(from_one(GOLD))
    words = ("--source", files / "source", "--target", files / "target")
    content = json.loads(run("aer", files / "gold", files / "found", *words, "--json").output)
    assert content["aer"] == pytest.approx(AER)
    assert content["gold"]["base"] == 1
    assert "counted from 1" in content["gold"]["reason"]
    assert "gold-base:1|hypothesis-base:0|lengths:checked" in content["signature"]


def test_the_base_can_be_named(run: Run, files: Path) -> None:
    (files / "gold").write_text(from_one(GOLD))
    content = json.loads(run("aer", files / "gold", files / "found", "--gold-base", 1, "--json").output)
    assert (content["aer"], content["gold"]["reason"]) == (pytest.approx(AER), "as asked for")


def test_naacl_files_may_end_early(run: Run, files: Path) -> None:
    (files / "gold.wa").write_text("1 1 1 S\n1 2 2\n1 3 3 P\n1 3 4 P\n")
    content = json.loads(run("aer", files / "gold.wa", files / "found", "--json").output)
    assert (content["sentences"], content["sure"], content["possible"]) == (2, 2, 4)
    assert content["gold"]["format"] == "naacl"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("found", "0-0\n", "unequal numbers of sentences"),
        ("found", "0-0\nzero\n", "found, line 2: 'zero' is not a link"),
        ("found", "0-0\n0-5\n", "found, line 2: target word 5, counted from 0"),
        ("found", "0-0\n1-1\n", "found: line 1 has a word 0, so it counts from 0, but 1-1 in line 2"),
        ("source", "a b c d\n", "source has 1 lines but"),
    ],
)
def test_bad_input_is_one_line(run: Run, files: Path, name: str, content: str, message: str) -> None:
    (files / name).write_text(content)
    words = ("--source", files / "source", "--target", files / "target") if "unequal" not in message else ()
    outcome = run("aer", files / "gold", files / "found", *words)
    assert (outcome.status, outcome.output, outcome.errors.count("\n")) == (2, "", 1)
    assert message in outcome.errors


def test_source_and_target_go_together(run: Run, files: Path) -> None:
    outcome = run("aer", files / "gold", files / "found", "--source", files / "source")
    assert (outcome.status, outcome.errors) == (2, "lexalign: error: --source and --target go together\n")
