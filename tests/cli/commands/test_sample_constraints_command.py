"""`lexalign sample-constraints`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SOURCE = "Er gab gestern auf .\nJa .\n"
TARGET = "He gave up yesterday .\nYes .\n"
GOLD = "0-0 1-1 1-2 2-3 3-1 3-2 4-4\n0-0 1-1\n"


@pytest.fixture
def gold(tmp_path: Path) -> tuple[Path, Path, Path]:
    for name, content in (("source", SOURCE), ("target", TARGET), ("gold", GOLD)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path / "source", tmp_path / "target", tmp_path / "gold"


def terms(path: Path) -> list[list[str]]:
    return [
        [constraint["target"] for constraint in json.loads(line)["constraints"]]
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def test_json_lines_with_character_spans(run: Run, gold: tuple[Path, Path, Path]) -> None:
    outcome = run("sample-constraints", *gold, "--max-words", 1)
    first, second = (json.loads(line) for line in outcome.output.splitlines())
    assert first["text"] == "Er gab gestern auf ."
    assert first["constraints"] == [
        {"source": [0, 2], "target": "He"},
        {"source": [7, 14], "target": "yesterday"},
    ]
    assert second["constraints"] == [{"source": [0, 2], "target": "Yes"}]
    assert outcome.errors == "seed 1: 3 constraints in 2 sentences, 0 without any\n"


def test_several_sets_and_a_baseline(run: Run, gold: tuple[Path, Path, Path], tmp_path: Path) -> None:
    (tmp_path / "greedy").write_text("They quit yesterday.\nYes.\n")
    flags = ("--output", tmp_path / "terms.jsonl", "--sets", 2, "--baseline", tmp_path / "greedy")
    outcome = run("sample-constraints", *gold, *flags, "--max-words", 1)
    assert outcome.status == 0
    assert terms(tmp_path / "terms.1.jsonl") == terms(tmp_path / "terms.2.jsonl") == [["He"], []]
    assert "seed 2: 1 constraints in 1 sentences, 1 without any" in outcome.errors
    assert not (tmp_path / "terms.jsonl").exists()


def test_a_set_is_known_by_its_seed(run: Run, gold: tuple[Path, Path, Path], tmp_path: Path) -> None:
    flags = ("--max-constraints", 1)
    run("sample-constraints", *gold, *flags, "--sets", 3, "--seed", 4, "--output", tmp_path / "many")
    assert run("sample-constraints", *gold, *flags, "--seed", 6).output == (tmp_path / "many.3").read_text()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("target", "one\n", "source has 2 lines but"),
        ("gold", "0-1\n", "1 lines of links, but there are 2 sentences"),
        ("gold", "0-1\n0-7\n", "line 2: target word 7"),
        ("greedy", "one\n", "greedy has 1"),
    ],
)
def test_files_that_do_not_fit(
    run: Run, gold: tuple[Path, Path, Path], tmp_path: Path, name: str, content: str, message: str
) -> None:
    (tmp_path / "greedy").write_text("a\nb\n")
    (tmp_path / name).write_text(content)
    flags = ("--baseline", tmp_path / "greedy", "--output", tmp_path / "never")
    outcome = run("sample-constraints", *gold, *flags)
    assert (outcome.status, outcome.output, outcome.errors.count("\n")) == (2, "", 1)
    assert message in outcome.errors
    assert not (tmp_path / "never").exists()


def test_several_sets_need_a_file(run: Run, gold: tuple[Path, Path, Path]) -> None:
    outcome = run("sample-constraints", *gold, "--sets", 2)
    assert (outcome.status, outcome.errors) == (2, "lexalign: error: several sets need --output\n")
