"""Commands without --model find one by the languages of the text, and `quantize` makes one."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lexalign.alignment.head_files import HeadSettings, save_head
from lexalign.alignment.learned import PosteriorHead
from lexalign.models.folder import stored_precision
from tests.cli.conftest import Run

Feed = Callable[[bytes], None]


def say_languages(folder: Path, source: str, target: str) -> None:
    config = json.loads((folder / "config.json").read_text())
    config["languages"] = {"source": source, "target": target}
    (folder / "config.json").write_text(json.dumps(config))


@pytest.fixture(scope="module")
def float_model(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("float") / "model"
    folder.mkdir()
    for file in model.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    save_head(folder, PosteriorHead(32, 4), HeadSettings(layer=0))
    return folder


@pytest.fixture
def installed(float_model: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same model for both directions, as what came along."""
    for name in ("de-en", "en-de"):
        outcome = run("quantize", float_model, "--to", tmp_path / "models" / name)
        assert outcome.status == 0
        assert outcome.errors.startswith(f"{tmp_path / 'models' / name}: 0.")
        say_languages(tmp_path / "models" / name, *name.split("-"))
    monkeypatch.setenv("LEXALIGN_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


def test_quantize_writes_an_int8_folder(installed: Path, float_model: Path, run: Run) -> None:
    folder = installed / "de-en"
    assert stored_precision(folder) == "int8"
    text = "Anna kaufte drei Birnen."
    shown = [
        run("translate", "--device", "cpu", "--json", *flags, text).output
        for flags in (("--model", folder), ("--model", float_model, "--int8"), ("--from", "de"))
    ]
    assert shown[0] == shown[1] == shown[2]
    exact = run("translate", "--device", "cpu", "--json", "--float32", "--model", folder, text)
    assert json.loads(exact.output)["score"] != json.loads(shown[0])["score"]
    again = run("quantize", float_model, "--to", folder)
    assert (again.status, "already exists" in again.errors) == (2, True)


def test_a_text_needs_no_model(installed: Path, run: Run) -> None:
    for name, text in (("de-en", "Wo ist das Haus?"), ("en-de", "Where is the house?")):
        (installed / name / "config.json").rename(installed / name / "hidden")
        missing = run("translate", "--device", "cpu", text)
        (installed / name / "hidden").rename(installed / name / "config.json")
        found = run("translate", "--device", "cpu", text)
        assert found.status == 0
        assert found.output
        assert found.output == run("translate", "--device", "cpu", "--model", installed / name, text).output
        if name == "en-de":
            assert missing.status == 0  # then there is but one direction, and nothing to guess


def test_a_language_has_many_names(installed: Path, run: Run) -> None:
    text = "Anna kaufte drei Birnen."
    expected = run("translate", "--device", "cpu", "--from", "de", "--to", "en", text)
    assert expected.status == 0
    for source, target in (("DE", "EN"), ("de-AT", "en_GB"), ("German", "english"), ("deu", "eng")):
        named = ("--from", source, "--to", target)
        assert run("translate", "--device", "cpu", *named, text) == expected
        assert run("translate", "--device", "cpu", "--model", installed / "de-en", *named, text) == expected


@pytest.mark.parametrize("wrong", [("--from", "en"), ("--to", "fr"), ("--from", "English", "--to", "de")])
def test_a_model_of_other_languages_is_refused(installed: Path, run: Run, wrong: tuple[str, ...]) -> None:
    folder = installed / "de-en"
    for command in ("translate", "align"):
        files = () if command == "translate" else (folder / "config.json",) * 2
        given = ("Wo ist es?",) if command == "translate" else files
        outcome = run(command, "--model", folder, *wrong, *given)
        assert (outcome.status, outcome.output, outcome.errors.count("\n")) == (2, "", 1)
        assert f"{folder} translates from de to en, not" in outcome.errors


@pytest.mark.usefixtures("installed")
def test_files_and_constraints_need_no_model(run: Run, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("Where is the house?\n\nI do not know.\n")
    found = run("translate", "--device", "cpu", "--input", tmp_path / "text")
    assert (found.status, found.output.count("\n")) == (0, 3)
    asked = '{"text": "Where is the house?", "constraints": [{"source": [13, 18], "target": "Haus"}]}\n'
    (tmp_path / "asked").write_text(asked)
    assert "Haus" in run("translate", "--device", "cpu", "--constraints", tmp_path / "asked").output


def test_standard_input_is_looked_at_and_still_translated_whole(
    installed: Path, run: Run, feed: Feed
) -> None:
    text = "Where is the house?\nI do not know.\n" * 3
    feed(text.encode())
    guessed = run("translate", "--device", "cpu")
    feed(text.encode())
    named = run("translate", "--device", "cpu", "--model", installed / "en-de")
    assert guessed.status == 0
    assert guessed.output == named.output
    assert guessed.output.count("\n") == 6
    feed(b"")
    assert run("translate", "--device", "cpu") == (run("translate", "--device", "cpu", "--from", "de"))


def test_align_needs_no_model(installed: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "de").write_text("Das Haus ist groß.\n")
    (tmp_path / "en").write_text("The house is big.\n")
    files = (tmp_path / "de", tmp_path / "en", "--device", "cpu")
    found = run("align", *files)
    assert found.status == 0
    assert found.output == run("align", *files, "--model", installed / "de-en").output
    both = run("align", *files, "--symmetrize", "grow-diag")
    named = ("--model", installed / "de-en", "--reverse-model", installed / "en-de")
    assert both.output == run("align", *files, "--symmetrize", "grow-diag", *named).output
    assert run("align", *files, "--symmetrize", "grow-diag", *named[:2]).status == 2


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            ("--from", "de", "--to", "fr", "x"),
            "no model from de to fr is installed; those installed are de to en, en to de",
        ),
        (("2026",), "the language of the text is not certain (de or en?); give it with --from LANGUAGE"),
        (("--from", "xx", "x"), "no model from xx is installed"),
    ],
)
def test_errors_are_one_line(run: Run, flags: tuple[str, ...], message: str) -> None:
    outcome = run("translate", *flags)
    assert outcome.status == 2
    assert outcome.output == ""
    assert message in outcome.errors
    assert outcome.errors.count("\n") == 1
