"""docs/results.md is what the committed results say."""

from pathlib import Path

import pytest

from experiments.pairs import PAIRS
from experiments.sections.devices import devices
from experiments.sections.other_runs import agreement, in_tables, runs_of
from experiments.stage import is_done
from experiments.stages import STAGES
from experiments.tables import HERE, PAGE, main, make_page, read_results
from experiments.workspace import Workspace


def test_the_page_is_in_step_with_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == make_page(read_results(HERE / "results"))


def test_the_results_are_by_the_options_of_now(tmp_path: Path) -> None:
    """All but the stage that finds out what the data is."""
    for name, pair in PAIRS.items():
        workspace = Workspace(
            pair=pair, data=tmp_path, folder=HERE / "results" / name, results=tmp_path, device="cpu"
        )
        measured = [stage for stage in STAGES if stage != "prepare" and workspace.found(stage)]
        assert measured, name
        outdated = [stage for stage in measured if not is_done(STAGES[stage], workspace)]
        assert not outdated, name


def test_pairs_without_results_are_said_to_be_so(tmp_path: Path) -> None:
    page = make_page(read_results(tmp_path))
    assert page.count("| not measured yet |") == len(PAIRS)
    assert "| PostAln | 0 | – / 15.5 | – / 19.5 |" in page


def test_first_rounds_that_attention_did_not_teach_are_named() -> None:
    results = read_results(HERE / "results")
    assert "whose teacher is ShiftATT, and" in make_page(results)
    results["en-hi"]["heads"]["result"]["teacher"] = "hmm-agreement"
    assert "whose teacher is ShiftATT (en-hi: `hmm-agreement`), and" in make_page(results)


def test_a_page_out_of_step_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "results.md"
    options = ["--results", str(tmp_path), "--page", str(page)]
    assert main([*options, "--check"]) == 1
    assert "not in step" in capsys.readouterr().err
    assert main(options) == 0
    assert main([*options, "--check"]) == 0


def test_searches_that_another_device_made_are_named() -> None:
    content = {"signature": {"device": "CPU"}, "result": {}}
    assert devices(content) == "CPU"
    content["result"] = {
        "devices": {"5": {"vdba": "GPU", "guided": "GPU"}, "10": {"vdba": "GPU", "guided": None}}
    }
    assert devices(content) == "GPU; CPU: Guided at beam 10"


def test_the_tables_have_the_run_that_validation_text_prefers() -> None:
    results = read_results(HERE / "results")
    for pair in PAIRS:
        runs = runs_of(results, pair)
        assert len(runs) > 1, pair
        assert min(runs, key=lambda run: agreement(runs[run])) == in_tables(results, pair), pair


def test_runs_that_were_not_measured_are_left_out() -> None:
    results = read_results(HERE / "results")
    found = list(runs_of(results, "ja-en"))
    del results["ja-en/2"]["align"]
    assert list(runs_of(results, "ja-en")) == [run for run in found if run != 2]
