"""The worker: the seam between the dispatcher and processes, threads, or a fake in tests."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from lexalign.server.batching.errors import AbandonedError
from lexalign.server.batching.work import EarlyResults, Emit, Models, Payload, Result, Work, perform
from lexalign.translator import StreamedToken


class Worker(Protocol):
    """A worker does one batch at a time."""

    async def run(self, work: Work, payloads: Sequence[Payload], emit: Emit) -> list[Result]:
        """The results; it raises `WorkerDiedError`, `AbandonedError`, or what the work itself raises."""

    def abandon(self) -> None:
        """Cancel the running batch as soon as possible."""

    async def ready(self) -> None:
        """Wait until a new worker can be given work."""

    async def ended(self) -> None:
        """Return once the worker has died."""

    async def restart(self) -> None:
        """Start again after the worker has died; return once it can be given work."""

    async def close(self) -> None: ...


class ThreadWorker:
    """A thread of this process: for a GPU, which forked processes cannot share.

    A search on a GPU is short and cannot be interrupted; a stream ends at its next token.
    """

    def __init__(self, models: Models) -> None:
        self._models = models
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="lexalign-worker")
        self._abandoned = threading.Event()

    async def run(self, work: Work, payloads: Sequence[Payload], emit: Emit) -> list[Result]:
        loop = asyncio.get_running_loop()
        self._abandoned.clear()

        def forward(message: StreamedToken | EarlyResults) -> None:
            if self._abandoned.is_set():
                raise AbandonedError
            loop.call_soon_threadsafe(emit, message)

        return await loop.run_in_executor(self._thread, perform, self._models, work, payloads, forward)

    def abandon(self) -> None:
        self._abandoned.set()

    async def ready(self) -> None:
        return

    async def ended(self) -> None:
        await asyncio.Event().wait()  # a thread does not die

    async def restart(self) -> None:
        return

    async def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._models = {}
