"""Workers that are processes of one thread each, for the cores of a CPU.

The first ones are forked before the server has any thread or connection, and share the weights. One that has
died is replaced by a fresh process that reads the models again, for a server full of threads must not fork.
A worker is told to give up its work by a signal.
"""

import asyncio
import os
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from multiprocessing import get_context
from multiprocessing.connection import Connection

import torch

from lexalign.contracts.errors import LexalignError
from lexalign.server.batching.work import EarlyResults, Emit, Models, Payload, Result, Work, perform
from lexalign.server.batching.worker import AbandonedError, WorkerDiedError
from lexalign.translator import StreamedToken
from lexalign.translator.execution import give_back_memory, keep_freed_memory
from lexalign.translator.workers import CAN_FORK

_GIVE_UP = signal.SIGUSR1
# When memory is given back: it takes a tenth of a second to do so and to have it again, but what is kept
# grows with every batch that is larger, or cut in another way, than those before it.
_BATCHES_PER_TRIM, _IDLE_SECONDS = 32, 10.0
# The server needs little, and whoever asks it anything waits for that: it goes first where cores are scarce.
_NICENESS = 2
Load = Callable[[], Models]


class ProcessWorker:
    """`share` gives the models in a fork, `load` in a process that shares nothing with this one."""

    def __init__(self, share: Load, load: Load) -> None:
        self._load = load
        self._start(share if CAN_FORK else load, fork=CAN_FORK)

    def _start(self, load: Load, *, fork: bool) -> None:
        context = get_context("fork") if fork else get_context("spawn")
        self._connection, theirs = context.Pipe()
        # A fork has our end of the pipe too, and would never see it end.
        ours = self._connection if fork else None
        self._process = context.Process(target=_serve, args=(theirs, ours, load), daemon=True)
        self._process.start()
        theirs.close()  # so that the worker's death ends the pipe

    async def run(self, work: Work, payloads: Sequence[Payload], emit: Emit) -> list[Result]:
        try:
            self._connection.send((work, list(payloads)))
            while True:
                await self._readable()
                answer = self._connection.recv()
                if not isinstance(answer, StreamedToken | EarlyResults):
                    break
                emit(answer)
        except (EOFError, OSError):
            raise WorkerDiedError from None
        if isinstance(answer, Exception):
            raise answer
        results: list[Result] = answer
        return results

    def abandon(self) -> None:
        if self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, _GIVE_UP)

    async def restart(self) -> None:
        await self.close()
        self._start(self._load, fork=False)

    async def close(self) -> None:
        self._process.kill()  # it holds nothing but memory
        await asyncio.to_thread(self._process.join)
        self._connection.close()

    async def _readable(self) -> None:
        loop, descriptor = asyncio.get_running_loop(), self._connection.fileno()
        ready = asyncio.Event()
        loop.add_reader(descriptor, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(descriptor)
            os.set_blocking(descriptor, True)  # uvloop has it otherwise, and long messages would be cut off


class _Interruptible:
    """Raises where a signal comes while work is being done; at other times it comes too late."""

    def __init__(self) -> None:
        self._working = self._asked = False
        signal.signal(_GIVE_UP, self._interrupt)

    @contextmanager
    def working(self) -> Iterator[None]:
        self._working, self._asked = True, False
        try:
            yield
        finally:
            self._working = False

    @contextmanager
    def shielded(self) -> Iterator[None]:
        """Nothing is interrupted inside, for half a message would spoil all that follow."""
        self._working = False
        yield
        self._working = True
        if self._asked:
            raise AbandonedError

    def _interrupt(self, _number: int, _frame: object) -> None:
        self._asked = True
        if self._working:
            self._working = False
            raise AbandonedError


def _serve(connection: Connection, ours: Connection | None, load: Load) -> None:
    """Answer until the pipe ends, which it does when the server has gone, however it went."""
    if ours is not None:
        ours.close()
    for ignored in (signal.SIGINT, signal.SIGTERM):  # the server finishes its work first, and ends us
        signal.signal(ignored, signal.SIG_IGN)
    interruptible = _Interruptible()
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    torch.set_num_threads(1)  # a fork has lost the threads that its parent had
    keep_freed_memory()
    models = load()
    for number in count(1):
        try:
            if number % _BATCHES_PER_TRIM == 0 or not connection.poll(_IDLE_SECONDS):
                give_back_memory()
            work, payloads = connection.recv()
            connection.send(_answer(interruptible, models, work, payloads, connection.send))
        except (EOFError, OSError):
            return


def _answer(
    interruptible: _Interruptible, models: Models, work: Work, payloads: Sequence[Payload], emit: Emit
) -> list[Result] | Exception:
    def pass_on(news: StreamedToken | EarlyResults) -> None:
        with interruptible.shielded():
            emit(news)

    try:
        with interruptible.working():
            return perform(models, work, payloads, pass_on)
    except (LexalignError, AbandonedError) as error:
        return error
    except OSError:
        raise
    except Exception:
        # The trace would be lost on the way.
        return RuntimeError("in a worker process:\n" + traceback.format_exc())
