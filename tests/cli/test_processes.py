"""What only a process of its own can show: help without torch, pipes that stay open, signals."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

LEXALIGN = [sys.executable, "-m", "lexalign"]


def test_help_does_not_wait_for_torch() -> None:
    code = "import sys; sys.argv = ['lexalign', 'translate', '--help']; from lexalign.cli.main import run\n"
    code += "try: run()\nexcept SystemExit: assert not {'torch', 'numpy', 'sentencepiece'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "\n  lexalign translate --model run --input news.de --output news.en\n" in done.stdout
    assert "\x1b" not in done.stdout


def test_the_version_is_shown() -> None:
    done = subprocess.run([*LEXALIGN, "--version"], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("lexalign 0")


def test_a_pipe_is_answered_while_it_is_open_and_ctrl_c_ends_quietly(model: Path) -> None:
    command = [*LEXALIGN, "translate", "--model", str(model), "--device", "cpu", "--max-length", "5"]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for line in (b"eins\n", b"zwei\n\n"):
            process.stdin.write(line)
            process.stdin.flush()
            for _ in range(line.count(b"\n")):
                assert process.stdout.readline().endswith(b"\n")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stderr.read().splitlines()[-1] == b"lexalign: interrupted"


def test_ctrl_c_ends_the_workers_too(model: Path, corpus: Path, tmp_path: Path) -> None:
    many = tmp_path / "many.de"
    many.write_bytes((corpus / "train.de").read_bytes() * 200)
    command = [*LEXALIGN, "translate", "--model", str(model), "--device", "cpu", "--workers", "2"]
    with (
        many.open("rb") as lines,
        subprocess.Popen(
            [*command, "--max-length", "5"], stdin=lines, stdout=-1, stderr=-1, start_new_session=True
        ) as process,
    ):
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        process.stdout.close()
        assert process.wait(timeout=30) == 130
        errors = process.stderr.read()
    assert b"Traceback" not in errors
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_standard_output_is_one_line(model: Path) -> None:
    command = [*LEXALIGN, "translate", "--model", str(model), "--device", "cpu", "eins"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "lexalign: error: No space left on device"


def test_a_reader_that_goes_away_is_no_error(model: Path) -> None:
    command = [*LEXALIGN, "translate", "--model", str(model), "--device", "cpu", "eins"]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(write)
    assert done.returncode == 141
    assert "rror" not in done.stderr
