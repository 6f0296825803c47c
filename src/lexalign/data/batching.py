"""Batches of similar length, in an order that depends on nothing but the seed and the epoch.

A pair belongs to the bucket (S, T) of its source and target length, end of sentence included, rounded up. All
batches of a bucket but the last one have the same shape, so a model meets few shapes, as compiled code and
CUDA graphs need it. Small buckets are merged with a neighbour; see `buckets.py`.

An epoch shuffles the pairs within their buckets, and then the batches. So every rank knows the whole plan
without communication, and a run can be resumed at any `Position`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from lexalign.contracts.errors import LexalignError
from lexalign.data.buckets import assign_buckets
from lexalign.data.columns import IndexArray


@dataclass(frozen=True, kw_only=True)
class BatchOptions:
    """`max_tokens` bounds rows x max(S, T), padding included; a longer pair is a batch of its own.

    Rows are a multiple of `row_multiple` where the budget allows it.
    """

    max_tokens: int = 4096
    length_multiple: int = 8
    row_multiple: int = 8
    max_shapes: int = 64
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("max_tokens", "length_multiple", "row_multiple", "max_shapes"):
            if getattr(self, name) < 1:
                raise LexalignError(f"{name} is {getattr(self, name)}; it must be 1 or more")


@dataclass(frozen=True, kw_only=True, eq=False)
class PlannedBatch:
    """The pairs of a batch and their padded lengths; `target_tokens` counts the tokens of the loss."""

    rows: IndexArray  # (B,)
    source_length: int  # S
    target_length: int  # T
    target_tokens: int


@dataclass(frozen=True, order=True)
class Position:
    """The next batch: batch `index` of epoch `epoch`, both from 0."""

    epoch: int = 0
    index: int = 0


START = Position()


class BatchIterator(ABC):
    """Endless batches, epoch after epoch, from any position."""

    @abstractmethod
    def epoch(self, epoch: int) -> list[PlannedBatch]:
        """All batches of an epoch, in their order."""

    def count(self, epoch: int) -> int:
        """Batches in an epoch."""
        return len(self.epoch(epoch))

    def iterate(self, start: Position = START) -> Iterator[tuple[Position, PlannedBatch]]:
        """Endless batches from `start`, each with the position after it, to resume from there."""
        count = self.count(max(start.epoch, 0))
        if start.epoch < 0 or not 0 <= start.index <= count:
            raise LexalignError(
                f"cannot continue at batch {start.index} of {count}; "
                "the data or the batch options are not those of the run to continue"
            )
        return self._iterate(start)

    def _iterate(self, start: Position) -> Iterator[tuple[Position, PlannedBatch]]:
        epoch, first = start.epoch, start.index
        while True:
            batches = self.epoch(epoch)
            for index in range(first, len(batches)):
                last = index + 1 == len(batches)
                yield Position(epoch + 1, 0) if last else Position(epoch, index + 1), batches[index]
            epoch, first = epoch + 1, 0

    def iterate_groups(
        self, start: Position = START, group_size: int = 1
    ) -> Iterator[tuple[Position, list[PlannedBatch]]]:
        """Groups of consecutive batches, across epochs, each with the position after it.

        A group is one update: `group_size` is ranks x batches per rank. Every rank sees the whole group,
        and so the number of target tokens to divide by, and computes `group[rank::world_size]`.
        """
        if group_size < 1:
            raise LexalignError(f"group_size is {group_size}; it must be 1 or more")
        steps = self.iterate(start)
        while True:
            group = list(islice(steps, group_size))
            yield group[-1][0], [batch for _, batch in group]


class BatchPlan(BatchIterator):
    """The batches of every epoch of a corpus, from the lengths of its pairs alone.

    Lengths are those of a `TokenStore`, without the end of sentence.
    """

    def __init__(self, source_lengths: IndexArray, target_lengths: IndexArray, options: BatchOptions) -> None:
        if len(source_lengths) == 0:
            raise LexalignError("there are no pairs to make batches of; check the data and the filters")
        self._seed = options.seed
        self._target_lengths = target_lengths + 1
        self._num_tokens = int((source_lengths + 1).sum() + self._target_lengths.sum())
        self._buckets = assign_buckets(
            source_lengths + 1,
            self._target_lengths,
            max_tokens=options.max_tokens,
            length_multiple=options.length_multiple,
            row_multiple=options.row_multiple,
            max_shapes=options.max_shapes,
        )
        self._starts, self._bucket_of_batch = _batch_starts(self._buckets.counts, self._buckets.rows)

    @property
    def num_batches(self) -> int:
        """Batches in an epoch; the same for all of them."""
        return len(self._starts)

    def count(self, epoch: int) -> int:  # noqa: ARG002
        return self.num_batches

    @property
    def shapes(self) -> list[tuple[int, int, int]]:
        """The shapes (B, S, T) of whole batches, one for each bucket."""
        buckets = self._buckets
        columns = (buckets.rows, buckets.source_lengths, buckets.target_lengths)
        return [(int(rows), int(source), int(target)) for rows, source, target in zip(*columns, strict=True)]

    @property
    def padding_fraction(self) -> float:
        """The share of padding among all positions of source and target, over an epoch."""
        buckets = self._buckets
        num_positions = int((buckets.counts * (buckets.source_lengths + buckets.target_lengths)).sum())
        return 1 - self._num_tokens / num_positions

    def epoch(self, epoch: int) -> list[PlannedBatch]:
        """All batches of an epoch, in their order."""
        generator = np.random.default_rng([self._seed, epoch])
        pairs = generator.permutation(len(self._target_lengths))
        pairs = pairs[np.argsort(self._buckets.members[pairs], kind="stable")]
        target_tokens = np.add.reduceat(self._target_lengths[pairs], self._starts).tolist()
        rows = np.split(pairs, self._starts[1:])
        source_lengths = self._buckets.source_lengths[self._bucket_of_batch].tolist()
        target_lengths = self._buckets.target_lengths[self._bucket_of_batch].tolist()
        return [
            PlannedBatch(
                rows=rows[index],
                source_length=source_lengths[index],
                target_length=target_lengths[index],
                target_tokens=target_tokens[index],
            )
            for index in generator.permutation(self.num_batches).tolist()
        ]


def _batch_starts(counts: IndexArray, rows: IndexArray) -> tuple[IndexArray, IndexArray]:
    """Where each batch starts among the pairs in bucket order, and the bucket of each batch."""
    num_batches = -(-counts // rows)
    bucket_of_batch = np.repeat(np.arange(len(counts)), num_batches)
    first_batches = np.cumsum(num_batches) - num_batches
    index_in_bucket = np.arange(len(bucket_of_batch)) - first_batches[bucket_of_batch]
    first_pairs = np.cumsum(counts) - counts
    return first_pairs[bucket_of_batch] + index_in_bucket * rows[bucket_of_batch], bucket_of_batch
