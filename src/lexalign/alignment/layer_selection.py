"""Choice of the layers to align with: those on which both directions agree best (Chen et al. 2020).

Single heads can be chosen in the same way: where one head of a layer aligns and others do something else,
the mean over all heads is blurred.

Agreement needs no gold alignment: it is the AER of one direction's links against the other's, all of them
sure, so 1 - 2 |A∩B| / (|A| + |B|).
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
        """The AER between the best two layers."""
        row, column = self.best
        return self.aer[row][column]

    def __str__(self) -> str:
        """The table as in the paper: percentages, layers counted from 1, the best pair marked."""
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
class ChosenAttention:
    """The layers of both models, or of one, whose attention is read: the mean over all heads, or one head."""

    layers: tuple[int, ...]
    heads: tuple[int | None, ...] = (None, None)

    @property
    def places(self) -> list[tuple[int, int | None]]:
        return list(zip(self.layers, self.heads, strict=True))

    def __str__(self) -> str:
        """The layers and heads, counted from 1."""
        named = [
            f"layer {layer + 1}" if head is None else f"head {head + 1} of layer {layer + 1}"
            for layer, head in self.places
        ]
        return " and ".join(named)


class LinkAgreement:
    """Counts the links that forward and backward aligners (layers or heads) share, batch by batch."""

    def __init__(self, num_forward: int, num_backward: int) -> None:
        self._shared = torch.zeros(num_forward, num_backward, dtype=torch.int64)
        self._forward = torch.zeros(num_forward, dtype=torch.int64)
        self._backward = torch.zeros(num_backward, dtype=torch.int64)

    def add(self, forward: Tensor, backward: Tensor) -> None:
        """Add the links of every forward aligner (L, B, T, S) and every backward aligner (L', B, S, T)."""
        forward_links = forward.flatten(1)
        backward_links = backward.transpose(2, 3).flatten(1)
        # Exact: a float32 counts to 2**24, and no batch has so many links.
        self._shared += (forward_links.float() @ backward_links.float().T).round().long().cpu()
        self._forward += forward_links.sum(dim=1).cpu()
        self._backward += backward_links.sum(dim=1).cpu()

    def pool(self, add: Callable[[Tensor], Tensor]) -> None:
        """Sum the counts over all ranks; `add` is the all-reduce of a tensor."""
        self._shared, self._forward, self._backward = (
            add(count) for count in (self._shared, self._forward, self._backward)
        )

    def table(self) -> LayerTable:
        totals = self._forward[:, None] + self._backward[None]
        rate = 1 - 2 * self._shared.double() / totals.clamp(min=1)
        return LayerTable(aer=tuple(tuple(row) for row in rate.tolist()))
