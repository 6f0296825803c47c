"""Who does the shards of a stage: this process, processes of one thread each, or the tasks of a Ray cluster.

A shard's work reads and writes files of the work folder and returns nothing, so all of them give the same
files. Under Ray every machine must have the folder under the same path.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from typing import Protocol

from lexalign.contracts.errors import LexalignError


class ShardTask(Protocol):
    """The work on a shard; it can be sent to another process."""

    def __call__(self, number: int) -> None: ...


class Workers(Protocol):
    def run(self, task: ShardTask, numbers: Sequence[int]) -> Iterator[int]:
        """Do all shards; yields their numbers as they are done."""


class ThisProcess:
    def run(self, task: ShardTask, numbers: Sequence[int]) -> Iterator[int]:
        for number in numbers:
            run_shard(task, number)
            yield number


class Processes:
    def __init__(self, num_workers: int) -> None:
        if num_workers < 1:
            raise LexalignError(f"{num_workers} workers; at least 1 is needed")
        self._num_workers = num_workers

    def run(self, task: ShardTask, numbers: Sequence[int]) -> Iterator[int]:
        # A fork would share the locks of this process's threads.
        with ProcessPoolExecutor(
            min(self._num_workers, max(1, len(numbers))), mp_context=get_context("spawn")
        ) as pool:
            waiting: dict[Future[None], int] = {
                pool.submit(run_shard, task, number): number for number in numbers
            }
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
            raise LexalignError("--engine ray needs Ray: pip install 'lexalign[ray]'") from None
        self._ray, self._address = ray, address

    def run(self, task: ShardTask, numbers: Sequence[int]) -> Iterator[int]:
        ray, started = self._ray, False
        if not ray.is_initialized():
            ray.init(
                address=self._address or "local",
                include_dashboard=False if self._address is None else None,
                log_to_driver=False,
                logging_level="ERROR",
            )
            started = True
        try:
            remote = ray.remote(run_shard)
            shared = ray.put(task)
            waiting = {remote.remote(shared, number): number for number in numbers}
            while waiting:
                done, _ = ray.wait(list(waiting))
                for reference in done:
                    ray.get(reference)
                    yield waiting.pop(reference)
        except ray.exceptions.RayTaskError as error:
            raise error.as_instanceof_cause() from None
        finally:
            if started:
                ray.shutdown()


def run_shard(task: ShardTask, number: int) -> None:
    """One shard on one thread; more would change neither its result nor, mostly, its time."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        task(number)
    finally:
        torch.set_num_threads(before)
