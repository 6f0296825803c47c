"""How a corpus is cut: shards of so many rows, none over two files.

The cut depends on the files and the size alone, and a shard is always translated as a whole, by one worker
and in the same batches. So it does not matter who translates it, or when, or how often a worker died.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from lexalign.contracts.errors import LexalignError
from lexalign.corpus.inputs import Input, RawRow, read_rows


@dataclass(frozen=True, kw_only=True)
class Shard:
    number: int  # from 0, over all files
    file_index: int
    first_row: int  # from 1, in its file
    num_rows: int


@dataclass(frozen=True, kw_only=True)
class RawShard:
    """A shard with its rows as they stand in the file."""

    shard: Shard
    rows: list[RawRow]


class ShardPlan:
    """Small enough to be sent to every reader."""

    def __init__(self, files: Sequence[Input], size: int, columns: Sequence[str]) -> None:
        if size < 1:
            raise LexalignError(f"shards of {size} rows; they need at least 1")
        self.files, self.size = tuple(files), size
        self._columns = tuple(columns)
        self._firsts = [0]
        for file in files:
            self._firsts.append(self._firsts[-1] + -(-file.num_rows // size))

    @property
    def num_shards(self) -> int:
        return self._firsts[-1]

    @property
    def num_rows(self) -> int:
        return sum(file.num_rows for file in self.files)

    def shards(self, file_index: int) -> Iterator[Shard]:
        """Those of a file."""
        num_rows = self.files[file_index].num_rows
        for index, first in enumerate(range(0, num_rows, self.size)):
            yield Shard(
                number=self._firsts[file_index] + index,
                file_index=file_index,
                first_row=first + 1,
                num_rows=min(self.size, num_rows - first),
            )

    def all_shards(self) -> Iterator[Shard]:
        for file_index in range(len(self.files)):
            yield from self.shards(file_index)

    def read(self, file_index: int, finished: Collection[int]) -> Iterator[RawShard]:
        """The shards of a file that are not finished, as they are asked for."""
        todo = sum(shard.number not in finished for shard in self.shards(file_index))
        if not todo:
            return
        file = self.files[file_index]
        rows = read_rows(file, self._columns)
        for shard in self.shards(file_index):
            if shard.number in finished:
                num_read = sum(1 for _ in islice(rows, shard.num_rows))
            else:
                found = list(islice(rows, shard.num_rows))
                num_read = len(found)
            if num_read < shard.num_rows:
                raise LexalignError(f"{file.path} has changed since the job began; do not touch it meanwhile")
            if shard.number not in finished:
                todo -= 1
                yield RawShard(shard=shard, rows=found)
            if not todo:
                return

    def read_all(self, finished: Collection[int]) -> Iterator[RawShard]:
        for file_index in range(len(self.files)):
            yield from self.read(file_index, finished)
