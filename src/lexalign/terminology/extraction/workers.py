"""Who does the shards of a stage: this process, processes of one thread each, or the tasks of a Ray cluster.

The work on a shard, or on a part of all shards, reads and writes files of the work folder and returns
nothing, so all of them give the same files. Under Ray every machine must have the folder under the same path.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from multiprocessing import get_context
from typing import Protocol

from lexalign.contracts.errors import LexalignError, MissingExtraError


class ShardTask(Protocol):
    """The work on a shard; it can be sent to another process."""

    def __call__(self, number: int, /) -> None: ...


RunShards = Callable[[ShardTask, Sequence[int]], Iterator[int]]  # does all; yields numbers as they are done


class Workers(Protocol):
    def start(self) -> AbstractContextManager[RunShards]:
        """Workers for all stages of a job."""


class ThisProcess:
    @contextmanager
    def start(self) -> Iterator[RunShards]:
        yield self._run

    def _run(self, task: ShardTask, numbers: Sequence[int]) -> Iterator[int]:
        for number in numbers:
            task(number)
            yield number


class Processes:
    def __init__(self, num_workers: int) -> None:
        if num_workers < 1:
            raise LexalignError(f"{num_workers} workers; at least 1 is needed")
        self._num_workers = num_workers

    @contextmanager
    def start(self) -> Iterator[RunShards]:
        # A fork would share the locks of this process's threads.
        with ProcessPoolExecutor(self._num_workers, mp_context=get_context("spawn")) as pool:
            yield partial(self._run, pool)

    def _run(self, pool: ProcessPoolExecutor, task: ShardTask, numbers: Sequence[int]) -> Iterator[int]:
        waiting: dict[Future[None], int] = {pool.submit(task, number): number for number in numbers}
        try:
            while waiting:
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    future.result()
                    yield waiting.pop(future)
        finally:
            for future in waiting:
                future.cancel()


class RayTasks:
    def __init__(self, address: str | None = None) -> None:
        """The address of a running cluster; None starts one on this machine."""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # sends no usage statistics
        try:
            import ray
        except ImportError:
            raise MissingExtraError("--engine ray needs Ray: pip install 'lexalign[ray]'") from None
        self._ray, self._address = ray, address

    @contextmanager
    def start(self) -> Iterator[RunShards]:
        if self._ray.is_initialized():
            yield self._run
            return
        self._ray.init(
            address=self._address or "local",
            include_dashboard=False if self._address is None else None,
            log_to_driver=False,
            logging_level="ERROR",
        )
        try:
            yield self._run
        finally:
            self._ray.shutdown()

    def _run(self, task: ShardTask, numbers: Sequence[int]) -> Iterator[int]:
        ray = self._ray
        remote, shared = ray.remote(_call), ray.put(task)
        waiting = {remote.remote(shared, number): number for number in numbers}
        try:
            while waiting:
                done, _ = ray.wait(list(waiting))
                for reference in done:
                    ray.get(reference)
                    yield waiting.pop(reference)
        except ray.exceptions.RayTaskError as error:
            raise error.as_instanceof_cause() from None


def _call(task: ShardTask, number: int) -> None:
    task(number)
