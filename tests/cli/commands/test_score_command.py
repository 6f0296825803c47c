"""`lexalign score`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "hypotheses").write_text("Anna bought two apples today.\nThe house is big.\n")
    (tmp_path / "references").write_text("Anna bought two apples today.\nThe house is very big.\n")
    return tmp_path / "hypotheses", tmp_path / "references"


def test_the_table_has_signatures(run: Run, files: tuple[Path, Path]) -> None:
    lines = run("score", *files).output.splitlines()
    assert [line.split()[0] for line in lines] == ["BLEU", "chrF"]
    assert all("version:" in line for line in lines)


def test_json_has_the_same(run: Run, files: tuple[Path, Path]) -> None:
    content = json.loads(run("score", *files, "--json").output)
    assert [score["name"] for score in content["scores"]] == ["BLEU", "chrF"]
    assert 50 < content["scores"][0]["value"] < 100
    assert "sentences" not in content


def test_a_model_adds_log_probabilities(
    run: Run, files: tuple[Path, Path], model: Path, tmp_path: Path
) -> None:
    (tmp_path / "sources").write_text("Anna kaufte heute zwei Äpfel.\nDas Haus ist groß.\n", encoding="utf-8")
    flags = ("--model", model, "--source", tmp_path / "sources", "--device", "cpu")
    content = json.loads(run("score", *files, *flags, "--json").output)
    mean = content["scores"][-1]
    assert mean["name"] == "log-probability"
    total = sum(sentence["log_probability"] for sentence in content["sentences"])
    tokens = sum(len(sentence["tokens"]) + 1 for sentence in content["sentences"])
    assert mean["value"] == pytest.approx(total / tokens)
    assert "log-probability" in run("score", *files, *flags).output.splitlines()[-1]


def test_files_of_different_lengths_are_refused(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "short").write_text("one\n")
    outcome = run("score", files[0], tmp_path / "short")
    assert (outcome.status, outcome.output) == (2, "")
    assert f"{files[0]} has 2 lines but {tmp_path / 'short'} has 1" in outcome.errors


def test_model_and_source_go_together(run: Run, files: tuple[Path, Path], model: Path) -> None:
    outcome = run("score", *files, "--model", model)
    assert (outcome.status, outcome.errors) == (2, "lexalign: error: --model and --source go together\n")


def test_nothing_to_score_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    assert run("score", tmp_path / "empty", tmp_path / "empty").status == 2
