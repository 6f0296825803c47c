"""Who does the work: the seam between the dispatcher and processes, threads, or a fake in tests."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from lexalign.server.batching.work import EarlyResults, Emit, Models, Payload, Result, Work, perform
from lexalign.translator import StreamedToken


class WorkerDiedError(Exception):
    """A worker has gone, and what it was doing with it."""


class AbandonedError(Exception):
    """The work was given up, as asked."""


class Worker(Protocol):
    """Does one thing at a time."""

    async def run(self, work: Work, payloads: Sequence[Payload], emit: Emit) -> list[Result]:
        """Raises `WorkerDiedError`, `AbandonedError`, or what the work itself raises."""

    def abandon(self) -> None:
        """Give up what is being done, as soon as can be."""

    async def restart(self) -> None:
        """After a death."""

    async def close(self) -> None: ...


class ThreadWorker:
    """Works in a thread of this process: for a GPU, which processes cannot share by forking.

    A search on a GPU is short and cannot be interrupted; a stream ends at its next token.
    """

    def __init__(self, models: Models) -> None:
        self._models = models
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="lexalign-worker")
        self._abandoned = threading.Event()

    async def run(self, work: Work, payloads: Sequence[Payload], emit: Emit) -> list[Result]:
        loop = asyncio.get_running_loop()
        self._abandoned.clear()

        def pass_on(news: StreamedToken | EarlyResults) -> None:
            if self._abandoned.is_set():
                raise AbandonedError
            loop.call_soon_threadsafe(emit, news)

        return await loop.run_in_executor(self._thread, perform, self._models, work, payloads, pass_on)

    def abandon(self) -> None:
        self._abandoned.set()

    async def restart(self) -> None:
        return

    async def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)
