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

WITH_SESSIONS = [
    "quick-start.md",
    "guides/files.md",
    "guides/glossaries.md",
    "guides/untranslatables.md",
    "coming-from/deepl.md",
    "coming-from/fairseq.md",
    "faq.md",
]
WITH_PROGRAMS = [
    "quick-start.md",
    "guides/python.md",
    "guides/alignment.md",
    "guides/bundled.md",
    "guides/files.md",
    "guides/glossaries.md",
    "guides/languages.md",
    "guides/terms.md",
    "guides/untranslatables.md",
    "coming-from/deepl.md",
    "coming-from/transformers.md",
    "coming-from/word-aligners.md",
    "reference/documents.md",
    "research/names.md",
]

# Pages whose examples do not run here, and why.
NEED_MORE = {
    "guides/alignment-heads.md": "two trained models",
    "guides/any-model.md": "models of other toolkits",
    "guides/scale.md": "a corpus",
    "guides/terminology.md": "a translation memory",
    "reference/command-line.md": "what `make training` leaves; tests/test_readme.py runs its commands",
    "reference/http-api.md": "a server",
    "research/newcomer.md": "an empty machine; scripts/newcomer.py runs its commands",
}


def test_no_page_with_examples_is_forgotten() -> None:
    pages = [str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")]
    with_examples = {name for name in pages if sessions(DOCS / name) or programs(DOCS / name)}
    assert with_examples == {*WITH_SESSIONS, *WITH_PROGRAMS, *NEED_MORE}
    assert not set(NEED_MORE) & {*WITH_SESSIONS, *WITH_PROGRAMS}


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
    return status, printed.err if status else printed.out or _summary(printed.err)


def _summary(said: str) -> str:
    """The line that `translate file` ends with."""
    return "".join(line for line in said.splitlines(keepends=True) if " segment" in line)


def place(content: str, command: str) -> None:
    """A file that a page shows, but does not make, is taken from the page."""
    path = Path(command.removeprefix("cat "))
    if command.startswith("cat ") and not path.exists():
        path.write_text(content, encoding="utf-8")


def link_models(folder: Path) -> None:
    """The bundled models, as if they had been trained in this folder."""
    for direction in ("de-en", "en-de"):
        (folder / direction).mkdir()
        (folder / direction / "model").symlink_to(find_model(*direction.split("-")))


@pytest.mark.parametrize("name", WITH_SESSIONS)
def test_sessions_print_what_the_page_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    link_models(tmp_path)
    found = sessions(DOCS / name)
    assert found
    for command, expected in found:
        place(expected, command)
        status, shown = run(command, capfd)
        if expected or not command.startswith("lexalign translate file"):
            assert comparable(shown) == comparable(expected), command
        assert status in (0, 2), command


@pytest.mark.parametrize("name", WITH_PROGRAMS)
def test_programs_print_what_the_page_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    link_models(tmp_path)
    for command, content in sessions(DOCS / name):
        place(content, command)
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
