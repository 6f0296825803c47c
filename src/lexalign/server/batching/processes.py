"""Worker processes of one thread each, for the cores of a CPU.

The first ones are forked before the server has any thread or connection, and share the weights. One that has
died is replaced by a new process that loads the models again, because a server with threads must not fork.
A signal tells a worker to cancel its batch.
"""

import asyncio
import atexit
import os
import signal
import traceback
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from socket import socket

import torch

from lexalign.contracts.errors import LexalignError
from lexalign.server.batching.errors import AbandonedError, WorkerDiedError
from lexalign.server.batching.work import EarlyResults, Emit, Models, Payload, Result, Work, perform
from lexalign.translator import StreamedToken
from lexalign.translator.execution import give_back_memory, keep_freed_memory
from lexalign.translator.workers import CAN_FORK

_CANCEL = signal.SIGUSR1
# When memory is given back: to do so and to allocate it again takes a tenth of a second, but what is kept
# grows with every batch that is larger, or of another shape, than those before it.
_BATCHES_PER_TRIM, _IDLE_SECONDS = 32, 10.0
# The server needs little time, but every client waits for it: it has precedence where cores are scarce.
_NICENESS = 2
Load = Callable[[], Models]


_processes: "weakref.WeakSet[BaseProcess]" = weakref.WeakSet()


@atexit.register  # before that of multiprocessing, which was imported earlier
def _kill_all() -> None:
    """multiprocessing would send SIGTERM, which workers ignore, and wait for them without end."""
    for process in _processes:
        process.kill()


class _Ready:
    """The first message of a worker: its models are loaded."""


class ProcessWorker:
    """`share` gives the models in a forked process, `load` loads them in a new one.

    A forked process has the server's sockets too; those in `inherited` are closed in it, since a listener
    that any process holds goes on accepting connections. Without `share`, the process is a new one.
    """

    def __init__(self, share: Load | None, load: Load, inherited: Sequence[socket] = ()) -> None:
        self._load = load
        fork = CAN_FORK and share is not None
        self._start(share if fork and share is not None else load, inherited if fork else (), fork=fork)

    def _start(self, load: Load, inherited: Sequence[socket], *, fork: bool) -> None:
        context = get_context("fork") if fork else get_context("spawn")
        self._connection, theirs = context.Pipe()
        # A forked process has our end of the pipe too, and would never see it end.
        closed = (self._connection, *inherited) if fork else ()
        self._process = context.Process(target=_serve, args=(theirs, closed, load), daemon=True)
        self._process.start()
        _processes.add(self._process)
        theirs.close()  # so that the worker's death ends the pipe

    @property
    def process_id(self) -> int | None:
        return self._process.pid

    async def ready(self) -> None:
        """Wait for the first message, before any work is given."""
        try:
            await self._readable()
            self._connection.recv()
        except (EOFError, OSError):
            raise WorkerDiedError from None

    async def run(self, work: Work, payloads: Sequence[Payload], emit: Emit) -> list[Result]:
        try:
            self._connection.send((work, list(payloads)))
            while True:
                await self._readable()
                answer = self._connection.recv()
                if isinstance(answer, StreamedToken | EarlyResults):
                    emit(answer)
                elif not isinstance(answer, _Ready):
                    break
        except (EOFError, OSError):
            raise WorkerDiedError from None
        if isinstance(answer, Exception):
            raise answer
        results: list[Result] = answer
        return results

    def abandon(self) -> None:
        if self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, _CANCEL)

    async def ended(self) -> None:
        loop, descriptor = asyncio.get_running_loop(), os.dup(self._process.sentinel)
        over = asyncio.Event()
        loop.add_reader(descriptor, over.set)
        try:
            await over.wait()
        finally:
            loop.remove_reader(descriptor)
            os.close(descriptor)

    async def restart(self) -> None:
        await self.close()
        self._start(self._load, (), fork=False)
        await self.ready()

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
            os.set_blocking(
                descriptor, True
            )  # uvloop makes it non-blocking, and long messages would be cut off


class _Interruptible:
    """A signal handler that raises `AbandonedError` during work; at other times a signal is too late."""

    def __init__(self) -> None:
        self._working = self._cancelled = False
        signal.signal(_CANCEL, self._interrupt)

    @contextmanager
    def working(self) -> Iterator[None]:
        self._working, self._cancelled = True, False
        try:
            yield
        finally:
            self._working = False

    @contextmanager
    def shielded(self) -> Iterator[None]:
        """Nothing is interrupted inside, because half a message would corrupt all that follow."""
        self._working = False
        yield
        self._working = True
        if self._cancelled:
            raise AbandonedError

    def _interrupt(self, _number: int, _frame: object) -> None:
        self._cancelled = True
        if self._working:
            self._working = False
            raise AbandonedError


def _serve(connection: Connection, inherited: Sequence[Connection | socket], load: Load) -> None:
    """Serve batches until the pipe ends, which it does when the server is gone, however it ended."""
    for one in inherited:
        one.close()
    # The server finishes its work first, and then ends this process.
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    interruptible = _Interruptible()
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    torch.set_num_threads(1)  # a forked process has lost the threads of its parent
    keep_freed_memory()
    models = load()
    connection.send(_Ready())
    for number in count(1):
        try:
            if number % _BATCHES_PER_TRIM == 0 or not connection.poll(_IDLE_SECONDS):
                give_back_memory()
            work, payloads = connection.recv()
            connection.send(_perform(interruptible, models, work, payloads, connection.send))
        except (EOFError, OSError):
            return


def _perform(
    interruptible: _Interruptible, models: Models, work: Work, payloads: Sequence[Payload], emit: Emit
) -> list[Result] | Exception:
    def forward(message: StreamedToken | EarlyResults) -> None:
        with interruptible.shielded():
            emit(message)

    try:
        with interruptible.working():
            return perform(models, work, payloads, forward)
    except (LexalignError, AbandonedError) as error:
        return error
    except OSError:
        raise
    except Exception:
        # A traceback is not pickled, so it would be lost.
        return RuntimeError("in a worker process:\n" + traceback.format_exc())
