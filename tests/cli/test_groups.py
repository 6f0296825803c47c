"""Groups of commands, names and flags of older versions, help and completion."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main

from lexalign import __version__
from lexalign.cli.groups import renew
from lexalign.cli.main import app
from lexalign.cli.options.sections import ORDER
from tests.cli.conftest import Run

ROOT: Any = typer.main.get_command(app)
OLD_NAMES = {
    "translate-file": "translate file",
    "translate-corpus": "translate corpus",
    "train-aligner": "train aligner",
    "import": "models import",
    "export": "models export",
    "quantize": "models quantize",
    "score": "evaluate score",
    "aer": "evaluate alignment",
    "plot-alignment": "align plot",
    "plot-log": "train plot",
    "sample-constraints": "evaluate sample-constraints",
    "keys": "serve keys",
}


def walk(command: Any, name: str) -> list[tuple[str, Any]]:
    """All commands that help shows, with their full names."""
    below = [pair for key, one in getattr(command, "commands", {}).items() if not one.hidden
             for pair in walk(one, f"{name} {key}".strip())]  # fmt: skip
    return [(name, command), *below]


def find(name: str) -> Any:
    command = ROOT
    for word in name.split():
        command = command.commands[word]
    return command


def test_the_groups() -> None:
    shown = [name for name, command in ROOT.commands.items() if not command.hidden]
    assert {"translate", "align", "glossary", "models", "train", "evaluate", "serve", "doctor"} <= set(shown)
    assert not set(OLD_NAMES) & set(shown)


@pytest.mark.parametrize("old", OLD_NAMES)
def test_old_names_are_hidden_and_the_same(old: str) -> None:
    new = find(OLD_NAMES[old])
    assert ROOT.commands[old].hidden
    assert [one.opts for one in ROOT.commands[old].params] == [one.opts for one in new.params]


@pytest.mark.parametrize(("name", "command"), walk(ROOT, ""), ids=lambda value: str(value)[:30])
def test_help_is_whole(run: Run, name: str, command: Any) -> None:
    shown = run(*name.split(), "-h")
    assert shown.status == 0
    assert shown.output == run(*name.split(), "--help").output
    assert f"Usage: lexalign {name}".strip() in shown.output
    unwrapped = " ".join(shown.output.split())
    for below, one in getattr(command, "commands", {}).items():
        assert one.hidden or f"{below} {one.get_short_help_str(10_000)}" in unwrapped


@pytest.mark.parametrize(("name", "command"), walk(ROOT, ""), ids=lambda value: str(value)[:30])
def test_from_and_to_are_languages_and_output_is_a_place(name: str, command: Any) -> None:  # noqa: ARG001
    for one in command.params:
        if {"--from", "--to"} & set(one.opts):
            assert one.metavar == "LANGUAGE"
        if {"--model", "--reverse-model"} & set(one.opts):
            assert one.metavar == "MODEL"
        if "--output" in one.opts:
            assert "-o" in one.opts
            assert one.metavar in ("FILE", "DIR")
        assert not {"--source-language", "--target-language"} & set(one.opts)


@pytest.mark.parametrize(("name", "command"), walk(ROOT, ""), ids=lambda value: str(value)[:30])
def test_usage_names_arguments_in_capitals(run: Run, name: str, command: Any) -> None:
    usage = run(*name.split(), "-h").output.partition("\n\n")[0]
    assert not set("{}<>") & set(usage)
    assert "[[" not in usage
    for one in command.params:
        if one.param_type_name == "argument":
            assert one.metavar.isupper()


@pytest.mark.parametrize(("name", "command"), walk(ROOT, ""), ids=lambda value: str(value)[:30])
def test_options_are_described_without_types_of_python(run: Run, name: str, command: Any) -> None:  # noqa: ARG001
    shown = run(*name.split(), "-h").output
    assert not {"<int", "<float", "<str", "<list", "default: ("} & set(re.findall(r"<\w+|default: \(", shown))


def test_an_example_can_be_copied(run: Run) -> None:
    shown = run("translate", "file", "-h").output
    assert (
        "\n  lexalign translate file page.html page.en.html --glossary terms.csv --report report.html\n"
        in shown
    )
    assert "Example: " not in shown


def test_too_many_words(run: Run) -> None:
    assert "put a text of several words in quotes" in run("translate", "Das", "Haus").errors
    assert "did you mean 'lexalign translate file'?" in run("translate", "fil", "page.html").errors


def test_what_is_missing_comes_with_an_example(run: Run) -> None:
    assert "Example: lexalign translate file page.html" in run("translate", "file", "page.html").errors
    assert "Example: lexalign train --source train.de" in run("train").errors
    assert "'x' is not one of" in run("translate", "--policy", "x", "Haus").errors
    assert "Value error" not in run("translate", "--policy", "x", "Haus").errors


def test_a_folder_where_a_file_is_wanted(run: Run, tmp_path: Path) -> None:
    assert "lexalign translate corpus" in run("translate", "--input", tmp_path).errors
    assert "give one document" in run("translate", "file", tmp_path, tmp_path / "x").errors
    assert "give a file of sentences" in run("align", tmp_path, tmp_path).errors


def test_long_help_has_sections(run: Run) -> None:
    shown = run("translate", "file", "-h").output
    titles = ("Options:", "Terms:", "Translation memories:", "Alignment:", "Speed and memory:")
    places = [shown.index(f"\n{title}\n") for title in titles]
    assert places == sorted(places)
    assert shown.rindex("--glossary") > places[1]
    assert {"Examples", "Arguments", *ORDER} >= {
        line[:-1] for line in shown.splitlines() if line and line[0] != " " and line[-1] == ":"
    }


def test_version(run: Run) -> None:
    assert run("-V").output == run("--version").output == f"lexalign {__version__}\n"


def test_a_name_that_there_is_not(run: Run) -> None:
    found = run("translte", "x")
    assert found.status == 2
    assert "Did you mean 'translate'?" in found.errors


@pytest.mark.parametrize(
    ("given", "old_place", "renewed"),
    [
        ("--to run --source x", True, "--output run --source x"),
        ("--to=run", True, "--output=run"),
        ("--to en", True, "--to en"),
        ("--to German", True, "--to German"),
        ("--to en --output run", True, "--to en --output run"),
        ("--to rn -o run", True, "--to rn -o run"),
        ("--to run", False, "--to run"),
        ("--source-language de --target-language=en", False, "--from de --to=en"),
        ("--languages de:en x", False, "--from de --to en x"),
        ("--languages=de:en", False, "--from de --to en"),
        ("--term --a=b", False, "--term --a=b"),
    ],
)
def test_flags_of_older_versions(given: str, old_place: bool, renewed: str) -> None:
    flags = {"--from", "--to", "--output", "-o", "--source", "--term"}
    assert renew(given.split(), flags, old_place) == renewed.split()


def test_a_flag_that_a_command_still_has_is_left(run: Run) -> None:
    assert renew(["--languages", "de:en"], {"--languages"}, True) == ["--languages", "de:en"]
    assert "--languages" in run("train", "aligner", "-h").output


def test_a_file_typed_as_a_text_is_noticed(run: Run, model: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p>Anna.</p>")
    found = run("translate", page, "--model", model)
    assert found.status == 2
    assert f"lexalign translate file {page} {tmp_path / 'page.out.html'}" in found.errors
    found = run("translate", "nothing.docx", "--model", model, "--device", "cpu", "--max-length", 3)
    assert found.status == 0
    assert "looks like a file name" in found.errors
    assert run("translate", "x" * 5000, "--model", model, "--device", "cpu", "--max-length", 3).status == 0


def test_a_run_is_a_model(run: Run, model: Path) -> None:
    assert model.name == "model"
    words = ("translate", "Anna.", "--device", "cpu", "--max-length", 3, "--model")
    assert run(*words, model.parent).output == run(*words, model).output


def complete(shell: str, line: str) -> list[str]:
    words = line.split(" ")
    environment = os.environ | {
        "_LEXALIGN_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_WORD_TO_COMPLETE": words[-1],
    }
    shown = subprocess.run(
        [sys.executable, "-c", "from lexalign.cli.main import run; run()"],
        capture_output=True,
        text=True,
        env=environment,
    )
    return shown.stdout.split()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    found = " ".join(complete(shell, "lexalign tra"))
    assert "translate" in found
    assert "train" in found
    assert "translate-file" not in found
    assert "..." not in found
    assert "corpus" in " ".join(complete(shell, "lexalign translate c"))
    assert "--glossary" in " ".join(complete(shell, "lexalign translate file --glo"))


def test_doctor_tells_what_is_here(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexalign.cli.commands.doctor._MIN_SECONDS", 0.01)
    found = run("doctor")
    assert found.status == 0
    assert f"lexalign {__version__}" in found.output
    assert "de-en: de to en" in found.output
    assert "words/s" in found.output
    assert "words/s" not in run("doctor", "--no-speed").output
