"""A helper answers as the command itself would, for its own user, and gets out of the way otherwise."""

import os
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no helper on Windows")


class Shell:
    """Commands in processes of their own, with one runtime folder."""

    def __init__(self, runtime: Path) -> None:
        self.environment = os.environ | {"XDG_RUNTIME_DIR": str(runtime), "OMP_NUM_THREADS": "1"}
        self.runtime = runtime

    def run(self, *arguments: object, stdin: str = "", **changes: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-X", "importtime", "-m", "lexalign", *map(str, arguments)]
        environment = self.environment | changes
        return subprocess.run(command, input=stdin, capture_output=True, text=True, env=environment)


def ran_here(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether the process itself has loaded what a translation needs."""
    return "lexalign.translator" in done.stderr


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    shell = Shell(tmp_path_factory.mktemp("runtime"))
    started = shell.run("daemon", "--idle-minutes", 5)
    assert started.returncode == 0, started.stderr
    yield shell
    shell.run("daemon", "stop")


def test_a_command_has_the_same_output_and_exit_code(shell: Shell, model: Path) -> None:
    translate = ("translate", "--model", model, "--device", "cpu", "--beam", 2)
    helped = shell.run(*translate, stdin="Anna kaufte rote Äpfel.\n\nBen.\n")
    alone = shell.run(*translate, stdin="Anna kaufte rote Äpfel.\n\nBen.\n", LEXALIGN_NATIVE="")
    assert not ran_here(helped)
    assert ran_here(alone)  # the helper was started with other settings
    assert helped.stdout == alone.stdout
    assert helped.returncode == alone.returncode == 0


def test_an_error_is_that_of_the_command(shell: Shell) -> None:
    failed = shell.run("translate", "--model", "nowhere", "text")
    assert not ran_here(failed)
    assert failed.returncode == 2
    assert "lexalign: error: " in failed.stderr


def test_paths_are_those_of_the_command(shell: Shell, model: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("Anna.\n", encoding="utf-8")
    command = [sys.executable, "-m", "lexalign", "translate", "--model", str(model), "--device", "cpu"]
    files = ["--input", "in.txt", "--output", "out.txt"]
    subprocess.run([*command, *files], cwd=tmp_path, env=shell.environment, check=True)
    assert len((tmp_path / "out.txt").read_text(encoding="utf-8").splitlines()) == 1


def test_what_was_loaded_stays_in_memory_until_it_changes(shell: Shell, model: Path) -> None:
    translate = ("translate", "--model", model, "--device", "cpu", "--beam", 2, "Anna.")
    shell.run(*translate)
    end = time.monotonic() + 30
    while str(model.resolve()) not in shell.run("daemon", "status").stdout and time.monotonic() < end:
        time.sleep(0.1)
    before = shell.run(*translate).stdout
    os.utime(model / "config.json")
    assert shell.run(*translate).stdout == before


def test_only_its_user_may_enter(shell: Shell) -> None:
    (folder,) = shell.runtime.iterdir()
    (path,) = folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_folder_that_others_may_enter_is_not_trusted(shell: Shell, model: Path) -> None:
    (folder,) = shell.runtime.iterdir()
    folder.chmod(0o755)
    try:
        assert ran_here(shell.run("translate", "--model", model, "--device", "cpu", "Anna."))
    finally:
        folder.chmod(0o700)


def test_nonsense_does_not_disturb_it(shell: Shell) -> None:
    (folder,) = shell.runtime.iterdir()
    for nonsense in (b"", b"\xff\xff\xff\xff", b"\0\0\0\x02[]", b"\0\0\0\x02{}", b"\0\0\0\x05nope!"):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(next(folder.iterdir())))
            connection.sendall(nonsense)
    assert shell.run("daemon", "status").returncode == 0


def test_it_stops_by_itself_and_leaves_nothing(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.run("daemon", "--idle-minutes", 0.01)
    (folder,) = tmp_path.iterdir()
    end = time.monotonic() + 30
    while list(folder.iterdir()) and time.monotonic() < end:
        time.sleep(0.1)
    assert not list(folder.iterdir())
    assert shell.run("daemon", "status").returncode == 1


def test_a_folder_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    folder = tmp_path / f"lexalign-{os.getuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    refused = shell.run("daemon", "--foreground")
    assert refused.returncode == 2
    assert "is open to others; make it yours: chmod 700" in refused.stderr
    assert not list(folder.iterdir())
