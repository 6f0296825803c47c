"""`lexalign plot-alignment`."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run

pytest.importorskip("matplotlib")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "source").write_text("Ja .\nEr kam gestern .\n")
    (tmp_path / "target").write_text("Yes .\nHe came yesterday .\n")
    (tmp_path / "links").write_text("0-0 1-1\n0-0:0.9 1-1:0.5 2-2:0.75 3-3:1\n")
    (tmp_path / "gold").write_text("0-0 1-1\n0-0 1p1 2-2 3-3\n")
    return tmp_path


def test_a_picture_of_the_sentence_asked_for(run: Run, files: Path) -> None:
    flags = (
        "--alignment",
        f"PostAln={files / 'links'}",
        "--alignment",
        files / "gold",
        "--gold",
        files / "gold",
    )
    picture = files / "picture.svg"
    outcome = run("plot-alignment", files / "source", files / "target", picture, *flags, "--sentence", 2)
    assert (outcome.status, outcome.output, outcome.errors) == (0, "", "")
    assert picture.read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "give --alignment NAME=FILE"),
        (["--alignment", "{}/links", "--sentence", "3"], "--sentence 3: "),
        (["--alignment", "{}/short"], "short: 1 lines of links, but there are 2 sentences"),
        (["--alignment", "{}/links", "--gold", "{}/wide"], "wide, line 1: source word 7"),
        (["--alignment", "{}/missing"], "missing: No such file"),
    ],
)
def test_bad_input_is_one_line(run: Run, files: Path, flags: list[str], message: str) -> None:
    (files / "short").write_text("0-0\n")
    (files / "wide").write_text("7-0\n0-0\n")
    given = [flag.format(files) for flag in flags]
    outcome = run("plot-alignment", files / "source", files / "target", files / "never.png", *given)
    assert (outcome.status, outcome.output, outcome.errors.count("\n")) == (2, "", 1)
    assert message in outcome.errors
    assert not (files / "never.png").exists()
