"""Few buckets for many lengths: each pair in a bucket (S, T), small buckets joined with a neighbour.

Joining costs padding: a bucket joined with another takes the larger S and the larger T of the two. The
bucket furthest from filling one batch goes first, to the partner where that adds the fewest padded
positions, until every bucket fills a batch and there are no more than `max_shapes`.
"""

from dataclasses import dataclass

import numpy as np

from lexalign.data.columns import IndexArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Buckets:
    """Four numbers for each bucket, and the bucket of each pair."""

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
    joining = _Joining(sources, targets, counts, max_tokens, row_multiple)
    while joining.join_smallest(max_shapes):
        pass
    kept, renumbered = np.unique(joining.roots(), return_inverse=True)
    return Buckets(
        source_lengths=joining.sources[kept],
        target_lengths=joining.targets[kept],
        rows=joining.rows[kept],
        counts=joining.counts[kept],
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


class _Joining:
    """Buckets that become fewer; `counts` of one that was joined with another is 0."""

    def __init__(
        self, sources: IndexArray, targets: IndexArray, counts: IndexArray, max_tokens: int, row_multiple: int
    ) -> None:
        self.sources, self.targets, self.counts = sources.copy(), targets.copy(), counts.copy()
        self._max_tokens, self._row_multiple = max_tokens, row_multiple
        longest = np.maximum(sources, targets)
        self.rows = rows_within(longest, max_tokens, row_multiple)
        # Pairs over the budget stand alone; joined with others they would make those stand alone too.
        self._open = longest <= max_tokens
        self._parents = np.arange(len(sources))

    def join_smallest(self, max_shapes: int) -> bool:
        """Join one bucket with another, if that is needed and possible."""
        alive = np.flatnonzero(self._open & (self.counts > 0))
        if len(alive) < 2:
            return False
        fullness = self.counts[alive] / self.rows[alive]
        smallest = int(alive[fullness.argmin()])
        if fullness.min() >= 1 and len(alive) <= max_shapes:
            return False
        others = alive[alive != smallest]
        self._join(smallest, int(others[self._cost(smallest, others).argmin()]))
        return True

    def _cost(self, bucket: int, others: IndexArray) -> IndexArray:
        """Positions of padding that joining `bucket` with each of `others` would add."""
        size = self.sources + self.targets
        joined = np.maximum(self.sources[others], self.sources[bucket])
        joined = joined + np.maximum(self.targets[others], self.targets[bucket])
        own: IndexArray = self.counts[bucket] * (joined - size[bucket])
        theirs: IndexArray = self.counts[others] * (joined - size[others])
        return np.add(own, theirs)

    def _join(self, bucket: int, other: int) -> None:
        self.sources[other] = max(self.sources[other], self.sources[bucket])
        self.targets[other] = max(self.targets[other], self.targets[bucket])
        longest = np.maximum(self.sources[other : other + 1], self.targets[other : other + 1])
        self.rows[other] = rows_within(longest, self._max_tokens, self._row_multiple)[0]
        self.counts[other] += self.counts[bucket]
        self.counts[bucket] = 0
        self._parents[bucket] = other

    def roots(self) -> IndexArray:
        """For each bucket the one it ended up in."""
        roots = self._parents
        while not np.array_equal(roots, roots[roots]):
            roots = roots[roots]
        return roots
