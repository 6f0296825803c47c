"""Which layers to align with: those on which the models of both directions agree best (Chen et al. 2020).

Or which single heads of them: where one head of a layer aligns and others do something else, the mean over
all of them is blurred.

Agreement needs no gold: it is the AER of one direction's links against the other's, all of them sure, so
1 - 2 |A∩B| / (|A| + |B|).
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class LayerTable:
    """AER between layers of the forward model (rows) and layers of the backward model (columns)."""

    aer: tuple[tuple[float, ...], ...]

    @property
    def best(self) -> tuple[int, int]:
        """The forward and the backward layer, from 0, that agree best."""
        pairs = [
            (value, row, column) for row, values in enumerate(self.aer) for column, value in enumerate(values)
        ]
        _, forward, backward = min(pairs)
        return forward, backward

    @property
    def least(self) -> float:
        """The AER between these two."""
        row, column = self.best
        return self.aer[row][column]

    def __str__(self) -> str:
        """As in the paper: percent, layers counted from 1, the best pair marked."""
        width = 7
        lines = ["".rjust(width) + "".join(f"{layer + 1} ".rjust(width) for layer in range(len(self.aer[0])))]
        for row, values in enumerate(self.aer):
            cells = (
                f"{100 * value:.1f}{'*' if (row, column) == self.best else ' '}".rjust(width)
                for column, value in enumerate(values)
            )
            lines.append(f"{row + 1}".rjust(width) + "".join(cells))
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class Watched:
    """The attention of both models that is read: of these layers the mean over all heads, or one of them."""

    layers: tuple[int, int]
    heads: tuple[int, int] | tuple[None, None] = (None, None)

    @property
    def places(self) -> list[tuple[int, int | None]]:
        return list(zip(self.layers, self.heads, strict=True))

    def __str__(self) -> str:
        """Counted from 1."""
        named = [
            f"layer {layer + 1}" if head is None else f"head {head + 1} of layer {layer + 1}"
            for layer, head in self.places
        ]
        return " and ".join(named)


class LinkAgreement:
    """Counts the links that some ways of aligning forward share with others backward, batch after batch."""

    def __init__(self, forward_ways: int, backward_ways: int) -> None:
        self._shared = torch.zeros(forward_ways, backward_ways, dtype=torch.int64)
        self._forward = torch.zeros(forward_ways, dtype=torch.int64)
        self._backward = torch.zeros(backward_ways, dtype=torch.int64)

    def add(self, forward: Tensor, backward: Tensor) -> None:
        """Links of every forward way (L, B, T, S) and every backward way (L', B, S, T)."""
        ahead = forward.flatten(1)
        back = backward.transpose(2, 3).flatten(1)
        # Exact: a float32 counts to 2**24, and no batch has so many links.
        self._shared += (ahead.float() @ back.float().T).round().long().cpu()
        self._forward += ahead.sum(dim=1).cpu()
        self._backward += back.sum(dim=1).cpu()

    def pool(self, add: Callable[[Tensor], Tensor]) -> None:
        """Take in what others have counted of other batches: `add` gives the sum of all for a tensor."""
        self._shared, self._forward, self._backward = (
            add(count) for count in (self._shared, self._forward, self._backward)
        )

    def table(self) -> LayerTable:
        totals = self._forward[:, None] + self._backward[None]
        rate = 1 - 2 * self._shared.double() / totals.clamp(min=1)
        return LayerTable(aer=tuple(tuple(row) for row in rate.tolist()))
