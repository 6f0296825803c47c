"""The assignment of shards to fake workers, of which one is slow."""

from collections import deque
from collections.abc import Iterator
from itertools import islice
from multiprocessing import Pipe
from typing import Any

import pytest

from lexalign.corpus.engines import local
from lexalign.corpus.results import Counts, ShardResult
from lexalign.corpus.shards import RawShard, Shard


class FakeWorker:
    """A fake worker that answers at once, or when it is woken."""

    made: list["FakeWorker"]

    def __init__(self, device: str, _: Any) -> None:
        self.slow = device == "slow"
        self.connection, self._theirs = Pipe()
        self.shards: deque[RawShard] = deque()
        self.made.append(self)

    def send(self, raw: RawShard) -> bool:
        self.shards.append(raw)
        if not self.slow:
            self._answer(raw.shard)
        return True

    def wake(self) -> None:
        self.slow = False
        for raw in self.shards:
            self._answer(raw.shard)

    def _answer(self, shard: Shard) -> None:
        result = ShardResult(shard=shard, content=b"", poisoned=b"", counts=Counts(), seconds=0.0)
        self._theirs.send(result)


def shards(number: int) -> Iterator[RawShard]:
    for index in range(number):
        yield RawShard(shard=Shard(number=index, file_index=0, first_row=index + 1, num_rows=1), rows=[b""])


@pytest.mark.parametrize(("num_shards", "num_held"), [(2, 1), (3, 1), (4, 1), (5, 2), (50, 2)])
def test_the_last_shards_go_to_whoever_is_free(
    monkeypatch: pytest.MonkeyPatch, num_shards: int, num_held: int
) -> None:
    """A shard waits at a worker only while there are others for those that are free."""
    FakeWorker.made = []
    monkeypatch.setattr(local, "_Worker", FakeWorker)
    pool = local._WorkerPool(["slow", "cpu"], None)  # type: ignore[arg-type]
    results = pool.translate(shards(num_shards), num_shards)
    done = [result.shard.number for result in islice(results, num_shards - num_held)]
    slow, _ = FakeWorker.made
    assert len(slow.shards) == num_held
    slow.wake()
    done += [result.shard.number for result in results]
    assert sorted(done) == list(range(num_shards))
