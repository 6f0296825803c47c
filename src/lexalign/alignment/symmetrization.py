"""One alignment out of two, of the directions source→target and target→source (Koehn et al. 2003, 2005).

Both are matrices (T, S) of a sentence. Grow-diagonal starts from their intersection and adds points of their
union that touch, also diagonally, a point already there, as long as that links a word which has no link yet:

    for target t, for source s, where (t, s) is aligned:         again and again, until nothing is added
        for each neighbour of (t, s) in the union:
            add it, if its row or its column is empty

"Final" then adds, of each direction in turn, what links a word without a link; "final-and" only what links
two such words. `grow-diag-and` asks for an empty row and an empty column already while growing: so do the
scripts with which the literature since Zenkel et al. (2019) symmetrises, under the name grow-diagonal.

    source→target    target→source    grow-diag    grow-diag-and
    x . .            x . .            x . .        x . .
    . x .            . . .            . x .        . x .            touches (0, 0)
    . x .            . . x            . x x        . . x            both touch (1, 1), whose column is used

A point's addition can forbid another's, so the order counts: rows, then columns, then neighbours as listed.
What a visited point could add, it has added, because rows and columns only fill: each point needs one visit.
"""

import heapq
from collections.abc import Callable, Iterable
from itertools import count
from typing import Literal, get_args

import torch
from torch import Tensor
from torch.nn import functional as F

Method = Literal[
    "union", "intersection", "grow-diag", "grow-diag-and", "grow-diag-final", "grow-diag-final-and"
]
METHODS: tuple[Method, ...] = get_args(Method)

Point = tuple[int, int]  # source, target
# From a point (row, column) to its neighbours, straight ones first.
NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))

_ROUNDS_PER_CHECK = 8

Rule = Callable[[Tensor, Tensor], Tensor]  # of used rows and used columns: may a point be added?


def symmetrize(forward: Tensor, backward: Tensor, method: Method) -> Tensor:
    """Links (B, T, S) of both directions, each with the target first, to links (B, T, S).

    Padding must be without links. On a GPU all sentences are symmetrised in parallel; on a CPU one after the
    other is faster.
    """
    if method == "union":
        return forward | backward
    if method == "intersection":
        return forward & backward
    if forward.is_cuda:
        return _symmetrize_on_gpu(forward, backward, method)
    return _symmetrize_on_cpu(forward, backward, method)


def symmetrize_links(forward: Iterable[Point], backward: Iterable[Point], method: Method) -> list[Point]:
    """The symmetrised links of one sentence, sorted; all links have the source first."""
    forward, backward = set(forward), set(backward)
    if method == "union":
        return sorted(forward | backward)
    if method == "intersection":
        return sorted(forward & backward)
    # The last column stays empty, so that no point has a neighbour across the edge.
    width = 2 + max((source for source, _ in forward | backward), default=0)
    forward_cells, backward_cells = (
        {target * width + source for source, target in links} for links in (forward, backward)
    )
    return sorted(
        (cell % width, cell // width) for cell in _symmetrized(forward_cells, backward_cells, width, method)
    )


def _symmetrized(forward: set[int], backward: set[int], width: int, method: Method) -> set[int]:
    """The symmetrised cells of a grid in rows of `width`, whose last column is empty."""
    aligned = forward & backward
    rows, columns = {cell // width for cell in aligned}, {cell % width for cell in aligned}
    both = method == "grow-diag-and"
    candidates = (forward | backward) - aligned
    if candidates and aligned:
        _grow(aligned, candidates, rows, columns, width, both)
    if method in ("grow-diag-final", "grow-diag-final-and"):
        both = method == "grow-diag-final-and"
        for direction in (forward, backward):
            for cell in sorted(direction - aligned):
                row, column = cell // width in rows, cell % width in columns
                if not (row or column if both else row and column):
                    _add(cell, aligned, rows, columns, width)
    return aligned


def _grow(
    aligned: set[int], candidates: set[int], rows: set[int], columns: set[int], width: int, both: bool
) -> None:
    offsets = [row * width + column for row, column in NEIGHBOURS]
    waiting = sorted(aligned)
    while waiting:
        next_pass = []  # added behind the scan, to be visited in its next pass
        while waiting:
            origin = heapq.heappop(waiting)
            for offset in offsets:
                cell = origin + offset
                if cell not in candidates:
                    continue
                row, column = cell // width in rows, cell % width in columns
                if row or column if both else row and column:
                    continue
                candidates.discard(cell)
                _add(cell, aligned, rows, columns, width)
                if cell > origin:
                    heapq.heappush(waiting, cell)
                else:
                    next_pass.append(cell)
        waiting = sorted(next_pass)


def _add(cell: int, aligned: set[int], rows: set[int], columns: set[int], width: int) -> None:
    aligned.add(cell)
    rows.add(cell // width)
    columns.add(cell % width)


def _symmetrize_on_cpu(forward: Tensor, backward: Tensor, method: Method) -> Tensor:
    batch, rows, columns = forward.shape
    width = columns + 1
    result = torch.zeros(batch, rows * width, dtype=torch.bool)
    directions = (_cells(links, width) for links in (forward, backward))
    sentences: list[int] = []
    cells: list[int] = []
    for sentence, (forward_cells, backward_cells) in enumerate(zip(*directions, strict=True)):
        found = _symmetrized(forward_cells, backward_cells, width, method)
        sentences.extend([sentence] * len(found))
        cells.extend(found)
    result[torch.tensor(sentences, dtype=torch.int64), torch.tensor(cells, dtype=torch.int64)] = True
    return result.view(batch, rows, width)[:, :, :columns]


def _cells(links: Tensor, width: int) -> list[set[int]]:
    sentences, rows, columns = links.nonzero(as_tuple=True)
    cells = (rows * width + columns).tolist()
    ends = torch.bincount(sentences, minlength=len(links)).cumsum(0).tolist()
    return [set(cells[start:end]) for start, end in zip([0, *ends], ends, strict=False)]


def _symmetrize_on_gpu(forward: Tensor, backward: Tensor, method: Method) -> Tensor:
    growth = _BatchGrowth(forward & backward)
    growth.grow(forward | backward, both_empty if method == "grow-diag-and" else one_empty)
    if method in ("grow-diag-final", "grow-diag-final-and"):
        rule = both_empty if method == "grow-diag-final-and" else one_empty
        growth.finish(forward, rule)
        growth.finish(backward, rule)
    return growth.links


def one_empty(row_used: Tensor, column_used: Tensor) -> Tensor:
    return ~(row_used & column_used)


def both_empty(row_used: Tensor, column_used: Tensor) -> Tensor:
    return ~(row_used | column_used)


class _BatchGrowth:
    """The alignments of a batch on a GPU while points are added, on a grid with a margin.

    Points that touch an aligned one at the same time must not be added at once, since one may forbid the
    other. But sentences are independent: in each round every sentence adds the one point that its scan would
    add next. The rounds are as many as the most additions of any sentence.
    """

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
        scan_length = self.aligned.shape[1] * len(NEIGHBOURS)
        now = torch.zeros(len(points), 1, dtype=torch.int64, device=union.device)
        for round_index in count():
            if not waiting.numel():
                break
            touching = self.aligned.gather(1, origins.flatten(1).clamp(min=0)).view(origins.shape)
            touching &= self._open(points, waiting, rule)[:, :, None]
            # What the scan has passed comes in its next pass.
            coming = (times + scan_length * (times < now[:, :, None])).masked_fill_(
                ~touching, 2 * scan_length
            )
            time, index = coming.amin(dim=2).min(dim=1, keepdim=True)
            found = time < 2 * scan_length
            now = torch.where(found, time % scan_length, now)
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
