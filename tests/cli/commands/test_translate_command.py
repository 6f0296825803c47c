"""`lexalign translate`: texts, files, streams, and every form of output."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lexalign.cli.output.translation.lines import moses, plain
from lexalign.translator import TranslateOptions, Translation, Translator
from tests.cli.conftest import Run

FAST = ("--beam", 2, "--max-length", 12, "--device", "cpu")


@pytest.fixture(scope="session")
def lines(corpus: Path) -> list[str]:
    return ["", *(corpus / "train.de").read_text(encoding="utf-8").splitlines()[:60], "", "Anna  und\tOtto"]


@pytest.fixture(scope="session")
def expected(model: Path, lines: list[str]) -> list[str]:
    options = TranslateOptions(beam=2, max_length=12, workers=1)
    return [plain(entry) for entry in Translator.load(model, device="cpu").translate(lines, options)]


def test_a_text_is_translated(run: Run, model: Path, expected: list[str], lines: list[str]) -> None:
    outcome = run("translate", "--model", model, lines[1], *FAST)
    assert (outcome.status, outcome.output) == (0, expected[1] + "\n")


def test_a_text_of_two_lines_gives_two(run: Run, model: Path, expected: list[str], lines: list[str]) -> None:
    outcome = run("translate", "--model", model, f"{lines[1]}\n{lines[2]}", *FAST)
    assert outcome.output == f"{expected[1]}\n{expected[2]}\n"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_file_is_translated_line_by_line(
    run: Run, model: Path, expected: list[str], lines: list[str], tmp_path: Path, workers: int
) -> None:
    (tmp_path / "in.gz").write_bytes(gzip.compress("\r\n".join([*lines, ""]).encode()))
    arguments = ("--input", tmp_path / "in.gz", "--output", tmp_path / "out", "--workers", workers)
    outcome = run("translate", "--model", model, *arguments, *FAST)
    assert (outcome.status, outcome.output) == (0, "")
    assert (tmp_path / "out").read_text(encoding="utf-8") == "".join(line + "\n" for line in expected)


def test_standard_input_is_translated(
    run: Run, feed: Callable[[bytes], None], model: Path, expected: list[str], lines: list[str]
) -> None:
    feed("\n".join(lines).encode())  # without a last line end
    outcome = run("translate", "--model", model, *FAST)
    assert outcome.output == "".join(line + "\n" for line in expected)


def test_no_lines_give_none(run: Run, feed: Callable[[bytes], None], model: Path, tmp_path: Path) -> None:
    feed(b"")
    assert run("translate", "--model", model, *FAST).output == ""
    (tmp_path / "empty").write_bytes(b"")
    run("translate", "--model", model, "--input", tmp_path / "empty", "--output", tmp_path / "out", *FAST)
    assert (tmp_path / "out").read_bytes() == b""


def test_json_lines_have_scores_and_tokens(run: Run, model: Path, lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "in").write_text("\n".join(lines[:5]) + "\n", encoding="utf-8")
    outcome = run("translate", "--model", model, "--input", tmp_path / "in", "--json", "--n-best", 2, *FAST)
    found = [json.loads(line) for line in outcome.output.splitlines()]
    assert [entry["source"] for entry in found] == lines[:5]
    assert found[0]["translation"] == ""
    assert found[0]["tokens"] == []
    assert "alternatives" not in found[0]
    for entry in found[1:]:
        total = sum(token["log_probability"] for token in entry["tokens"]) + entry["end_log_probability"]
        assert entry["log_probability"] == pytest.approx(total, abs=1e-4)
        assert entry["complete"] in (True, False)
        assert entry["alternatives"][0]["score"] <= entry["score"]


def test_n_best_lists_are_those_of_moses(run: Run, model: Path, lines: list[str]) -> None:
    outcome = run("translate", "--model", model, f"{lines[1]}\n\n{lines[2]}", "--n-best", 2, *FAST)
    columns = [line.split(" ||| ") for line in outcome.output.splitlines()]
    assert [column[0] for column in columns] == ["0", "0", "1", "2", "2"]
    assert float(columns[0][2]) >= float(columns[1][2])


def test_a_cut_translation_is_reported(run: Run, model: Path, lines: list[str]) -> None:
    outcome = run(
        "translate", "--model", model, f"{lines[1]}\n\n{lines[2]}", "--max-length", 1, "--no-coverage"
    )
    assert outcome.status == 0
    assert outcome.errors.splitlines() == [
        "lexalign: warning: line 1: the translation was cut off at the length limit",
        "lexalign: warning: line 3: the translation was cut off at the length limit",
        "lexalign: warning: 2 translations were cut off at the length limit",
    ]


def test_int8_translates(run: Run, model: Path, lines: list[str]) -> None:
    assert run("translate", "--model", model, lines[1], "--int8", *FAST).output.strip()


def test_a_generated_line_break_stays_in_its_line() -> None:
    translation = Translation(text="a\nb\r", alternatives=(Translation(text="\n"),))
    assert plain(translation) == "a b "
    assert moses(3, translation) == "3 ||| a b  ||| 0.000000\n3 |||   ||| 0.000000"


def test_an_output_that_is_a_link_stays_one(run: Run, model: Path, lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    run("translate", "--model", model, lines[1], "--output", tmp_path / "link", *FAST)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text().strip()
