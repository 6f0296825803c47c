"""int8 matrix products, with one scale per row of activations or one for all rows.

A row x is divided by its largest value m, quantised with a constant scale, multiplied by the weights, and the
result is multiplied by m again:

    y = m · (q(x / m) Wᵀ) + bias

The integer product is exact, so the same row gives the same result in every batch. All activations of a call
can also share one scale, which saves four small operations; then a sentence's result depends on the other
sentences of its batch, and all rows but the largest are quantised more coarsely.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F


class RowInt8:
    """int8 weights with one scale per output channel, and activations with one scale per row."""

    def __init__(self, quantised: Tensor, bias: Tensor | None, nonnegative: bool) -> None:
        """Inputs that are `nonnegative` are overwritten: they are divided in place."""
        self._packed: Any = torch.ops.quantized.linear_prepack(quantised, None)
        self._bias, self._nonnegative = bias, nonnegative
        # Without VNNI the kernels add pairs of products in 16 bits, which only 7-bit activations fit into.
        max_value = 255 if torch.cpu._is_vnni_supported() else 127
        self._zero_point = 0 if nonnegative else max_value // 2 + 1
        self._scale = 1 / (max_value - self._zero_point)
        self._linear = _fixed_scale_linear()

    def __call__(self, x: Tensor, residual: Tensor | None, relu: bool) -> Tensor:
        buffer = x if self._nonnegative else x.abs()
        largest = buffer.amax(-1, True)
        # A row of zeros is divided by zero: its integers are arbitrary, and the result is zero again.
        divided = torch.div(x, largest, out=buffer)
        product = self._linear(divided, self._scale, self._zero_point, self._packed)
        # In place: memory outside the CPU's caches would cost more than the arithmetic.
        if self._bias is None:
            out = product.mul_(largest)
        else:
            out = torch.addcmul(self._bias, product, largest, out=product)
        if relu:
            return F.relu_(out)
        return out if residual is None else out.add_(residual)


class SharedInt8:
    """The same weights, and activations with one scale per call: a row's result depends on the other rows."""

    def __init__(self, quantised: Tensor, bias: Tensor | None) -> None:
        self._packed: Any = torch.ops.quantized.linear_prepack(quantised, bias)
        self._linear = _without_dispatch(torch.ops.quantized.linear_dynamic)
        self._linear_relu = _without_dispatch(torch.ops.quantized.linear_relu_dynamic)
        self._reduce_range = not torch.cpu._is_vnni_supported()

    def __call__(self, x: Tensor, residual: Tensor | None, relu: bool) -> Tensor:
        out = (self._linear_relu if relu else self._linear)(x, self._packed, self._reduce_range)
        return out if residual is None else out.add_(residual)


def _fixed_scale_linear() -> Callable[[Tensor, float, int, Any], Tensor]:
    """The product of activations that are quantised with a given scale and zero point."""
    if torch.backends.quantized.engine not in ("x86", "fbgemm"):
        return dynamic_linear
    return _without_dispatch(torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32)


def dynamic_linear(x: Tensor, scale: float, zero_point: int, packed: Any) -> Tensor:
    """The same with torch's dynamic scale, which an extra row with the least and largest value determines."""
    ends = x.new_zeros(1, x.shape[-1])
    ends[0, 0], ends[0, -1] = -scale * zero_point, scale * (255 - zero_point)
    rows = torch.cat([x.reshape(-1, x.shape[-1]), ends])
    product: Tensor = torch.ops.quantized.linear_dynamic(rows, packed, False)
    return product[:-1].reshape(*x.shape[:-1], -1)


def _without_dispatch(operation: Any) -> Callable[..., Tensor]:
    """The operation without the checks of torch.ops, which inspect all arguments at every call."""
    function: Callable[..., Tensor] = getattr(operation, "_op", operation)
    return function
