"""Length buckets: each pair belongs to a bucket (S, T), and small buckets are merged with a neighbour.

Merging costs padding: a merged bucket has the larger S and the larger T of the two. The bucket furthest from
filling a batch is merged first, with the partner where that adds the least padding, until every bucket fills
a batch and there are no more than `max_shapes`.
"""

from dataclasses import dataclass

import numpy as np

from lexalign.data.columns import IndexArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Buckets:
    """The shape and the number of pairs of each bucket, and the bucket of each pair."""

    source_lengths: IndexArray  # S, of each bucket
    target_lengths: IndexArray  # T
    rows: IndexArray  # B, of a whole batch
    counts: IndexArray  # pairs in the bucket
    members: IndexArray  # the bucket of each pair


def assign_buckets(
    source_lengths: IndexArray,
    target_lengths: IndexArray,
    *,
    max_tokens: int,
    length_multiple: int,
    row_multiple: int,
    max_shapes: int,
) -> Buckets:
    """Buckets for pairs of these lengths, end of sentence included."""
    sources, targets, counts, members = _exact_buckets(source_lengths, target_lengths, length_multiple)
    merger = _BucketMerger(sources, targets, counts, max_tokens, row_multiple)
    while merger.merge_smallest(max_shapes):
        pass
    kept, renumbered = np.unique(merger.roots(), return_inverse=True)
    return Buckets(
        source_lengths=merger.sources[kept],
        target_lengths=merger.targets[kept],
        rows=merger.rows[kept],
        counts=merger.counts[kept],
        # The narrowest type, as sorting by it is what an epoch spends its time on.
        members=renumbered.astype(np.min_scalar_type(len(kept)))[members],
    )


def rows_within(lengths: IndexArray, max_tokens: int, row_multiple: int) -> IndexArray:
    """The rows of a whole batch of sentences of `lengths`."""
    budget = max_tokens // lengths
    return np.maximum(np.where(budget < row_multiple, budget, budget // row_multiple * row_multiple), 1)


def _exact_buckets(
    source_lengths: IndexArray, target_lengths: IndexArray, multiple: int
) -> tuple[IndexArray, IndexArray, IndexArray, IndexArray]:
    sources = -(-source_lengths // multiple)
    targets = -(-target_lengths // multiple)
    width = int(targets.max()) + 1
    keys, members, counts = np.unique(sources * width + targets, return_inverse=True, return_counts=True)
    return keys // width * multiple, keys % width * multiple, counts, members


class _BucketMerger:
    """Merges buckets step by step; `counts` of a bucket that was merged into another is 0."""

    def __init__(
        self, sources: IndexArray, targets: IndexArray, counts: IndexArray, max_tokens: int, row_multiple: int
    ) -> None:
        self.sources, self.targets, self.counts = sources.copy(), targets.copy(), counts.copy()
        self._max_tokens, self._row_multiple = max_tokens, row_multiple
        longest = np.maximum(sources, targets)
        self.rows = rows_within(longest, max_tokens, row_multiple)
        # Pairs over the budget are batches of their own; merged with others they would make those the same.
        self._open = longest <= max_tokens
        self._parents = np.arange(len(sources))

    def merge_smallest(self, max_shapes: int) -> bool:
        """Merge one bucket into another, if that is needed and possible."""
        remaining = np.flatnonzero(self._open & (self.counts > 0))
        if len(remaining) < 2:
            return False
        fullness = self.counts[remaining] / self.rows[remaining]
        smallest = int(remaining[fullness.argmin()])
        if fullness.min() >= 1 and len(remaining) <= max_shapes:
            return False
        others = remaining[remaining != smallest]
        self._merge(smallest, int(others[self._cost(smallest, others).argmin()]))
        return True

    def _cost(self, bucket: int, others: IndexArray) -> IndexArray:
        """The padding that merging `bucket` into each of `others` would add."""
        size = self.sources + self.targets
        merged = np.maximum(self.sources[others], self.sources[bucket])
        merged = merged + np.maximum(self.targets[others], self.targets[bucket])
        own: IndexArray = self.counts[bucket] * (merged - size[bucket])
        theirs: IndexArray = self.counts[others] * (merged - size[others])
        return np.add(own, theirs)

    def _merge(self, bucket: int, other: int) -> None:
        self.sources[other] = max(self.sources[other], self.sources[bucket])
        self.targets[other] = max(self.targets[other], self.targets[bucket])
        longest = np.maximum(self.sources[other : other + 1], self.targets[other : other + 1])
        self.rows[other] = rows_within(longest, self._max_tokens, self._row_multiple)[0]
        self.counts[other] += self.counts[bucket]
        self.counts[bucket] = 0
        self._parents[bucket] = other

    def roots(self) -> IndexArray:
        """For each bucket the one that it was merged into."""
        roots = self._parents
        while not np.array_equal(roots, roots[roots]):
            roots = roots[roots]
        return roots
