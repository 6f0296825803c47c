"""Processes that write to one SQLite file let each other in.

SQLite has no queue: a process that writes again and again gets the file each time, since one that waits only
looks for it now and then, and on a busy machine always too late. Here, who has waited for a while holds a
place in front of all others, who wait until it is free before they begin:

    A writes, and writes, ...       B waits for the file, and after a while holds the place
    A is done, and waits for it     B has the file, and leaves the place

So a process may write many times in a row, which is faster than by turns, but not for long. A lock of the
system ends with its process, however that ends.
"""

import fcntl
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lexalign.server.storage.errors import StorageBusyError, StorageUnavailableError

# SQLite itself looks again after up to 100 ms, and would hardly ever find a busy file free.
_SECONDS_PER_LOOK = 0.01
_PATIENCE = 0.25  # seconds
_END = "-place"  # of the name of a file that stays empty


def begin_in_turn(path: Path, begin: Callable[[], bool], seconds: float) -> None:
    """Call `begin`, which says whether the file was free, until it was; an error after so many seconds."""
    started = time.monotonic()
    with _opened(path.with_name(path.name + _END)) as place:

        def begin_in_front() -> bool:
            if time.monotonic() - started > _PATIENCE:
                _lock(place, fcntl.LOCK_EX)
            return begin()

        _wait_until(lambda: _lock(place, fcntl.LOCK_SH), started + seconds)
        fcntl.flock(place, fcntl.LOCK_UN)
        _wait_until(begin_in_front, started + seconds)


def _wait_until(succeeds: Callable[[], bool], deadline: float) -> None:
    while not succeeds():
        if time.monotonic() > deadline:
            raise StorageBusyError
        time.sleep(random.uniform(0.1, 1.0) * _SECONDS_PER_LOOK)


def _lock(file: int, kind: int) -> bool:
    """Whether this process has the lock now; having it already is no mistake."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    try:
        file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise StorageUnavailableError from error
    try:
        yield file
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)  # a process that was forked meanwhile would keep it
        os.close(file)
