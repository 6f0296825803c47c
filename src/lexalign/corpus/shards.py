"""Shards of a corpus: a fixed number of rows each, never from two files.

Shards depend on the files and the size alone, and a shard is always translated as a whole, by one worker and
in the same batches. So it does not matter which worker translates it, or when, or how often one died.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from lexalign.contracts.errors import LexalignError
from lexalign.corpus.inputs import InputFile, RawRow, read_rows


@dataclass(frozen=True, kw_only=True)
class Shard:
    number: int  # from 0, over all files
    file_index: int
    first_row: int  # from 1, in its file
    num_rows: int


@dataclass(frozen=True, kw_only=True)
class RawShard:
    """A shard with its unparsed rows."""

    shard: Shard
    rows: list[RawRow]


class ShardPlan:
    """All shards of a job; it is small enough to be sent to every reader."""

    def __init__(self, files: Sequence[InputFile], size: int, columns: Sequence[str]) -> None:
        if size < 1:
            raise LexalignError(f"shards of {size} rows; they need at least 1")
        self.files, self.size = tuple(files), size
        self._columns = tuple(columns)
        self._first_numbers = [0]
        for file in files:
            self._first_numbers.append(self._first_numbers[-1] + -(-file.num_rows // size))

    @property
    def num_shards(self) -> int:
        return self._first_numbers[-1]

    @property
    def num_rows(self) -> int:
        return sum(file.num_rows for file in self.files)

    def shards(self, file_index: int) -> Iterator[Shard]:
        """The shards of a file."""
        num_rows = self.files[file_index].num_rows
        for index, first in enumerate(range(0, num_rows, self.size)):
            yield Shard(
                number=self._first_numbers[file_index] + index,
                file_index=file_index,
                first_row=first + 1,
                num_rows=min(self.size, num_rows - first),
            )

    def all_shards(self) -> Iterator[Shard]:
        for file_index in range(len(self.files)):
            yield from self.shards(file_index)

    def read(self, file_index: int, finished: Collection[int]) -> Iterator[RawShard]:
        """The unfinished shards of a file, read lazily."""
        num_unfinished = sum(shard.number not in finished for shard in self.shards(file_index))
        if not num_unfinished:
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
                raise LexalignError(
                    f"{file.path} has changed since the job began; do not change it while the job runs"
                )
            if shard.number not in finished:
                num_unfinished -= 1
                yield RawShard(shard=shard, rows=found)
            if not num_unfinished:
                return

    def read_all(self, finished: Collection[int]) -> Iterator[RawShard]:
        for file_index in range(len(self.files)):
            yield from self.read(file_index, finished)
