"""`lexalign translate-corpus` as it is typed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lexalign.cli.main import app
from lexalign.corpus.options import ModelSpec
from tests.corpus.small_jobs import files_of

SEARCH = ["--beam", "2", "--max-length", "12", "--shard-size", "10", "--device", "cpu"]


def call(*words: object) -> int:
    try:
        app([str(word) for word in words], prog_name="lexalign")
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_ctrl_c_says_how_to_go_on(
    model: ModelSpec, text: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["translate-corpus", text, tmp_path / "out", "--model", model.path, *SEARCH, "--workers", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "lexalign", *map(str, words)], stderr=subprocess.PIPE, text=True
    )
    journal, end = tmp_path / "out" / "journal.jsonl", time.monotonic() + 240
    while not (journal.exists() and journal.read_bytes().count(b"\n")):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "stopped; run the same command again to continue\n")
    assert call(*words, "--price", "3.6") == 0
    said = capfd.readouterr().err
    assert said.startswith("158 segments, ")
    assert "of them before\n" in said
    assert "2 rows could not be translated; poisoned.jsonl says why\n" in said
    assert "for a million segments, at 3.6 an hour\n" in said
    before = files_of(tmp_path / "out")
    assert call(*words) == 0
    assert capfd.readouterr().err.startswith("158 segments, 158 of them before\n")
    assert files_of(tmp_path / "out") == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--engine", "ray", "--workers", "2", "--min-workers", "3"], "from 3 to 2 workers"),
        (["--beam", "0"], "beam is 0"),
        (["--device", "abacus"], "unknown device"),
    ],
)
def test_bad_words_are_one_line(
    model: ModelSpec,
    text: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    pytest.importorskip("ray")
    assert call("translate-corpus", text, tmp_path / "out", "--model", model.path, *words) == 2
    said = capfd.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not (tmp_path / "out").exists()
