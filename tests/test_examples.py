"""What the guides show is what happens: their sessions and programs run, in an empty folder, on the bundled
models, and print what the page says."""

import contextlib
import doctest
import io
import shlex
import subprocess
from pathlib import Path

import pytest

from lexalign.bundled import find_model
from lexalign.cli.main import app
from tests.documentation import DOCS, comparable, programs, sessions

WITH_SESSIONS = ["quick-start.md", "coming-from/deepl.md", "coming-from/fairseq.md", "faq.md"]
WITH_PROGRAMS = [
    "quick-start.md",
    "guides/python.md",
    "guides/alignment.md",
    "guides/bundled.md",
    "guides/glossaries.md",
    "guides/languages.md",
    "guides/terms.md",
    "guides/untranslatables.md",
    "coming-from/deepl.md",
    "coming-from/transformers.md",
    "coming-from/word-aligners.md",
]


def run(command: str, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """A command of ours runs in this process, which has torch already; others in a shell."""
    capfd.readouterr()
    if not command.startswith("lexalign "):
        done = subprocess.run(command, shell=True, capture_output=True, text=True)
        return done.returncode, done.stdout
    status = 0
    try:
        app(shlex.split(command)[1:], prog_name="lexalign")
    except SystemExit as end:
        status = int(end.code or 0)
    printed = capfd.readouterr()
    return status, printed.err if status else printed.out


@pytest.mark.parametrize("name", WITH_SESSIONS)
def test_sessions_print_what_the_page_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = sessions(DOCS / name)
    assert found
    for command, expected in found:
        status, shown = run(command, capfd)
        assert comparable(shown) == comparable(expected), command
        assert status in (0, 2), command


@pytest.mark.parametrize("name", WITH_PROGRAMS)
def test_programs_print_what_the_page_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for direction in ("de-en", "en-de"):
        (tmp_path / direction).mkdir()
        (tmp_path / direction / "model").symlink_to(find_model(*direction.split("-")))
    for command, content in sessions(DOCS / name):
        if command.startswith("cat "):
            (tmp_path / command.removeprefix("cat ")).write_text(content, encoding="utf-8")
    names: dict[str, object] = {"__name__": "example"}
    found = programs(DOCS / name)
    assert found
    for code, expected in found:
        if code.startswith(">>>"):
            example = doctest.DocTestParser().get_doctest(code, {}, name, name, 0)
            assert not doctest.DocTestRunner().run(example).failed
            continue
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, name, "exec"), names)
        if expected is not None:
            assert comparable(printed.getvalue()) == comparable(expected), code
