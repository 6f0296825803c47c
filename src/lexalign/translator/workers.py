"""Batches are searched in this process, or in a few worker processes of one thread each.

On a CPU, processes that share nothing are far faster than threads that meet at the end of every operation.
Where the system can fork, they start at once and share the weights with this process.
"""

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Protocol, Self

import torch

from lexalign.contracts.errors import LexalignError
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.decoding.stream import Batch, OrderedStream
from lexalign.translator.batch_search import BatchSearcher
from lexalign.translator.execution import keep_freed_memory
from lexalign.translator.model_resources import ModelResources
from lexalign.translator.options import SearchPlan
from lexalign.translator.source_text import Sentence

Found = list[list[Hypothesis]]
# On macOS a fork may crash in the system's own libraries.
CAN_FORK = sys.platform.startswith("linux")
# So many batches are waited for rather than shared among processes, which must start first.
_FEW_BATCHES = 3 if CAN_FORK else 100


def search_stream(
    stream: OrderedStream[Sentence, list[Hypothesis]],
    searcher: BatchSearcher,
    plan: SearchPlan,
    *,
    num_workers: int,
    reload: Callable[[], ModelResources],
) -> Iterator[list[Hypothesis]]:
    """Give the hypotheses of each sentence, in order. Many batches start workers; `reload` gives the model in
    a process that shares no memory with this one."""
    processes: Processes = OwnProcess(searcher, plan)
    with ExitStack() as stack:
        while not stream.finished:
            yield from stream.give()
            stream.read()
            if num_workers > 1 and stream.num_waiting > _FEW_BATCHES:
                load = (lambda: searcher) if CAN_FORK else partial(_new_searcher, reload)
                processes = stack.enter_context(WorkerPool(load, plan, num_workers))
                num_workers = 1  # no more of them
            while processes.is_free and stream.num_waiting:
                processes.submit(stream.take())
            for batch, found in processes.collect():
                stream.put(batch, found)


def _new_searcher(reload: Callable[[], ModelResources]) -> BatchSearcher:
    return BatchSearcher(reload())


class Processes(Protocol):
    """One or more processes that search batches."""

    @property
    def is_free(self) -> bool:
        """Whether one can take a batch now."""

    def submit(self, batch: Batch[Sentence]) -> None: ...

    def collect(self) -> list[tuple[Batch[Sentence], Found]]:
        """The batches that are done; waits for one, unless none is being searched."""


class OwnProcess:
    """This process, which searches when its results are collected."""

    def __init__(self, searcher: BatchSearcher, plan: SearchPlan) -> None:
        self._searcher, self._plan = searcher, plan
        self._batch: Batch[Sentence] | None = None

    @property
    def is_free(self) -> bool:
        return self._batch is None

    def submit(self, batch: Batch[Sentence]) -> None:
        self._batch = batch

    def collect(self) -> list[tuple[Batch[Sentence], Found]]:
        batch, self._batch = self._batch, None
        return [] if batch is None else [(batch, self._searcher.search(batch.sentences, self._plan))]


class WorkerPool:
    """Processes that have one batch each; `load` gives the searcher in the new process."""

    def __init__(self, load: Callable[[], BatchSearcher], plan: SearchPlan, num_workers: int) -> None:
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


def _serve(connection: Connection, load: Callable[[], BatchSearcher], plan: SearchPlan) -> None:
    """Answer batches until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
    torch.set_num_threads(1)  # a fork has lost the threads that its parent had
    keep_freed_memory()
    searcher = load()
    while True:
        try:
            sentences: Sequence[Sentence] = connection.recv()
            connection.send(_answer(searcher, sentences, plan))
        except (EOFError, OSError):
            return


def _answer(searcher: BatchSearcher, sentences: Sequence[Sentence], plan: SearchPlan) -> Found | Exception:
    try:
        return searcher.search(sentences, plan)
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
