"""Takes work from requests, hands it to workers in batches, and brings the results back."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lexalign.server.batching.errors import BusyError, TooLargeError, UnavailableError
from lexalign.server.batching.observer import Observer
from lexalign.server.batching.waiting import Item, WaitingRoom
from lexalign.server.batching.work import EarlyResults, Emit, Payload, Result, StreamWork, Work
from lexalign.server.batching.worker import AbandonedError, Worker, WorkerDiedError
from lexalign.translator import StreamedToken


@dataclass(frozen=True, kw_only=True)
class QueueLimits:
    """Tokens count the source's."""

    # Offline 512 is best; what waits here is of fewer like lengths, and a step costs the same for fewer rows.
    batch_tokens: int = 1024
    waiting_tokens: int = 32_768
    timeout: float = 60.0  # seconds until a request is given up


@dataclass(kw_only=True, eq=False)
class _Entry(Item):
    future: asyncio.Future[Result]
    tokens: asyncio.Queue[StreamedToken] | None = field(default=None)


@dataclass(frozen=True)
class Request:
    """Things of one client; `length` is 0 for those that need no worker."""

    work: Work
    payload: Payload
    length: int


class Dispatcher:
    def __init__(self, workers: Sequence[Worker], limits: QueueLimits, observer: Observer) -> None:
        self._workers, self._limits, self._observer = list(workers), limits, observer
        self._room = WaitingRoom()
        self._something_waits = asyncio.Event()
        self._num_free = 0
        self.stopping = False
        self._loops: list[asyncio.Task[None]] = []
        self._open: set[_Entry] = set()
        self._rate = 500.0  # tokens a second, as lately seen

    @property
    def waiting_tokens(self) -> int:
        return self._room.tokens

    def start(self) -> None:
        self._loops = [asyncio.create_task(self._serve(worker)) for worker in self._workers]

    async def stop(self) -> None:
        """Finish what was taken, then let the workers go."""
        self.stopping = True
        while self._open:
            await asyncio.wait([entry.future for entry in self._open], timeout=1.0)
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        await asyncio.gather(*(worker.close() for worker in self._workers))

    def check_size(self, num_tokens: int) -> None:
        """Refuse a request that has so many, and maybe more."""
        if num_tokens > self._limits.waiting_tokens:
            raise TooLargeError(
                f"the request has more than {self._limits.waiting_tokens} tokens, which is as many as may "
                "wait; send it in parts"
            )

    async def run(self, requests: Sequence[Request]) -> list[Result]:
        """Results in order. Whoever cancels this, by leaving or in time-out, stops the work."""
        entries = self._admit(requests)
        try:
            async with asyncio.timeout(self._limits.timeout):
                for entry in entries:
                    if not entry.future.done():
                        await asyncio.wait([entry.future])
                return [entry.future.result() for entry in entries]
        finally:
            self._release(entries)

    async def stream(self, work: StreamWork, text: str, length: int) -> AsyncIterator[StreamedToken]:
        (entry,) = self._admit([Request(work, text, length)])
        entry.tokens = asyncio.Queue()
        try:
            async with asyncio.timeout(self._limits.timeout):
                while not (entry.future.done() and entry.tokens.empty()):
                    token = asyncio.ensure_future(entry.tokens.get())
                    await _first(entry.future, token)
                    if token.done():
                        yield token.result()
                    else:
                        token.cancel()
                entry.future.result()
        finally:
            self._release([entry])

    def _admit(self, requests: Sequence[Request]) -> list[_Entry]:
        if self.stopping:
            raise UnavailableError("the server is stopping")
        wanted = sum(request.length for request in requests)
        self.check_size(wanted)
        if self._room.tokens + wanted > self._limits.waiting_tokens:
            raise BusyError(min(60, 1 + int(self._room.tokens / self._rate)))
        loop = asyncio.get_running_loop()
        entries = [
            _Entry(work=one.work, payload=one.payload, length=one.length, future=loop.create_future())
            for one in requests
        ]
        searched = [entry for entry in entries if entry.length]
        for entry in entries:
            if not entry.length:
                entry.future.set_result([])
        self._open.update(searched)
        self._room.add(searched, time.monotonic())
        self._something_waits.set()
        self._observer.waiting(len(self._room), self._room.tokens)
        return entries

    def _release(self, entries: Sequence[_Entry]) -> None:
        """What is not done by now is wanted no more."""
        self._room.discard(entries)
        for entry in entries:
            self._open.discard(entry)
            if not entry.future.done():
                entry.future.cancel()
            elif not entry.future.cancelled():
                entry.future.exception()  # of several that failed together, one was raised
        self._observer.waiting(len(self._room), self._room.tokens)

    async def _serve(self, worker: Worker) -> None:
        while True:
            batch = await self._next_batch()
            started = time.monotonic()
            await self._do(worker, batch)
            seconds, tokens = time.monotonic() - started, sum(entry.length for entry in batch)
            self._rate = 0.9 * self._rate + 0.1 * len(self._workers) * tokens / max(seconds, 1e-3)
            self._observer.finished(len(batch), tokens, seconds)

    async def _next_batch(self) -> list[_Entry]:
        self._num_free += 1
        try:
            while not len(self._room):
                self._something_waits.clear()
                await self._something_waits.wait()
            batch = self._room.take(self._limits.batch_tokens, self._num_free)
        finally:
            self._num_free -= 1
        self._observer.waiting(len(self._room), self._room.tokens)
        return [entry for entry in batch if isinstance(entry, _Entry)]

    async def _do(self, worker: Worker, batch: Sequence[_Entry]) -> None:
        run = asyncio.ensure_future(
            worker.run(batch[0].work, [entry.payload for entry in batch], _emitter(batch))
        )
        asked = False
        try:
            while not run.done():
                pending = [entry.future for entry in batch if not entry.future.done()]
                if not pending and not asked:
                    asked = True
                    worker.abandon()
                    self._observer.abandoned()
                await _first(run, *pending)
            _settle(batch, run.result())
        except AbandonedError:
            self._fail(batch, UnavailableError("the request was given up"))
        except WorkerDiedError:
            self._observer.died()
            await worker.restart()
            await self._fail_or_part(worker, batch, UnavailableError("a worker died; try again"))
        except Exception as error:
            await self._fail_or_part(worker, batch, error)
        finally:
            run.cancel()  # where this loop itself was cancelled

    async def _fail_or_part(self, worker: Worker, batch: Sequence[_Entry], error: Exception) -> None:
        """One that breaks whatever it is in must not harm the others: each is tried alone."""
        if len(batch) == 1:
            self._fail(batch, error)
            return
        for entry in batch:
            if not entry.future.done():
                await self._do(worker, [entry])

    def _fail(self, batch: Sequence[_Entry], error: Exception) -> None:
        for entry in batch:
            if not entry.future.done():
                entry.future.set_exception(error)


async def _first(*futures: asyncio.Future[Any]) -> None:
    await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)


def _settle(entries: Sequence[_Entry], results: Sequence[Result]) -> None:
    for entry, result in zip(entries, results, strict=True):
        if not entry.future.done():
            entry.future.set_result(result)


def _emitter(batch: Sequence[_Entry]) -> Emit:
    """A stream is alone in its batch."""

    def emit(news: StreamedToken | EarlyResults) -> None:
        if isinstance(news, EarlyResults):
            _settle([batch[place] for place in news.places], news.results)
        elif (tokens := batch[0].tokens) is not None:
            tokens.put_nowait(news)

    return emit
