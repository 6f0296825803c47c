"""The growing of many alignments side by side, for a GPU; see `symmetrization` for what it means.

Points that touch an aligned one at the same time must not be added at once, since one may forbid the other.
But sentences are independent: in each round every sentence adds the one point that its scan would add next.
The rounds are as many as the most additions of any sentence.
"""

from collections.abc import Callable
from itertools import count

import torch
from torch import Tensor
from torch.nn import functional as F

# From a point (row, column) to its neighbours, straight ones first.
NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))

_ROUNDS_PER_CHECK = 8

Rule = Callable[[Tensor, Tensor], Tensor]  # of used rows and used columns: may a point be added?


def one_empty(row_used: Tensor, column_used: Tensor) -> Tensor:
    return ~(row_used & column_used)


def both_empty(row_used: Tensor, column_used: Tensor) -> Tensor:
    return ~(row_used | column_used)


class Growth:
    """The alignments of a batch while points are added, on a grid with a margin."""

    def __init__(self, links: Tensor) -> None:
        self.shape = links.shape
        self.width = links.shape[2] + 2
        self.aligned = F.pad(links, (1, 1, 1, 1)).flatten(1)  # (B, (T + 2) · (S + 2))
        self.row_used = F.pad(links.any(dim=2), (1, 1))  # (B, T + 2)
        self.column_used = F.pad(links.any(dim=1), (1, 1))  # (B, S + 2)

    @property
    def links(self) -> Tensor:
        batch, rows, columns = self.shape
        return self.aligned.view(batch, rows + 2, columns + 2)[:, 1:-1, 1:-1]

    def grow(self, union: Tensor, rule: Rule) -> None:
        points, waiting = self._candidates(union)  # (B, C)
        offsets = torch.tensor([row * self.width + column for row, column in NEIGHBOURS], device=union.device)
        origins = points[:, :, None] - offsets  # (B, C, 8): the points from which a candidate is a neighbour
        # The time at which the scan looks at a candidate from one of its origins.
        times = origins * len(NEIGHBOURS) + torch.arange(len(NEIGHBOURS), device=union.device)
        lap = self.aligned.shape[1] * len(NEIGHBOURS)
        now = torch.zeros(len(points), 1, dtype=torch.int64, device=union.device)
        for round_index in count():
            if not waiting.numel():
                break
            touching = self.aligned.gather(1, origins.flatten(1).clamp(min=0)).view(origins.shape)
            touching &= self._open(points, waiting, rule)[:, :, None]
            # What the scan has passed comes in its next lap.
            coming = (times + lap * (times < now[:, :, None])).masked_fill_(~touching, 2 * lap)
            time, index = coming.amin(dim=2).min(dim=1, keepdim=True)
            found = time < 2 * lap
            now = torch.where(found, time % lap, now)
            self._add(points, waiting, index, found)
            # Asking makes the host wait; a round too many adds nothing.
            if round_index % _ROUNDS_PER_CHECK == 0 and not bool(found.any()):
                break

    def finish(self, direction: Tensor, rule: Rule) -> None:
        points, waiting = self._candidates(direction)
        while waiting.numel():
            allowed = self._open(points, waiting, rule)
            found, index = allowed.max(dim=1, keepdim=True)  # the first one
            if not bool(found.any()):
                break
            self._add(points, waiting, index, found)

    def _candidates(self, links: Tensor) -> tuple[Tensor, Tensor]:
        """The points (B, C) of `links` not yet aligned, in the order of the scan, and which are real."""
        sentences, rows, columns = (links & ~self.links).nonzero(as_tuple=True)
        counts = torch.bincount(sentences, minlength=len(links))
        rank = torch.arange(len(sentences), device=links.device) - (counts.cumsum(0) - counts)[sentences]
        size = int(counts.max()) if len(sentences) else 0
        points = torch.zeros(len(links), size, dtype=torch.int64, device=links.device)
        points[sentences, rank] = (rows + 1) * self.width + columns + 1
        return points, points > 0

    def _open(self, points: Tensor, waiting: Tensor, rule: Rule) -> Tensor:
        row_used = self.row_used.gather(1, points // self.width)
        return waiting & rule(row_used, self.column_used.gather(1, points % self.width))

    def _add(self, points: Tensor, waiting: Tensor, index: Tensor, found: Tensor) -> None:
        """Align candidate `index` (B, 1) where `found`."""
        point = points.gather(1, index)
        waiting.scatter_(1, index, waiting.gather(1, index) & ~found)
        for used, where in (
            (self.aligned, point),
            (self.row_used, point // self.width),
            (self.column_used, point % self.width),
        ):
            used.scatter_(1, where, used.gather(1, where) | found)
