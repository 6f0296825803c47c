"""int8 products in which every row has a scale of its own.

The activations of a call usually share one scale, which is the fastest; then what a sentence becomes depends,
slightly, on the sentences beside it. Here a row x is divided by its largest value m, quantised with a scale
that is always the same, multiplied, and the result multiplied by m again:

    y = m · (q(x / m) Wᵀ) + bias

The product is one of integers, and exact, so the same row gives the same in every batch.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

_SMALLEST = 1e-12  # a row of zeros is divided by something


class RowInt8:
    """Weights that torch has packed already, with activations quantised row by row."""

    def __init__(self, packed: Any) -> None:
        weight, bias = torch.ops.quantized.linear_unpack(packed)
        self._packed: Any = torch.ops.quantized.linear_prepack(weight, None)
        self._bias = None if bias is None else bias.detach()
        operation = torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32
        self._linear = getattr(operation, "_op", operation)
        # Without VNNI the kernels add pairs of products in 16 bits, which only 7-bit activations fit into.
        self._steps = 127 if torch.cpu._is_vnni_supported() else 63

    def __call__(self, x: Tensor, residual: Tensor | None, relu: bool) -> Tensor:
        largest = x.abs().amax(dim=-1, keepdim=True).clamp_(min=_SMALLEST)
        product: Tensor = self._linear(x / largest, 1 / self._steps, self._steps + 1, self._packed)
        # In place: memory that the caches have not seen yet would cost more than the arithmetic.
        if self._bias is None:
            out = product.mul_(largest)
        else:
            out = torch.addcmul(self._bias, product, largest, out=product)
        if relu:
            return F.relu_(out)
        return out if residual is None else out.add_(residual)
