"""Threads for what grows with a request: reading and writing bodies, splitting, tokenising, matching terms.

The event loop serves all clients, so only tiny calls run there. Short and long calls have threads of their
own: clients with long texts wait for each other, and no other client waits for them. The queues are bounded,
and a call whose client has left ends at its next `checkpoint`.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from lexalign.server.batching.errors import AbandonedError, BusyError

P = ParamSpec("P")
T = TypeVar("T")

# In characters of text. A tiny call takes about a millisecond, whatever it does; changing threads and back
# would take as long on a busy machine.
_MAX_TINY, _MAX_SHORT = 500, 20_000
_CHARACTERS_PER_TERM = 50
_CHARACTERS_PER_TEXT = 20  # so that many texts count even if they are almost empty
_RETRY_AFTER = 2  # seconds
_running = threading.local()


def size_of(num_characters: int, *, num_texts: int = 1, num_terms: int = 0) -> int:
    """The cost of a call, in characters of text."""
    return num_characters + num_texts * _CHARACTERS_PER_TEXT + num_terms * _CHARACTERS_PER_TERM


def checkpoint() -> None:
    """Raise where the client of this call has left; long work calls it between its parts."""
    call: _Call | None = getattr(_running, "call", None)
    if call is not None and call.abandoned:
        raise AbandonedError


class BoundedThreadPool:
    """Some threads with a queue that is bounded in the number of calls and in their total size."""

    def __init__(self, name: str, *, threads: int, max_calls: int, max_characters: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"lexalign-{name}")
        self._max_calls, self._max_characters = max_calls, max_characters
        self._calls: dict[_Call, int] = {}  # with their sizes
        self._lock = threading.Lock()

    @property
    def num_calls(self) -> int:
        """Calls that wait or run, also those whose client has left."""
        return len(self._calls)

    async def run(self, size: int, work: Callable[[], T]) -> T:
        call = _Call(work)
        self._admit(call, size)
        future = self._threads.submit(call.perform)
        future.add_done_callback(lambda _: self._release(call))
        try:
            found: T = await asyncio.wrap_future(future)  # type: ignore[arg-type]
            return found
        finally:
            call.abandon()

    def close(self) -> None:
        with self._lock:
            for call in self._calls:
                call.abandon()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _admit(self, call: "_Call", size: int) -> None:
        with self._lock:
            waiting = sum(self._calls.values())
            if len(self._calls) >= self._max_calls or (waiting and waiting + size > self._max_characters):
                raise BusyError(_RETRY_AFTER)
            self._calls[call] = size

    def _release(self, call: "_Call") -> None:
        with self._lock:
            self._calls.pop(call, None)


class ThreadPools:
    """`run` chooses the pool by the size of the call; `write` has a pool for changes of the database."""

    def __init__(self, *, timeout: float = 60.0) -> None:
        self._timeout = timeout  # seconds, including those in the queue
        # One long text at a time: several would only compete for the interpreter.
        self._long = BoundedThreadPool("long", threads=1, max_calls=64, max_characters=32_000_000)
        self._short = BoundedThreadPool("short", threads=2, max_calls=512, max_characters=8_000_000)
        self._writes = BoundedThreadPool("writes", threads=8, max_calls=1024, max_characters=64_000_000)
        self._pools = (self._long, self._short, self._writes)

    async def run(self, size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if size <= _MAX_TINY:
            return work(*args, **kwargs)
        pool = self._short if size <= _MAX_SHORT else self._long
        return await self._run(pool, size, work, *args, **kwargs)

    async def read(self, size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """As `run`, but never on the event loop, because a file is read."""
        return await self.run(max(size, _MAX_TINY + 1), work, *args, **kwargs)

    async def write(self, size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Another process may hold the database, and calls that only read must not wait for it."""
        return await self._run(self._writes, size, work, *args, **kwargs)

    @property
    def num_calls(self) -> int:
        return sum(pool.num_calls for pool in self._pools)

    def close(self) -> None:
        for pool in self._pools:
            pool.close()

    async def _run(
        self, pool: BoundedThreadPool, size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        async with asyncio.timeout(self._timeout):
            return await pool.run(size, lambda: work(*args, **kwargs))


class _Call:
    """A call that can be cancelled; its objects are then released, even if it still waits for a thread."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work: Callable[[], object] | None = work
        self.abandoned = False

    def abandon(self) -> None:
        self.abandoned, self._work = True, None

    def perform(self) -> object:
        work = self._work
        if work is None:
            raise AbandonedError
        _running.call = self
        try:
            return work()
        finally:
            _running.call = self._work = None
