"""Who searches the batches: this process, or a few processes of one thread each.

On a CPU, processes that share nothing are far faster than threads that meet at the end of every operation.
Where the system can fork, they start at once and share the weights with this process.
"""

import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Protocol, Self

import torch

from lexalign.contracts.errors import LexalignError
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.decoding.stream import Batch
from lexalign.translator.engine import Engine
from lexalign.translator.memory import keep_freed_memory
from lexalign.translator.plan import SearchPlan, Sentence

Found = list[list[Hypothesis]]
# On macOS a fork may crash in the system's own libraries.
CAN_FORK = sys.platform.startswith("linux")


class Searcher(Protocol):
    """Searches batches, some at a time."""

    @property
    def is_free(self) -> bool:
        """Whether it can take a batch now."""

    def submit(self, batch: Batch[Sentence]) -> None: ...

    def collect(self) -> list[tuple[Batch[Sentence], Found]]:
        """What has been found; waits until there is something, unless there is nothing to wait for."""


class OwnProcess:
    """Searches when it is asked for results."""

    def __init__(self, engine: Engine, plan: SearchPlan) -> None:
        self._engine, self._plan = engine, plan
        self._batch: Batch[Sentence] | None = None

    @property
    def is_free(self) -> bool:
        return self._batch is None

    def submit(self, batch: Batch[Sentence]) -> None:
        self._batch = batch

    def collect(self) -> list[tuple[Batch[Sentence], Found]]:
        batch, self._batch = self._batch, None
        return [] if batch is None else [(batch, self._engine.search(batch.sentences, self._plan))]


class WorkerPool:
    """Processes that have one batch each; `load` gives an engine in the new process."""

    def __init__(self, load: Callable[[], Engine], plan: SearchPlan, num_workers: int) -> None:
        context = get_context("fork") if CAN_FORK else get_context("spawn")
        self._processes: dict[Connection, BaseProcess] = {}
        self._busy: dict[Connection, Batch[Sentence]] = {}
        for _ in range(num_workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, load, plan), daemon=True)
            process.start()
            theirs.close()  # so that the worker's death ends the pipe
            self._processes[ours] = process
        self._free = list(self._processes)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for connection, process in self._processes.items():
            process.kill()  # it holds nothing but memory
            process.join()
            connection.close()

    @property
    def is_free(self) -> bool:
        return bool(self._free)

    def submit(self, batch: Batch[Sentence]) -> None:
        connection = self._free.pop()
        try:
            connection.send(batch.sentences)
        except OSError:
            raise self._death(connection) from None
        self._busy[connection] = batch

    def collect(self) -> list[tuple[Batch[Sentence], Found]]:
        if not self._busy:
            return []
        ready = [item for item in wait(list(self._busy)) if isinstance(item, Connection)]
        return [self._receive(connection) for connection in ready]

    def _receive(self, connection: Connection) -> tuple[Batch[Sentence], Found]:
        try:
            found = connection.recv()
        except (EOFError, OSError):
            raise self._death(connection) from None
        if isinstance(found, Exception):
            raise found
        self._free.append(connection)
        return self._busy.pop(connection), found

    def _death(self, connection: Connection) -> LexalignError:
        process = self._processes[connection]
        process.join()
        code = process.exitcode or 0
        cause = f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"
        return LexalignError(f"a worker process {cause}; if memory is short, use fewer workers")


def _serve(connection: Connection, load: Callable[[], Engine], plan: SearchPlan) -> None:
    """Answer batches until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
    torch.set_num_threads(1)  # a fork has lost the threads that its parent had
    keep_freed_memory()
    engine = load()
    while True:
        try:
            sentences: Sequence[Sentence] = connection.recv()
            connection.send(_answer(engine, sentences, plan))
        except (EOFError, OSError):
            return


def _answer(engine: Engine, sentences: Sequence[Sentence], plan: SearchPlan) -> Found | Exception:
    try:
        return engine.search(sentences, plan)
    except LexalignError as error:
        return error
    except Exception:
        # The trace would be lost on the way.
        return RuntimeError("in a worker process:\n" + traceback.format_exc())


def num_cores() -> int:
    """The cores that this process may use, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
