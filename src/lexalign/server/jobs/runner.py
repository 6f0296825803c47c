"""One thread that gives jobs to processes of their own, one at a time.

A process can be ended, needs no lock of the interpreter, and returns all its memory. A job that is running
when the server stops is begun again by the next one, and one whose server has died by any other.
"""

import logging
import os
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

from lexalign.server.batching.errors import BusyError
from lexalign.server.storage.errors import StorageError
from lexalign.server.storage.jobs import HOLD_SECONDS, Job, JobKind, JobStore

_log = logging.getLogger("lexalign.server")
_MAX_WAITING = 100
_MAX_WAITING_OF_ONE = 50  # key
_RETRY_AFTER = 30  # seconds
_MAX_SECONDS = 3_600
_SECONDS_PER_HOLD = HOLD_SECONDS / 3
_SECONDS_PER_TRY = 1.0  # to store what is done
_CORRECTABLE = 2  # the exit code of an error that the request is to blame for
_TOO_LONG = "the job took too long; give it less"
_FAILED = "the job has failed in the server"


class JobRunner:
    def __init__(self, store: JobStore) -> None:
        self.store = store
        self._changed = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._running: tuple[str, subprocess.Popen[str]] | None = None

    def start(self) -> None:
        """Go on with jobs that are waiting, and look for those that other servers leave behind."""
        self._wake()

    def submit(self, kind: JobKind, request: dict[str, Any], owner: str = "") -> Job:
        waiting = self.store.num_waiting
        if waiting() >= _MAX_WAITING or (owner and waiting(owner=owner) >= _MAX_WAITING_OF_ONE):
            raise BusyError(_RETRY_AFTER)
        job = self.store.add(kind, request, owner=owner)
        self._wake()
        return job

    def delete(self, identifier: str) -> None:
        """Delete a job and its result; one that is running is ended."""
        self.store.delete(identifier)
        with self._lock:
            if self._running is not None and self._running[0] == identifier:
                self._running[1].kill()

    def stop(self) -> None:
        self._stopping = True
        self._changed.set()
        with self._lock:
            if self._running is not None:
                self._running[1].kill()
        if self._thread is not None:
            self._thread.join(timeout=10)
        try:
            self.store.requeue()
        except StorageError as error:  # they are begun again when they are held no more
            _log.warning("jobs under way are left as they are: %s", error)

    def _wake(self) -> None:
        with self._lock:
            if self._thread is None and not self._stopping:
                self._thread = threading.Thread(target=self._run, name="lexalign-jobs", daemon=True)
                self._thread.start()
        self._changed.set()

    def _run(self) -> None:
        while not self._stopping:
            claimed = self._claim()
            if claimed is None:
                self._changed.wait(_SECONDS_PER_HOLD)  # there may be jobs of a server that has died
                self._changed.clear()
            else:
                self._perform(*claimed)

    def _perform(self, identifier: str, kind: JobKind, request: str) -> None:
        # From a file: a pipe would have to be written to while the process starts, which may take long.
        with tempfile.TemporaryFile("w+", encoding="utf-8") as given:
            given.write(request)
            given.seek(0)
            process = subprocess.Popen(
                [sys.executable, "-m", "lexalign.server.jobs.work", kind, str(os.getpid())],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
        with self._lock:
            self._running = identifier, process
            if self._stopping:
                process.kill()
        try:
            result, errors = self._communicate(identifier, process)
        finally:
            with self._lock:
                self._running = None
        if self._stopping:
            return
        if process.returncode == 0:
            self._finish(identifier, result=result)
        else:
            self._finish(identifier, message=_reason(process.returncode, errors))

    def _finish(self, identifier: str, *, result: str | None = None, message: str = "") -> None:
        """Once the database can be used: what is done is not done again."""
        while not self._stopping:
            try:
                self.store.finish(identifier, result=result, message=message)
                return
            except StorageError as error:
                _log.warning("the job %s waits to be stored: %s", identifier, error)
                time.sleep(_SECONDS_PER_TRY)

    def _claim(self) -> tuple[str, JobKind, str] | None:
        try:
            return self.store.claim() if self.store.num_waiting() else None
        except StorageError:
            return None

    def _communicate(self, identifier: str, process: "subprocess.Popen[str]") -> tuple[str, str]:
        """What the process writes; it is ended where the job is cancelled, or takes too long."""
        deadline = time.monotonic() + _MAX_SECONDS
        while True:
            try:
                return process.communicate(timeout=_SECONDS_PER_HOLD)
            except subprocess.TimeoutExpired:
                if time.monotonic() > deadline:
                    process.kill()
                    process.communicate()
                    return "", _TOO_LONG
                if not self._hold(identifier):
                    process.kill()

    def _hold(self, identifier: str) -> bool:
        try:
            return self.store.hold(identifier)
        except StorageError:
            return True  # another server may begin it again, and only one of them can finish it


def _reason(code: int, errors: str) -> str:
    """The line of an error that a person can correct; of others no more than that there was one."""
    lines = errors.strip().splitlines()
    return lines[-1] if lines and (code == _CORRECTABLE or errors == _TOO_LONG) else _FAILED
