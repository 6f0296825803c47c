"""The protocol of engines, and the simplest one."""

from collections.abc import Collection, Iterator
from typing import Protocol

from lexalign.corpus.results import ShardResult
from lexalign.corpus.shards import ShardPlan
from lexalign.corpus.worker import WorkerPlan


class CorpusEngine(Protocol):
    @property
    def num_workers(self) -> int:
        """The largest number of workers."""

    def run(self, shards: ShardPlan, finished: Collection[int], worker: WorkerPlan) -> Iterator[ShardResult]:
        """The results of all unfinished shards, each once, in any order.

        Shards are read lazily, so that memory does not grow with the corpus. A worker that dies is replaced,
        and its shard is translated again.
        """


class InProcess:
    """One worker in this process: for tests, and the reference for all other engines."""

    num_workers = 1

    def run(self, shards: ShardPlan, finished: Collection[int], worker: WorkerPlan) -> Iterator[ShardResult]:
        translator = worker.start()
        for raw in shards.read_all(finished):
            yield translator.translate(raw)
