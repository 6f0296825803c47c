"""The helper: it waits, and forks for every command. What a fork has to load, the helper keeps for the next.

It stops when it was idle for long, when its code changes on disk, and when it is asked to.
"""

import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
import threading
import time
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from lexalign.cli.daemon.messages import RUNS, is_private, receive, send, settings
from lexalign.cli.loaded_models import keep_loaded, kept_folders, tell_on_load
from lexalign.contracts.errors import LexalignError

_MAX_FORKS = 16
_PATIENCE_S = 5.0


class Helper:
    """Listens at a socket; forks report through a pipe."""

    def __init__(self, path: Path, idle_s: float) -> None:
        self._path, self._idle_s = path, idle_s
        self._settings = settings(dict(os.environ))
        _prepare()
        self._forks: set[int] = set()
        self._reports, self._report = os.pipe()
        self._files = _own_files()
        self._written = _written(self._files)
        self._socket = _listen(path)

    def run(self) -> None:
        last = time.monotonic()
        try:
            while time.monotonic() - last < self._idle_s or self._forks:
                waiting: list[Any] = [self._socket, self._reports]
                ready, _, _ = select.select(waiting, [], [], 1.0)
                self._reap()
                if self._reports in ready and not self._take_reports():
                    return
                if self._socket in ready:
                    last = time.monotonic()
                    self._accept()
        finally:
            self._path.unlink(missing_ok=True)

    def _accept(self) -> None:
        connection, _ = self._socket.accept()
        with connection:
            if _peer(connection) != os.getuid() or len(self._forks) >= _MAX_FORKS:
                return
            fork = os.fork()
            if fork:
                self._forks.add(fork)
            else:
                self._serve(connection)

    def _serve(self, connection: socket.socket) -> NoReturn:
        """In the fork: run one command, or answer one question."""
        status = 1
        try:
            self._socket.close()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            connection.settimeout(_PATIENCE_S)
            request, streams = receive(connection)
            if "question" in request:
                self._answer(connection, request["question"])
            elif self._fits(request) and len(streams) == 3:
                status = self._run(connection, request, streams)
                connection.sendall(bytes([status]))
        except (OSError, ValueError, KeyError):
            pass  # a command that is gone, or speaks otherwise
        finally:
            os._exit(status)

    def _answer(self, connection: socket.socket, question: str) -> None:
        if question == "stop":
            self._tell("stop")
        send(connection, {"process": os.getppid(), "models": kept_folders()})

    def _fits(self, request: dict[str, Any]) -> bool:
        if self._written != _written(self._files):
            self._tell("stop")
            return False
        return bool(request["settings"] == self._settings)

    def _run(self, connection: socket.socket, request: dict[str, Any], streams: list[int]) -> int:
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        _take_streams(streams)
        tell_on_load(lambda key: self._tell("load", key))
        connection.sendall(RUNS)
        connection.settimeout(None)
        threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
        return _command(request["arguments"])

    def _tell(self, what: str, key: str = "") -> None:
        # One line of less than a pipe's atomic size; a longer name of a folder is loaded anew each time.
        line = json.dumps([what, key]).encode() + b"\n"
        if len(line) <= select.PIPE_BUF:
            os.write(self._report, line)

    def _take_reports(self) -> bool:
        """Whether the helper is to go on."""
        for line in os.read(self._reports, 2**20).splitlines():
            what, key = json.loads(line)
            if what == "stop":
                return False
            # A model that cannot be loaded fails in the fork, with a message for its user.
            with contextlib.suppress(Exception):
                keep_loaded(key)
                gc.freeze()
        return True

    def _reap(self) -> None:
        for fork in list(self._forks):
            if os.waitpid(fork, os.WNOHANG)[0]:
                self._forks.discard(fork)


def _prepare() -> None:
    """Import what commands need, on one thread: a process that has had threads cannot be forked."""
    import torch

    import lexalign.cli.main
    import lexalign.cli.output.line_writer
    import lexalign.cli.output.progress
    import lexalign.display.page
    import lexalign.translator  # noqa: F401
    from lexalign.text import detection
    from lexalign.translator.execution import keep_few_kernels, keep_freed_memory

    # What typer makes of our functions, and imports to do so, takes longer than a sentence.
    command = _program()
    with command.make_context("lexalign", ["translate", "text"]) as context:
        command.commands["translate"].make_context("translate", ["text"], context).close()
    torch.set_num_threads(1)
    keep_few_kernels()
    keep_freed_memory()
    detection.prepare()
    gc.collect()
    gc.freeze()


def _listen(path: Path) -> socket.socket:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_private(path.parent):
        raise LexalignError(f"{path.parent} is open to others; make it yours: chmod 700 {path.parent}")
    path.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX)
    mask = os.umask(0o177)
    try:
        listening.bind(str(path))
    finally:
        os.umask(mask)
    listening.listen(_MAX_FORKS)
    return listening


def _peer(connection: socket.socket) -> int:
    """The user at the other end, where the system says it; else the socket's permissions must do."""
    if not hasattr(socket, "SO_PEERCRED"):
        return os.getuid()
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int.from_bytes(credentials[4:8], sys.byteorder)


def _take_streams(streams: list[int]) -> None:
    """Make the command's standard streams those of this process."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", buffering=1 if os.isatty(1) else -1, closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)


def _end_with(connection: socket.socket) -> None:
    """Interrupt this process as soon as the command at the other end is gone."""
    with contextlib.suppress(OSError):
        connection.recv(1)
    os.kill(os.getpid(), signal.SIGINT)


@cache
def _program() -> Any:
    from typer.main import get_command

    from lexalign.cli.main import app

    return get_command(app)


def _command(arguments: list[str]) -> int:
    try:
        _program().main(arguments, prog_name="lexalign")
    except SystemExit as end:
        status = end.code
    else:
        status = 0
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    return status if isinstance(status, int) and 0 <= status < 256 else 1


def _own_files() -> list[str]:
    """The files of our own modules."""
    names = [name for name in sys.modules if name.partition(".")[0] == "lexalign"]
    return [file for name in names if (file := getattr(sys.modules[name], "__file__", None))]


def _written(files: list[str]) -> list[float]:
    """When they were written, 0 for those that are gone."""
    return [Path(file).stat().st_mtime if Path(file).exists() else 0.0 for file in files]
