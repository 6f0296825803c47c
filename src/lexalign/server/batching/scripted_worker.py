"""A worker for tests: it computes results by a function, and waits at a gate until the test opens it."""

import asyncio
from collections.abc import Callable, Sequence

from lexalign.server.batching.errors import AbandonedError
from lexalign.server.batching.work import EarlyResults, Emit, Payload, Result, Work


class ScriptedWorker:
    """`answer` gives the result of a payload, or raises; `batches` records every batch.

    The first `num_early` results of a batch are sent before the gate.
    """

    def __init__(self, answer: Callable[[Payload], Result], *, open: bool = True, num_early: int = 0) -> None:
        self._answer, self._num_early = answer, num_early
        self.batches: list[list[Payload]] = []
        self.gate = asyncio.Event()
        self.num_abandoned = self.num_restarts = 0
        self.closed = False
        self._abandoned = asyncio.Event()
        self.dead = asyncio.Event()
        self.restarting = asyncio.Event()  # a restart ends when this is set
        self.restarting.set()
        if open:
            self.gate.set()

    async def run(self, work: Work, payloads: Sequence[Payload], emit: Emit) -> list[Result]:  # noqa: ARG002
        self.batches.append(list(payloads))
        if self._num_early:
            early = list(range(len(payloads)))[: self._num_early]
            emit(EarlyResults(early, [self._answer(payloads[index]) for index in early]))
        self._abandoned.clear()
        waits = [asyncio.ensure_future(event.wait()) for event in (self.gate, self._abandoned)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        if self._abandoned.is_set():
            raise AbandonedError
        return [self._answer(payload) for payload in payloads]

    def abandon(self) -> None:
        self.num_abandoned += 1
        self._abandoned.set()

    async def ready(self) -> None:
        await self.restarting.wait()

    async def ended(self) -> None:
        await self.dead.wait()

    async def restart(self) -> None:
        self.dead.clear()
        self.num_restarts += 1
        await self.restarting.wait()

    async def close(self) -> None:
        self.closed = True
