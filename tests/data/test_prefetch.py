"""The background thread: same items, same errors, and no thread left behind."""

import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from lexalign.data.prefetch import prefetch


def num_threads() -> int:
    return sum(thread.name == "prefetch" for thread in threading.enumerate())


@pytest.mark.parametrize("depth", [1, 3, 100])
def test_the_same_items_in_the_same_order(depth: int) -> None:
    assert list(prefetch(range(50), depth)) == list(range(50))
    assert list(prefetch([], depth)) == []
    assert num_threads() == 0


def test_an_error_comes_where_the_item_would_have_come() -> None:
    def items() -> Iterator[int]:
        yield 1
        yield 2
        raise KeyError("third")

    ahead = prefetch(items(), depth=5)
    assert [next(ahead), next(ahead)] == [1, 2]
    with pytest.raises(KeyError, match="third"):
        next(ahead)
    assert num_threads() == 0


@pytest.mark.parametrize("num_taken", [0, 1, 5])
def test_closing_early_stops_the_thread(num_taken: int) -> None:
    with closing(prefetch(itertools.count(), depth=2)) as items:
        assert list(itertools.islice(items, num_taken)) == list(range(num_taken))
    assert num_threads() == 0


def test_it_runs_ahead_but_not_further_than_asked() -> None:
    made = []

    def items() -> Iterator[int]:
        for index in range(100):
            made.append(index)
            yield index

    with closing(prefetch(items(), depth=3)) as ahead:
        next(ahead)
        deadline = time.monotonic() + 5
        while len(made) < 5 and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(0.02)
        # one taken, three ready, one waiting for room
        assert len(made) == 5


def test_no_room_ahead_is_refused() -> None:
    with pytest.raises(ValueError, match="depth is 0; it must be 1 or more"):
        prefetch([], depth=0)
