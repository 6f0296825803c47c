"""What a job asks of an engine, and the plainest one."""

from collections.abc import Collection, Iterator
from typing import Protocol

from lexalign.corpus.results import ShardResult
from lexalign.corpus.shards import ShardPlan
from lexalign.corpus.worker import WorkerPlan


class CorpusEngine(Protocol):
    @property
    def num_workers(self) -> int:
        """How many there are at most."""

    def run(self, shards: ShardPlan, finished: Collection[int], worker: WorkerPlan) -> Iterator[ShardResult]:
        """Every shard that is not finished, once, in any order.

        Shards are read as they are needed, so that memory does not grow with the corpus. A worker that dies
        is replaced, and its shard done again.
        """


class InProcess:
    """One worker, this process: for tests, and what all other engines must agree with."""

    num_workers = 1

    def run(self, shards: ShardPlan, finished: Collection[int], worker: WorkerPlan) -> Iterator[ShardResult]:
        translator = worker.start()
        for raw in shards.read_all(finished):
            yield translator.translate(raw)
