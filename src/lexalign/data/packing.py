"""Batches without padding: sentences of all lengths one after the other, in tensors of one size.

    pairs           5 6 7 → 8 9     6 → 8 8 9
    source_ids      5 6 7 </s>   6 </s>         <pad> ...
    source_starts   0            4        6       ...   where sentences start, and the last ends
    target_input    <prefix> 8 9   <prefix> 8 8 9   <pad> ...
    target_output   8 9 </s>       8 8 9 </s>       <pad> ...

All batches have the same shapes, so compiled code and captured graphs are made once. What is left at the end
of a tensor is cut into short sentences of padding, so that attention is defined for every token.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.data.batching import BatchIterator, PlannedBatch
from lexalign.data.collate import TensorBatch
from lexalign.data.columns import IndexArray, TokenArray
from lexalign.data.store import TokenStore

_SIZE_MULTIPLE = 128  # of all tokens of a side, for matrix kernels
_LENGTH_MULTIPLE = 64  # of the longest sentence, for attention kernels
_PADDING_LENGTH = 32  # of a sentence of padding; at the end of a batch a long one would be waited for
_SPREAD = 2.0  # standard deviations by which the source may be longer than usual before a batch is full


@dataclass(frozen=True, kw_only=True, eq=False)
class PackedBatch(TensorBatch):
    """N source tokens and M target tokens of up to R pairs; starts are int32, ids and positions int64."""

    source_ids: Tensor  # (N,)
    source_positions: Tensor  # (N,), each token's place in its sentence
    source_starts: Tensor  # (R + 1,)
    target_input_ids: Tensor  # (M,)
    target_output_ids: Tensor  # (M,)
    target_positions: Tensor  # (M,)
    target_starts: Tensor  # (R + 1,)


class PackedPlan(BatchIterator):
    """The packed batches of every epoch of a corpus, from the lengths of its pairs alone.

    A batch has room for `max_tokens` target tokens, and for as many source tokens as belong to them.
    """

    def __init__(
        self, source_lengths: IndexArray, target_lengths: IndexArray, *, max_tokens: int, seed: int
    ) -> None:
        if len(source_lengths) == 0:
            raise LexalignError("there are no pairs to make batches of; check the data and the filters")
        self._sources, self._targets, self._seed = source_lengths + 1, target_lengths + 1, seed
        longest = int(max(self._sources.max(), self._targets.max()))
        self.longest = round_up(longest, _LENGTH_MULTIPLE)  # of a sentence, and of one of padding
        least = 2 * self.longest
        self.target_size = round_up(max(max_tokens, least), _SIZE_MULTIPLE)  # M
        mean_pairs = self.target_size / float(self._targets.mean())
        ratio = float(self._sources.mean() / self._targets.mean())
        spread = float((self._sources - ratio * self._targets).std()) * mean_pairs**0.5
        expected = int(ratio * self.target_size + _SPREAD * spread)
        self.source_size = round_up(max(expected, least), _SIZE_MULTIPLE)  # N
        # So many sentences of padding, each of a token or more on both sides, may be at the end of a batch.
        self._reserve = -(-max(self.source_size, self.target_size) // self.longest)
        # More come together hardly ever, and a GPU's programs for sentences that are not there take time too.
        self._most_pairs = int(mean_pairs + 4 * mean_pairs**0.5) + 1
        self.num_sentences = self._most_pairs + self._reserve  # R

    def epoch(self, epoch: int) -> list[PlannedBatch]:
        """All batches of an epoch, in their order; each has pairs from all of the corpus."""
        pairs = np.random.default_rng([self._seed, epoch]).permutation(len(self._sources))
        ends = np.concatenate([[0], self._targets[pairs].cumsum()])
        return [
            PlannedBatch(
                rows=self._longest_first(pairs[first:last]),
                source_length=self.source_size,
                target_length=self.target_size,
                target_tokens=int(ends[last] - ends[first]),
            )
            for first, last in pairwise(self._cut(pairs))
        ]

    def _longest_first(self, pairs: IndexArray) -> IndexArray:
        """A GPU that begins with the longest sentences does not wait for them at the end."""
        return pairs[np.argsort(-np.maximum(self._sources[pairs], self._targets[pairs]), kind="stable")]

    def num_padding(self, left: int) -> int:
        """Into how many sentences so many tokens of padding are cut."""
        return min(self._reserve, -(-left // _PADDING_LENGTH))

    @property
    def padding_fraction(self) -> float:
        """The share of padding among all positions of source and target, over the first epoch."""
        num_positions = len(self.epoch(0)) * (self.source_size + self.target_size)
        return 1 - int(self._sources.sum() + self._targets.sum()) / num_positions

    def _cut(self, pairs: IndexArray) -> list[int]:
        """Where batches begin, and the end of the last: each has as many pairs as there is room for."""
        sides = (self._sources, self.source_size), (self._targets, self.target_size)
        ends = [(lengths[pairs].cumsum(), size - self._reserve) for lengths, size in sides]
        bounds = [0]
        while (first := bounds[-1]) < len(pairs):
            done = [int(total[first - 1]) if first else 0 for total, _ in ends]
            fitting = (
                int(np.searchsorted(total, before + room, side="right"))
                for before, (total, room) in zip(done, ends, strict=True)
            )
            bounds.append(min(*fitting, first + self._most_pairs))
        return bounds


def collate_packed(
    store: TokenStore,
    batch: PlannedBatch,
    plan: PackedPlan,
    *,
    pad_id: int,
    eos_id: int,
    target_prefix_id: int,
) -> PackedBatch:
    """The pairs of `batch` one after the other, and padding up to the sizes of the plan."""
    source_tokens, source_lengths = store.sources.gather(batch.rows)
    target_tokens, target_lengths = store.targets.gather(batch.rows)
    lengths = source_lengths + 1, target_lengths + 1
    left = [
        size - int(side.sum())
        for size, side in zip((plan.source_size, plan.target_size), lengths, strict=True)
    ]
    num_padding = plan.num_padding(max(left))
    source_starts, target_starts = (
        _starts(side, rest, num_padding, plan.num_sentences) for side, rest in zip(lengths, left, strict=True)
    )
    return PackedBatch(
        source_ids=_with_end(source_tokens, source_starts, len(batch.rows), pad_id, eos_id),
        source_positions=_positions(source_starts),
        source_starts=torch.from_numpy(source_starts.astype(np.int32)),
        target_input_ids=_with_prefix(
            target_tokens, target_starts, len(batch.rows), pad_id, target_prefix_id
        ),
        target_output_ids=_with_end(target_tokens, target_starts, len(batch.rows), pad_id, eos_id),
        target_positions=_positions(target_starts),
        target_starts=torch.from_numpy(target_starts.astype(np.int32)),
        target_tokens=batch.target_tokens,
    )


def _starts(lengths: IndexArray, left: int, num_padding: int, num_sentences: int) -> IndexArray:
    """(R + 1,): sentences, then padding in equal shares, then sentences without a token."""
    shares = np.diff(np.linspace(0, left, num_padding + 1).astype(np.int64))
    empty = np.zeros(num_sentences - len(lengths) - num_padding, dtype=np.int64)
    return np.concatenate([[0], np.concatenate([lengths, shares, empty]).cumsum()])


def _positions(starts: IndexArray) -> Tensor:
    lengths = np.diff(starts)
    return torch.from_numpy(np.arange(starts[-1]) - np.repeat(starts[:-1], lengths))


def _with_end(tokens: TokenArray, starts: IndexArray, num_pairs: int, pad_id: int, eos_id: int) -> Tensor:
    ids = np.full(starts[-1], pad_id, dtype=np.int64)
    ends = starts[1 : num_pairs + 1] - 1
    ids[np.delete(np.arange(starts[num_pairs]), ends)] = tokens
    ids[ends] = eos_id
    return torch.from_numpy(ids)


def _with_prefix(
    tokens: TokenArray, starts: IndexArray, num_pairs: int, pad_id: int, prefix_id: int
) -> Tensor:
    ids = np.full(starts[-1], pad_id, dtype=np.int64)
    ids[np.delete(np.arange(starts[num_pairs]), starts[:num_pairs])] = tokens
    ids[starts[:num_pairs]] = prefix_id
    return torch.from_numpy(ids)


def round_up(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple
