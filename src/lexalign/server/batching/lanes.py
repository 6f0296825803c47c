"""Threads for what grows with a request: reading and writing bodies, splitting, tokenising, matching terms.

The event loop answers everybody, so only what is tiny is done there. Short work and long work have threads of
their own: whoever sends long texts waits for others who do, and nobody else waits for either. What waits is
bounded, and what nobody waits for any more ends at its next `checkpoint`.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from lexalign.server.batching.errors import BusyError
from lexalign.server.batching.worker import AbandonedError

P = ParamSpec("P")
T = TypeVar("T")

# In characters of text. A tiny request is done in about a millisecond, whatever it holds; to change threads
# and back would take as long on a busy machine.
_TINY, _SHORT = 500, 20_000
_CHARACTERS_PER_TERM = 50
_CHARACTERS_PER_TEXT = 20  # of many that are almost empty
_RETRY_AFTER = 2  # seconds
_running = threading.local()


def size_of(num_characters: int, *, num_texts: int = 1, num_terms: int = 0) -> int:
    """How much work there is, in characters."""
    return num_characters + num_texts * _CHARACTERS_PER_TEXT + num_terms * _CHARACTERS_PER_TERM


def checkpoint() -> None:
    """Called between the parts of long work; it raises where nobody waits for the rest."""
    job: _Job | None = getattr(_running, "job", None)
    if job is not None and job.abandoned:
        raise AbandonedError


class Lane:
    """Some threads, and a queue before them that is bounded in jobs and in their total size."""

    def __init__(self, name: str, *, threads: int, most_jobs: int, most_characters: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"lexalign-{name}")
        self._most_jobs, self._most_characters = most_jobs, most_characters
        self._jobs: dict[_Job, int] = {}  # and their sizes
        self._lock = threading.Lock()

    @property
    def num_jobs(self) -> int:
        """Those that wait and those that are being done, even if nobody waits for them any more."""
        return len(self._jobs)

    async def run(self, size: int, work: Callable[[], T]) -> T:
        job = _Job(work)
        self._admit(job, size)
        future = self._threads.submit(job.perform)
        future.add_done_callback(lambda _: self._release(job))
        try:
            found: T = await asyncio.wrap_future(future)  # type: ignore[arg-type]
            return found
        finally:
            job.abandon()

    def close(self) -> None:
        with self._lock:
            for job in self._jobs:
                job.abandon()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _admit(self, job: "_Job", size: int) -> None:
        with self._lock:
            waiting = sum(self._jobs.values())
            if len(self._jobs) >= self._most_jobs or (waiting and waiting + size > self._most_characters):
                raise BusyError(_RETRY_AFTER)
            self._jobs[job] = size

    def _release(self, job: "_Job") -> None:
        with self._lock:
            self._jobs.pop(job, None)


class Lanes:
    """`run` chooses the threads by the size of the work; `write` has those for changes of the database."""

    def __init__(self, *, timeout: float = 60.0) -> None:
        self._timeout = timeout  # seconds, those of waiting included
        # One long text at a time: more of them would only take the interpreter from each other.
        self._long = Lane("long", threads=1, most_jobs=64, most_characters=32_000_000)
        self._short = Lane("short", threads=2, most_jobs=512, most_characters=8_000_000)
        self._writes = Lane("writes", threads=8, most_jobs=1024, most_characters=64_000_000)
        self._all = (self._long, self._short, self._writes)

    async def run(self, size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if size <= _TINY:
            return work(*args, **kwargs)
        lane = self._short if size <= _SHORT else self._long
        return await self._run(lane, size, work, *args, **kwargs)

    async def read(self, size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Never on the event loop, because a file is read."""
        return await self.run(max(size, _TINY + 1), work, *args, **kwargs)

    async def write(self, size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Others may hold the database, and whoever only reads must not wait for them."""
        return await self._run(self._writes, size, work, *args, **kwargs)

    @property
    def num_jobs(self) -> int:
        return sum(lane.num_jobs for lane in self._all)

    def close(self) -> None:
        for lane in self._all:
            lane.close()

    async def _run(self, lane: Lane, size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        async with asyncio.timeout(self._timeout):
            return await lane.run(size, lambda: work(*args, **kwargs))


class _Job:
    """Work that can be given up; what it holds is then let go, even if it still waits for a thread."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work: Callable[[], object] | None = work
        self.abandoned = False

    def abandon(self) -> None:
        self.abandoned, self._work = True, None

    def perform(self) -> object:
        work = self._work
        if work is None:
            raise AbandonedError
        _running.job = self
        try:
            return work()
        finally:
            _running.job = self._work = None
