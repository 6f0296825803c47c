"""Processes that write to one SQLite file: nobody is kept out by one that writes without a pause."""

import threading
import time
from pathlib import Path

import pytest

from lexalign.server.storage.errors import StorageBusyError, StorageUnavailableError
from lexalign.server.storage.turns import begin_in_turn


def test_who_waits_is_let_in(tmp_path: Path) -> None:
    """The other leaves the file free for some microseconds at a time, which nobody sees who only looks."""
    file, over, taken = threading.Lock(), threading.Event(), threading.Event()

    def write_without_a_pause() -> None:
        while not over.is_set():
            begin_in_turn(tmp_path / "db", lambda: file.acquire(blocking=False), 5.0)
            taken.set()
            time.sleep(0.02)
            file.release()

    other = threading.Thread(target=write_without_a_pause)
    other.start()
    try:
        assert taken.wait(5.0)
        started = time.monotonic()
        for _ in range(3):
            begin_in_turn(tmp_path / "db", lambda: file.acquire(blocking=False), 5.0)
            file.release()
        assert time.monotonic() - started < 3.0
    finally:
        over.set()
        other.join()


def test_a_file_that_is_never_free(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(StorageBusyError):
        begin_in_turn(tmp_path / "db", lambda: False, 0.4)
    assert 0.4 <= time.monotonic() - started < 2.0
    begin_in_turn(tmp_path / "db", lambda: True, 0.0)  # nothing was left locked
    with pytest.raises(StorageUnavailableError):
        begin_in_turn(tmp_path / "none" / "db", lambda: True, 0.4)
