"""docs/research/results.md is what the committed results say."""

from pathlib import Path

import pytest

from experiments.paper.pipeline.pairs import PAIRS
from experiments.paper.pipeline.stage import is_done
from experiments.paper.pipeline.workspace import RESULTS, Result, Workspace
from experiments.paper.report.devices import devices
from experiments.paper.report.other_runs import OTHER_RUNS, Runs, in_tables, read_runs, runs_of, summarize
from experiments.paper.stages import STAGES
from experiments.paper.tables import PAGE, main, make_page, read_results


def test_the_page_is_in_step_with_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == make_page(read_results(RESULTS), read_runs(RESULTS))


def test_the_results_are_by_the_options_of_now(tmp_path: Path) -> None:
    """All but the stage that finds out what the data is."""
    for name, pair in PAIRS.items():
        workspace = Workspace(pair=pair, data=tmp_path, folder=RESULTS / name, results=tmp_path, device="cpu")
        measured = [stage for stage in STAGES if stage != "prepare" and workspace.found(stage)]
        assert measured, name
        outdated = [stage for stage in measured if not is_done(STAGES[stage], workspace)]
        assert not outdated, name


def test_pairs_without_results_are_said_to_be_so(tmp_path: Path) -> None:
    page = make_page(read_results(tmp_path), {})
    assert page.count("| not measured yet |") == len(PAIRS)
    assert "| PostAln | 0 | – / 15.5 | – / 19.5 |" in page


def test_first_rounds_that_attention_did_not_teach_are_named() -> None:
    results = read_results(RESULTS)
    assert "whose teacher is ShiftATT, and" in make_page(results, {})
    results["en-hi"]["heads"]["result"]["teacher"] = "hmm-agreement"
    assert "whose teacher is ShiftATT (en-hi: `hmm-agreement`), and" in make_page(results, {})


def test_a_page_out_of_step_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "results.md"
    options = ["--results", str(tmp_path), "--page", str(page)]
    assert main([*options, "--check"]) == 1
    assert "not in step" in capsys.readouterr().err
    assert main(options) == 0
    assert main([*options, "--check"]) == 0


def test_searches_that_another_device_made_are_named() -> None:
    content: Result = {"signature": {"device": "CPU"}, "result": {}}
    assert devices(content) == "CPU"
    content["result"] = {
        "devices": {"5": {"vdba": "GPU", "guided": "GPU"}, "10": {"vdba": "GPU", "guided": None}}
    }
    assert devices(content) == "GPU; CPU: Guided at beam 10"


def test_the_tables_have_the_run_that_validation_text_prefers() -> None:
    results, others = read_results(RESULTS), read_runs(RESULTS)
    for pair in (name for name, pair in PAIRS.items() if pair.conditions == "own"):
        runs = runs_of(results, others, pair)
        assert len(runs) > 1, pair
        assert min(runs, key=lambda run: runs[run]["heads_apart"]) == in_tables(others, pair), pair


def test_a_run_that_was_not_measured_is_left_out() -> None:
    results, others = read_results(RESULTS), read_runs(RESULTS)
    assert list(runs_of(results, others, "ja-en")) == [1, 2, 3]
    del results["ja-en"]["align"]
    assert summarize(results["ja-en"]) is None
    assert runs_of(results, others, "ja-en") == {}


def test_the_figures_of_another_run_are_kept(tmp_path: Path) -> None:
    """Under the next number that is free, as the same stages have them in the tables."""
    folder = str(RESULTS / "de-en")
    options = ["--results", str(tmp_path), "--page", str(tmp_path / "results.md")]
    for _ in range(2):
        assert main([*options, "--add-run", "de-en", folder]) == 0
    others: Runs = read_runs(tmp_path)
    assert list(others["de-en"]) == [2, 3]
    assert others["de-en"][3] == summarize(read_results(RESULTS)["de-en"])
    with pytest.raises(SystemExit, match="lacks one of the stages"):
        main([*options, "--add-run", "de-en", str(tmp_path)])
    assert (tmp_path / OTHER_RUNS).exists()
