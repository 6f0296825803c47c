"""Parts of a stage in processes of their own."""

import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from experiments.paper.pipeline.pairs import DIRECTIONS, PAIRS, tiny
from experiments.paper.pipeline.parallel import parts_of, run_parallel
from experiments.paper.run import main
from experiments.paper.stages import STAGES
from lexalign.contracts.errors import LexalignError

MEET = """
import sys, time
from pathlib import Path
own, other = map(Path, sys.argv[1:])
own.touch()
deadline = time.monotonic() + 30
while not other.exists() and time.monotonic() < deadline:
    time.sleep(0.01)
sys.exit(not other.exists())
"""
WAIT = """
import sys, time
from pathlib import Path
begun = Path(sys.argv[1])
begun.touch()
time.sleep(60)
begun.unlink()
"""


def test_stages_have_parts_where_they_can_be_shared() -> None:
    pair = PAIRS["ro-en"]
    found = {name: parts_of(name, pair) for name in STAGES if parts_of(name, pair)}
    beams = [["--beam", "5"], ["--beam", "10"], ["--beam", "20"]]
    assert found == {"train": [["--only", "forward"], ["--only", "backward"]], "decode": beams}
    assert parts_of("terms", PAIRS["de-en"]) == beams
    assert parts_of("terms", tiny(pair)) == beams[:2]


def test_all_run_at_the_same_time(tmp_path: Path) -> None:
    """Each ends well only if it sees the other."""
    names = [str(tmp_path / name) for name in ("a", "b")]
    run_parallel([[sys.executable, "-c", MEET, *order] for order in (names, names[::-1])])


def test_one_that_fails_is_told_of_when_all_have_ended(tmp_path: Path) -> None:
    late = tmp_path / "late"
    slow = f"import time, pathlib; time.sleep(0.5); pathlib.Path({str(late)!r}).touch()"
    with pytest.raises(LexalignError, match="a part of the stage has failed"):
        run_parallel([[sys.executable, "-c", "raise SystemExit(2)"], [sys.executable, "-c", slow]])
    assert late.exists()


def test_a_stop_stops_all(tmp_path: Path) -> None:
    # A job in the background of a shell ignores the signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    begun = [tmp_path / name for name in ("a", "b")]

    def interrupt() -> None:
        while not all(path.exists() for path in begun):
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        run_parallel([[sys.executable, "-c", WAIT, str(path)] for path in begun])
    assert all(path.exists() for path in begun)  # none came to its end


def test_one_part_and_all_in_parallel_do_not_go_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["de-en", "--tiny", "--parallel", "--only", "forward"]) == 2
    assert "leave out --only and --beam" in capsys.readouterr().err


def test_parts_are_run_by_this_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[str]] = []

    def refuse(commands: Sequence[Sequence[str]]) -> None:
        asked.extend(commands)
        raise LexalignError("no processes in a test")

    monkeypatch.setattr("experiments.paper.run.run_parallel", refuse)
    places = ["--data", "corpora", "--work", str(tmp_path), "--results", "results", "--device", "cpu"]
    stages = ["--stage", "prepare", "--stage", "train"]
    assert main(["de-en", *places, *stages, "--tiny", "--parallel"]) == 2
    own = [sys.executable, "-m", main.__module__, "de-en", *places, "--tiny", "--stage", "train"]
    assert asked == [[*own, "--only", direction] for direction in DIRECTIONS]
