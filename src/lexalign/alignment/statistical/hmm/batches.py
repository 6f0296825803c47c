"""Padded batches of sentence pairs, in which each pair of words is a cell with the index of its pair.

    source   a b        cells (T, S)   x   1  2        parameters   0   padding
    target   x y                       y   3  4                     7   a x
                                                                    9   b x ...

Each pair of word types that co-occurs in a sentence pair has one of the W parameters of the lexicon. A batch
has C of them, and its cells count within these, which fit into a processor's cache where all do not.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lexalign.alignment.statistical.hmm.bitext import PADDING, Bitext, Indexes

_LENGTH_RATIO = 1.25  # of the longest to the shortest sentence of a batch


@dataclass(frozen=True, eq=False)
class BitextBatch:
    rows: Indexes  # (B,) sentences
    source: Tensor  # (B, S)
    target: Tensor  # (B, T)
    cells: Tensor  # (B, T, S) indexes of the batch's parameters
    parameters: Tensor  # (C,) indexes of the lexicon's

    def to(self, device: torch.device) -> "BitextBatch":
        tensors = self.source, self.target, self.cells, self.parameters
        return BitextBatch(self.rows, *(each.to(device, non_blocking=True) for each in tensors))


@dataclass(frozen=True, eq=False)
class CooccurrenceBatches:
    """The batches, and the source and target type of each parameter; the first parameter is padding."""

    batches: list[BitextBatch]
    sources: Tensor  # (W,)
    targets: Tensor  # (W,)


def make_batches(text: Bitext, batch_cells: int, device: torch.device) -> CooccurrenceBatches:
    """The batches of a text, without the sentence pairs that have an empty side.

    The device sorts and searches, a batch at a time; what is kept stays in the host's memory.
    """
    rows = _batch_rows(text, batch_cells)
    sides = [
        tuple(torch.from_numpy(side.padded(each)) for side in (text.source, text.target)) for each in rows
    ]
    width = text.target.vocabulary_size
    found = deque(_pair_keys(source.to(device), target.to(device), width) for source, target in sides)
    all_keys = _union([keys for keys, _ in found], device).to(device)
    batches = []
    for each, (source, target) in zip(rows, sides, strict=True):
        keys, cells = found.popleft()
        parameters = torch.searchsorted(all_keys, keys.to(device)).int().cpu()
        batches.append(BitextBatch(each, source.int(), target.int(), cells, parameters))
    return CooccurrenceBatches(batches, (all_keys // width).int().cpu(), (all_keys % width).int().cpu())


def _batch_rows(text: Bitext, batch_cells: int) -> list[Indexes]:
    """The rows of each batch: sentences of similar lengths, up to `batch_cells` cells with padding."""
    source, target = text.source.lengths, text.target.lengths
    nonempty = np.flatnonzero((source > 0) & (target > 0))
    length_class = np.log(source[nonempty]) // np.log(_LENGTH_RATIO)
    order = nonempty[np.lexsort((target[nonempty], length_class))]
    sources, targets, groups = (
        each.tolist() for each in (source[order], target[order], np.sort(length_class))
    )
    batches, first, widest = [], 0, 0
    for index, group in enumerate(groups):
        num_cells = (index + 1 - first) * max(widest, sources[index]) * targets[index]
        too_different = group != groups[first] or targets[index] > targets[first] * _LENGTH_RATIO + 1
        if num_cells > batch_cells or too_different:
            batches.append(order[first:index])
            first, widest = index, 0
        widest = max(widest, sources[index])
    return [part for part in (*batches, order[first:]) if len(part)]


def _pair_keys(source: Tensor, target: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """The distinct word pairs of a batch, sorted, and the index of each cell's pair (B, T, S)."""
    pairs = source[:, None, :] * width + target[:, :, None]
    pairs.masked_fill_((source == PADDING)[:, None, :] | (target == PADDING)[:, :, None], 0)
    keys, indexes = torch.unique(pairs, return_inverse=True)
    return keys.cpu(), indexes.int().cpu()


def _union(parts: list[Tensor], device: torch.device) -> Tensor:
    """The sorted union of all keys and that of padding, merged step by step to save memory."""
    while len(parts) > 1:
        parts = [_unique(parts[index : index + 8], device) for index in range(0, len(parts), 8)]
    return _unique([torch.zeros(1, dtype=torch.int64), *parts], device)


def _unique(parts: list[Tensor], device: torch.device) -> Tensor:
    found: Tensor = torch.unique(torch.cat(parts).to(device))
    return found.cpu()
