"""Sentence pairs in padded batches, each pair of their words a cell that points into one list of parameters.

    source   a b        cells (T, S)   x   1  2        parameters   0   padding
    target   x y                       y   3  4                     1   a x
                                                                    2   b x ...

Each pair of words that stands anywhere in one sentence pair has one of the W parameters, found once for the
corpus.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lexalign.alignment.statistical.hmm.bitext import PADDING, Bitext, Indexes

_LIKE = 1.25  # the longest over the shortest sentence of a batch


@dataclass(frozen=True, eq=False)
class BitextBatch:
    rows: Indexes  # (B,) sentences
    source: Tensor  # (B, S)
    target: Tensor  # (B, T)
    cells: Tensor  # (B, T, S)

    def to(self, device: torch.device) -> "BitextBatch":
        moved = (each.to(device, non_blocking=True) for each in (self.source, self.target, self.cells))
        return BitextBatch(self.rows, *moved)


@dataclass(frozen=True, eq=False)
class Cells:
    """The batches, and the source and target word of each parameter; the first stands for padding."""

    batches: list[BitextBatch]
    sources: Tensor  # (W,)
    targets: Tensor  # (W,)


def make_cells(text: Bitext, batch_cells: int) -> Cells:
    """Sentences without words on one side are in no batch."""
    rows = _batch_rows(text, batch_cells)
    sides = [
        tuple(torch.from_numpy(side.padded(each)) for side in (text.source, text.target)) for each in rows
    ]
    width = text.target.vocabulary_size
    found = [_keys(source, target, width) for source, target in sides]
    known = _merged([keys for keys, _ in found])
    batches = []
    for each, (source, target) in zip(rows, sides, strict=True):
        keys, places = found.pop(0)  # not held any longer: the cells of a corpus are gigabytes
        cells = torch.searchsorted(known, keys).int()[places]
        batches.append(BitextBatch(each, source.int(), target.int(), cells))
    return Cells(batches, (known // width).int(), (known % width).int())


def _batch_rows(text: Bitext, batch_cells: int) -> list[Indexes]:
    """Sentences of like lengths, as many as have `batch_cells` cells with their padding."""
    source, target = text.source.lengths, text.target.lengths
    spoken = np.flatnonzero((source > 0) & (target > 0))
    alike = np.log(source[spoken]) // np.log(_LIKE)
    order = spoken[np.lexsort((target[spoken], alike))]
    sources, targets, groups = (each.tolist() for each in (source[order], target[order], np.sort(alike)))
    batches, first, widest = [], 0, 0
    for index, group in enumerate(groups):
        num_cells = (index + 1 - first) * max(widest, sources[index]) * targets[index]
        alien = group != groups[first] or targets[index] > targets[first] * _LIKE + 1
        if num_cells > batch_cells or alien:
            batches.append(order[first:index])
            first, widest = index, 0
        widest = max(widest, sources[index])
    return [part for part in (*batches, order[first:]) if len(part)]


def _keys(source: Tensor, target: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """The different pairs of words of a batch, sorted, and which of them each cell (B, T, S) is."""
    pairs = source[:, None, :] * width + target[:, :, None]
    pairs.masked_fill_((source == PADDING)[:, None, :] | (target == PADDING)[:, :, None], 0)
    keys, places = torch.unique(pairs, return_inverse=True)
    return keys, places.int()


def _merged(parts: list[Tensor]) -> Tensor:
    """All keys, once and sorted, and that of padding; merged step by step, so that few are held twice."""
    while len(parts) > 1:
        parts = [_once(parts[index : index + 8]) for index in range(0, len(parts), 8)]
    return _once([torch.zeros(1, dtype=torch.int64), *parts])


def _once(parts: list[Tensor]) -> Tensor:
    found: Tensor = torch.unique(torch.cat(parts))
    return found
