"""The dispatcher queues the jobs of requests, hands them to workers in batches, and returns the results."""

import asyncio
import logging
import math
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lexalign.server.batching.errors import (
    AbandonedError,
    BusyError,
    TooLargeError,
    UnavailableError,
    WorkerDiedError,
)
from lexalign.server.batching.observer import Observer
from lexalign.server.batching.queue import Job, JobQueue
from lexalign.server.batching.throughput import Throughput
from lexalign.server.batching.tracer import SilentTracer, Tracer
from lexalign.server.batching.work import EarlyResults, Emit, Result, StreamWork
from lexalign.server.batching.worker import Worker
from lexalign.translator import StreamedToken

_log = logging.getLogger("lexalign.server")
_MAX_DEATHS = 2  # of workers, until a request is refused that may be their cause
_MAX_RETRY_AFTER = 600
_MAX_RESTART_DELAY = 30.0


@dataclass(frozen=True, kw_only=True)
class QueueLimits:
    """Limits of the queue, in source tokens."""

    # Offline 512 is best; a queue has fewer sentences of like length, and a step costs the same for fewer.
    batch_tokens: int = 1024
    waiting_tokens: int = 32_768
    timeout: float = 60.0  # seconds until a request fails


@dataclass(kw_only=True, eq=False)
class _PendingJob(Job):
    future: asyncio.Future[Result]
    tokens: asyncio.Queue[StreamedToken] | None = field(default=None)
    num_deaths: int = 0  # of workers that had it
    answered: bool = False  # whether a part of its result is out


class Dispatcher:
    def __init__(
        self,
        workers: Sequence[Worker],
        limits: QueueLimits,
        observer: Observer,
        tracer: Tracer | None = None,
    ) -> None:
        self._workers, self._limits, self._observer = list(workers), limits, observer
        self._tracer = tracer or SilentTracer()
        self._queue = JobQueue()
        self._not_empty = asyncio.Event()
        self._num_free = 0
        self.stopping = False
        self._loops: list[asyncio.Task[None]] = []
        self._open: set[_PendingJob] = set()
        self._throughput = Throughput()
        self._alive = set(self._workers)

    @property
    def waiting_tokens(self) -> int:
        return self._queue.tokens

    @property
    def num_workers(self) -> int:
        return len(self._workers)

    @property
    def num_alive(self) -> int:
        """Workers that can be given work."""
        return len(self._alive)

    @property
    def retry_after(self) -> int:
        """Seconds until what waits now is done, at the rate that was measured."""
        return min(_MAX_RETRY_AFTER, math.ceil(1 + self._throughput.seconds_for(self._queue.tokens)))

    async def ready(self) -> None:
        """Wait for workers that were started a moment ago; all are closed where one does not start."""
        try:
            await asyncio.gather(*(worker.ready() for worker in self._workers))
        except BaseException:
            await asyncio.gather(*(worker.close() for worker in self._workers))
            raise

    def start(self) -> None:
        self._observer.workers(self.num_alive, self.num_workers)
        self._loops = [asyncio.create_task(self._serve_worker(worker)) for worker in self._workers]

    async def stop(self) -> None:
        """Finish all accepted jobs, then close the workers."""
        self.stopping = True
        while self._open:
            await asyncio.wait([job.future for job in self._open], timeout=1.0)
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        await asyncio.gather(*(worker.close() for worker in self._workers))

    def check_size(self, num_tokens: int) -> None:
        """Refuse a request of at least so many tokens if the queue could never hold it."""
        if num_tokens > self._limits.waiting_tokens:
            raise TooLargeError(
                f"the request has more than {self._limits.waiting_tokens} tokens, which is as many as may "
                "wait; send it in parts"
            )

    async def run(self, jobs: Sequence[Job]) -> list[Result]:
        """Results in order; the work stops if this is cancelled, by a client that leaves or by a timeout."""
        pending = self._admit(jobs)
        try:
            with self._tracer.search(len(jobs), sum(job.length for job in jobs)):
                return await self._results(pending)
        finally:
            self._release(pending)

    async def _results(self, pending: Sequence["_PendingJob"]) -> list[Result]:
        async with asyncio.timeout(self._limits.timeout):
            for job in pending:
                if not job.future.done():
                    await asyncio.wait([job.future])
            return [job.future.result() for job in pending]

    async def stream(self, work: StreamWork, text: str, length: int) -> AsyncIterator[StreamedToken]:
        (job,) = self._admit([Job(work=work, payload=text, length=length)])
        job.tokens = asyncio.Queue()
        try:
            async with asyncio.timeout(self._limits.timeout):
                while not (job.future.done() and job.tokens.empty()):
                    token = asyncio.ensure_future(job.tokens.get())
                    await _first(job.future, token)
                    if token.done():
                        yield token.result()
                    else:
                        token.cancel()
                job.future.result()
        finally:
            self._release([job])

    def _admit(self, jobs: Sequence[Job]) -> list[_PendingJob]:
        if self.stopping:
            raise UnavailableError("the server is stopping")
        num_tokens = sum(job.length for job in jobs)
        self.check_size(num_tokens)
        if self._queue.tokens + num_tokens > self._limits.waiting_tokens:
            raise BusyError(self.retry_after)
        loop = asyncio.get_running_loop()
        pending = [
            _PendingJob(work=one.work, payload=one.payload, length=one.length, future=loop.create_future())
            for one in jobs
        ]
        queued = [job for job in pending if job.length]
        for job in pending:
            if not job.length:
                job.future.set_result([])
        self._open.update(queued)
        self._queue.add(queued, time.monotonic())
        self._not_empty.set()
        self._observer.waiting(len(self._queue), self._queue.tokens)
        return pending

    def _release(self, jobs: Sequence[_PendingJob]) -> None:
        """Cancel the jobs that are not done by now."""
        self._queue.discard(jobs)
        for job in jobs:
            self._open.discard(job)
            if not job.future.done():
                job.future.cancel()
            elif not job.future.cancelled():
                job.future.exception()  # of several that failed together, only one was raised
        self._observer.waiting(len(self._queue), self._queue.tokens)

    async def _serve_worker(self, worker: Worker) -> None:
        while True:
            batch = await self._next_batch(worker)
            if batch is None:
                await self._revive(worker)
                continue
            started, tokens = time.monotonic(), sum(job.length for job in batch)
            self._throughput.started(worker, tokens)
            try:
                await self._run_batch(worker, batch)
            finally:
                self._throughput.finished(worker, done=all(job.future.done() for job in batch))
            self._observer.finished(len(batch), tokens, time.monotonic() - started)

    async def _next_batch(self, worker: Worker) -> list[_PendingJob] | None:
        """The next batch, or None where the worker has died before there was one."""
        ended = asyncio.ensure_future(worker.ended())
        self._num_free += 1
        try:
            while not len(self._queue):
                self._not_empty.clear()
                waiting = asyncio.ensure_future(self._not_empty.wait())
                try:
                    await _first(ended, waiting)
                finally:
                    waiting.cancel()
                if ended.done():
                    return None
            batch = self._queue.take(self._limits.batch_tokens, self._num_free)
        finally:
            self._num_free -= 1
            ended.cancel()
        self._observer.waiting(len(self._queue), self._queue.tokens)
        return [job for job in batch if isinstance(job, _PendingJob)]

    async def _revive(self, worker: Worker) -> None:
        """Start a worker again that has died, however often that takes."""
        self._set_alive(worker, False)
        self._observer.died()
        _log.error("a worker has died, and is started again", extra={"fields": {"alive": self.num_alive}})
        delay, started = 1.0, time.monotonic()
        while True:
            try:
                await worker.restart()
                break
            except Exception as error:
                _log.error("a worker could not be started; trying again", exc_info=error)
            await asyncio.sleep(delay)
            delay = min(_MAX_RESTART_DELAY, 2 * delay)
        self._set_alive(worker, True)
        seconds = round(time.monotonic() - started, 1)
        _log.warning(
            "a worker was started again", extra={"fields": {"seconds": seconds, "alive": self.num_alive}}
        )

    def _set_alive(self, worker: Worker, alive: bool) -> None:
        (self._alive.add if alive else self._alive.discard)(worker)
        self._observer.workers(self.num_alive, self.num_workers)

    async def _run_batch(self, worker: Worker, batch: Sequence[_PendingJob]) -> None:
        run = asyncio.ensure_future(
            worker.run(batch[0].work, [job.payload for job in batch], _emitter(batch))
        )
        abandoned = False
        try:
            while not run.done():
                pending = [job.future for job in batch if not job.future.done()]
                if not pending and not abandoned:
                    abandoned = True
                    worker.abandon()
                    self._observer.abandoned()
                await _first(run, *pending)
            _set_results(batch, run.result())
        except AbandonedError:
            self._fail(batch, UnavailableError("the request was cancelled"))
        except WorkerDiedError:
            self._put_back(batch)
            await self._revive(worker)
        except Exception as error:
            await self._fail_or_retry_each(worker, batch, error)
        finally:
            run.cancel()  # if this loop itself was cancelled

    async def _fail_or_retry_each(
        self, worker: Worker, batch: Sequence[_PendingJob], error: Exception
    ) -> None:
        """A job that makes its batch fail must not harm the others: each is tried alone."""
        if len(batch) == 1:
            self._fail(batch, error)
            return
        for job in batch:
            if not job.future.done():
                await self._run_batch(worker, [job])

    def _put_back(self, batch: Sequence[_PendingJob]) -> None:
        """Let other workers try what one has died with, each job alone: it may be what it died of."""
        waiting = [job for job in batch if not job.future.done()]
        for job in waiting:
            job.num_deaths, job.alone = job.num_deaths + 1, True
        refused = [job for job in waiting if job.num_deaths > _MAX_DEATHS or job.answered]
        self._fail(refused, UnavailableError("a worker died; try again"))
        self._queue.put_back(job for job in waiting if not job.future.done())
        self._not_empty.set()

    def _fail(self, batch: Sequence[_PendingJob], error: Exception) -> None:
        for job in batch:
            if not job.future.done():
                job.future.set_exception(error)


async def _first(*futures: asyncio.Future[Any]) -> None:
    await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)


def _set_results(jobs: Sequence[_PendingJob], results: Sequence[Result]) -> None:
    for job, result in zip(jobs, results, strict=True):
        if not job.future.done():
            job.future.set_result(result)


def _emitter(batch: Sequence[_PendingJob]) -> Emit:
    """What a worker calls with its messages; a stream is alone in its batch."""

    def emit(message: StreamedToken | EarlyResults) -> None:
        if isinstance(message, EarlyResults):
            _set_results([batch[index] for index in message.indices], message.results)
        elif (tokens := batch[0].tokens) is not None:
            batch[0].answered = True
            tokens.put_nowait(message)

    return emit
