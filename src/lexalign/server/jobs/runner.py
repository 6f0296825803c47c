"""One thread that gives jobs to processes of their own, one at a time.

A process can be ended, needs no lock of the interpreter, and returns all its memory. A job that is running
when the server stops is begun again by the next one, and one whose server has died by any other.
"""

import subprocess
import sys
import threading
import time
from typing import Any

from lexalign.server.batching.errors import BusyError
from lexalign.server.storage.errors import StorageError
from lexalign.server.storage.jobs import HOLD_SECONDS, Job, JobKind, JobStore

_MAX_WAITING = 100
_RETRY_AFTER = 30  # seconds
_MAX_SECONDS = 3_600
_SECONDS_PER_HOLD = HOLD_SECONDS / 3


class JobRunner:
    def __init__(self, store: JobStore) -> None:
        self.store = store
        self._changed = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._running: tuple[str, subprocess.Popen[str]] | None = None

    def start(self) -> None:
        """Go on with jobs that are waiting; without any, nothing is started."""
        if self.store.num_waiting():
            self._wake()

    def submit(self, kind: JobKind, request: dict[str, Any], owner: str = "") -> Job:
        if self.store.num_waiting() >= _MAX_WAITING:
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
        self.store.requeue()

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
        process = subprocess.Popen(
            [sys.executable, "-m", "lexalign.server.jobs.work", kind],
            stdin=subprocess.PIPE,
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
            result, errors = self._communicate(identifier, process, request)
        finally:
            with self._lock:
                self._running = None
        if self._stopping:
            return
        if process.returncode == 0:
            self.store.finish(identifier, result=result)
        else:
            self.store.finish(identifier, message=_reason(process.returncode, errors))

    def _claim(self) -> tuple[str, JobKind, str] | None:
        try:
            return self.store.claim()
        except StorageError:
            return None

    def _communicate(
        self, identifier: str, process: "subprocess.Popen[str]", request: str
    ) -> tuple[str, str]:
        """What the process writes; it is ended where the job is cancelled, or takes too long."""
        deadline = time.monotonic() + _MAX_SECONDS
        given: str | None = request
        while True:
            try:
                return process.communicate(given, timeout=_SECONDS_PER_HOLD)
            except subprocess.TimeoutExpired:
                given = None  # it goes on with what it was given
                if time.monotonic() > deadline:
                    process.kill()
                    process.communicate()
                    return "", "the job took too long; give it less"
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
    if code in (0, 2) and lines:
        return lines[-1]
    return lines[-1] if code is None and lines else "the job has failed in the server"
