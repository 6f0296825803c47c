"""Preparing the next batches in a thread, while the current one is computed."""

import queue
import threading
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class _Item(Generic[T]):
    value: T


@dataclass(frozen=True)
class _End:
    error: BaseException | None


def prefetch(items: Iterable[T], depth: int = 4) -> Generator[T, None, None]:
    """The same items, prepared up to `depth` ahead.

    An error while preparing an item is raised in its place. `close()` on the result, as
    `contextlib.closing` does, stops the thread and waits for it; so does reaching the end.
    """
    if depth < 1:
        raise ValueError(f"depth is {depth}; it must be 1 or more")
    return _prefetch(items, depth)


def _prefetch(items: Iterable[T], depth: int) -> Generator[T, None, None]:
    ready: queue.Queue[_Item[T] | _End] = queue.Queue(maxsize=depth)
    stop = threading.Event()
    thread = threading.Thread(target=_fill, args=(items, ready, stop), name="prefetch", daemon=True)
    thread.start()
    try:
        while isinstance(entry := ready.get(), _Item):
            yield entry.value
        if entry.error is not None:
            raise entry.error
    finally:
        stop.set()
        _empty(ready)
        thread.join()


def _fill(items: Iterable[T], ready: "queue.Queue[_Item[T] | _End]", stop: threading.Event) -> None:
    error: BaseException | None = None
    try:
        for item in items:
            ready.put(_Item(item))
            if stop.is_set():
                return
    except BaseException as caught:  # any error is raised in the consumer
        error = caught
    ready.put(_End(error))


def _empty(ready: "queue.Queue[_Item[T] | _End]") -> None:
    """Empty the queue, since the thread may be waiting to put an entry before it sees `stop`."""
    while True:
        try:
            ready.get_nowait()
        except queue.Empty:
            return
