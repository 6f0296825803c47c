"""The simpler simple recurrent unit, SSRU (Kim et al. 2019), in the place of the decoder's self-attention.

A cell holds all that a hypothesis keeps of its past tokens. A forget gate f mixes it with each new input:

    f_t = sigmoid(W_f x_t + b_f)
    c_t = f_t * c_{t-1} + (1 - f_t) * W x_t
    h_t = relu(c_t)

So a step costs two products of the width and some elementwise operations, however long the target is.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lexalign.models.projection import Precision, Projection


class RecurrentUnit(nn.Module):
    """Cells are in float32, whatever the activations are in: they are summed over the whole target."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gates = Projection(width, 2 * width)  # the input of the cell, then the forget gate

    def pack(self, precision: Precision) -> None:
        self.gates.pack(precision)

    def forward(self, x: Tensor) -> Tensor:
        """The outputs (B, T, D) for whole targets (B, T, D)."""
        inputs, forget = self._project(x)
        cell, cells = torch.zeros_like(inputs[:, 0]), []
        for position in range(x.shape[1]):
            cell = torch.lerp(inputs[:, position], cell, forget[:, position])
            cells.append(cell)
        return F.relu(torch.stack(cells, dim=1)).to(x.dtype)

    def step(self, x: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """The outputs for one position of a beam (B, K, D), and its new cells."""
        inputs, forget = self._project(x)
        cell = torch.lerp(inputs, cell.expand_as(inputs), forget)
        return F.relu(cell).to(x.dtype), cell

    def _project(self, x: Tensor) -> tuple[Tensor, Tensor]:
        inputs, forget = self.gates(x).float().chunk(2, dim=-1)
        return inputs, torch.sigmoid(forget)
