"""`lexalign train` and `lexalign plot-log`."""

import json
from pathlib import Path

import pytest

from lexalign.text.model_languages import languages_of_folder
from lexalign.training import run as training_run
from tests.cli.conftest import Run


def files(corpus: Path) -> tuple[object, ...]:
    return (
        *("--source", corpus / "train.de", "--target", corpus / "train.en"),
        *("--valid-data", corpus / "valid.tsv", "--config", corpus / "recipe.toml", "--device", "cpu"),
    )


def test_a_run_leaves_a_model_a_log_and_a_curve(trained: Path) -> None:
    assert (trained / "model" / "model.safetensors").is_file()
    assert json.loads((trained / "log.jsonl").read_text().splitlines()[-1])["update"] == 20
    pytest.importorskip("matplotlib")
    assert (trained / "curve.png").is_file()


def test_a_part_may_end_before_the_first_entry_of_the_log(run: Run, corpus: Path, tmp_path: Path) -> None:
    found = run("train", *files(corpus), "--to", tmp_path / "run", "--stop-after-updates", 1)
    assert (found.status, found.errors.count("error")) == (0, 0)
    assert (tmp_path / "run" / "checkpoints" / "checkpoint.pt").is_file()
    assert not (tmp_path / "run" / "log.jsonl").exists()


def test_flags_go_over_the_recipe(
    run: Run, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr(training_run, "train_model", lambda *given, **_: seen.append(given))
    flags = ("--updates", 7, "--batch-tokens", 99, "--seed", 5, "--no-plot")
    assert run("train", *files(corpus), "--to", tmp_path, *flags).status == 0
    training = seen[0][3].training
    assert (training.updates, training.batch_tokens, training.seed, training.warmup) == (7, 99, 5, 10)


def test_the_model_says_its_languages(
    run: Run, trained: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the files' names, of flags, or none where neither tells."""
    assert languages_of_folder(trained / "model") == ("de", "en")
    seen: list[object] = []
    monkeypatch.setattr(training_run, "train_model", lambda *_, languages, **__: seen.append(languages))
    table = ("--data", corpus / "valid.tsv", "--valid-data", corpus / "valid.tsv", "--to", tmp_path)
    said = ("--source-language", "fr", "--target-language", "ro")
    for arguments in ((*files(corpus), "--to", tmp_path), table, (*table, *said)):
        assert run("train", *arguments, "--no-plot").status == 0
    reverse = ("--source", corpus / "train.en", "--target", corpus / "train.de")
    for more in (("--data", corpus / "valid.tsv"), reverse):
        assert run("train", *files(corpus), *more, "--to", tmp_path, "--no-plot").status == 0
    assert seen == [("de", "en"), None, ("fr", "ro"), ("de", "en"), None]
    half = run("train", *files(corpus), "--to", tmp_path, "--source-language", "fr")
    assert (half.status, half.errors.count("\n")) == (2, 1)


def test_an_export_names_the_languages(run: Run, trained: Path, tmp_path: Path) -> None:
    wrong = run("export", trained / "model", "--to", tmp_path / "marian", "--source-language", "en")
    assert (wrong.status, (tmp_path / "marian").exists()) == (2, False)
    assert "translates from de to en, not from en" in wrong.errors
    found = run("export", trained / "model", "--to", tmp_path / "marian")
    assert found.status == 0
    config = json.loads((tmp_path / "marian" / "tokenizer_config.json").read_text())
    assert (config["source_lang"], config["target_lang"]) == ("de", "en")


def test_an_interrupted_run_says_how_to_go_on(
    run: Run, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(training_run, "train_model", interrupted)
    outcome = run("train", *files(corpus), "--to", tmp_path)
    assert outcome.status == 130
    assert outcome.errors == "stopped; run the same command again to continue\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--source", "a"), "1 --source and 0 --target"),
        ((), "there is no training text"),
        (("--data", "a.tsv"), "give validation text"),
        (("--data", "missing.tsv", "--valid-data", "v.tsv"), "missing.tsv"),
        (("--data", "a.tsv", "--valid-data", "v.tsv", "--config", "missing.toml"), "missing.toml"),
        (("--data", "a.tsv", "--valid-data", "v.tsv", "--updates", "0"), "updates is 0"),
        (("--data", "a.tsv", "--valid-data", "v.tsv", "--device", "tpu"), "unknown device 'tpu'"),
    ],
)
def test_what_cannot_be_trained_is_one_line(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    outcome = run("train", "--to", tmp_path / "run", *arguments)
    assert outcome.status == 2
    *said, error = outcome.errors.splitlines()
    assert error.startswith("lexalign: error: ")
    assert message in error
    assert said in ([], ["learning the vocabulary"])


def test_files_of_different_lengths_are_refused(run: Run, corpus: Path, tmp_path: Path) -> None:
    short = tmp_path / "short.en"
    short.write_text("one\ntwo\n")
    arguments = ("--source", corpus / "train.de", "--target", short, "--valid-data", corpus / "valid.tsv")
    outcome = run(
        "train", *arguments, "--config", corpus / "recipe.toml", "--to", tmp_path / "run", "--device", "cpu"
    )
    assert outcome.status == 2
    assert "has 300 lines but" in outcome.errors
    assert "has 2" in outcome.errors


def test_a_log_can_be_drawn_later(run: Run, trained: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert run("plot-log", trained / "log.jsonl", tmp_path / "curve.svg").status == 0
    assert "<svg" in (tmp_path / "curve.svg").read_text()


def test_a_log_that_is_not_there_is_one_line(run: Run, tmp_path: Path) -> None:
    outcome = run("plot-log", tmp_path / "none.jsonl", tmp_path / "curve.png")
    assert (outcome.status, outcome.errors.count("\n")) == (2, 1)
    assert "none.jsonl" in outcome.errors
