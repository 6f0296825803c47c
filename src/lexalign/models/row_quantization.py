"""int8 products in which the scale of a row depends on the row alone.

The activations of a call could share one scale, made from the largest of them; then what a sentence becomes
would depend, slightly, on the sentences beside it. There are two ways around that.

`RowInt8`: every row x has a scale of its own. It is divided by its largest value m, quantised with a scale
that is always the same, multiplied, and the result multiplied by m again:

    y = m · (q(x / m) Wᵀ) + bias

The product is one of integers, and exact, so a row gives the same in every batch. This is the most precise,
and four small operations more; it is for the encoder.

`StepInt8`: a layer has one scale for good, twice as coarse as its usual rows need. Rows that go beyond it,
about one in a thousand, are computed apart with a scale 2, 4, 8, ... times as coarse, so that nothing is ever
clipped. This is a single operation more, for the many small products of decoding steps:

    limit 4.0    row    largest    scale
                 a      1.9        4.0 / 127
                 b      3.2        4.0 / 127
                 c      9.5        16.0 / 127
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

_OVER_MEDIAN = 2.0  # a limit, in usual largest values of a row
_STEPS_PER_OCTAVE = 4  # limits are on a grid, so that rounding elsewhere hardly ever moves them
_LEAST = 2.0**-60
_MOST_OCTAVES = 100.0
_FEW_VALUES = 8192  # of so few the least and the largest are found faster than the largest absolute one


class RowInt8:
    """Weights with one scale per output channel, and activations with one scale per row."""

    def __init__(self, quantised: Tensor, bias: Tensor | None, nonnegative: bool) -> None:
        self._packed: Any = torch.ops.quantized.linear_prepack(quantised, None)
        self._bias, self._nonnegative = bias, nonnegative
        self._zero_point, self._steps = _range(nonnegative)
        self._linear = _with_scale(relu=False)

    def __call__(self, x: Tensor, residual: Tensor | None, relu: bool) -> Tensor:
        largest = (x if self._nonnegative else x.abs()).amax(dim=-1, keepdim=True)
        # A row of zeros is divided by zero: any integers are made of it, and zeros in the end.
        product = self._linear(x / largest, 1 / self._steps, self._zero_point, self._packed)
        # In place: memory that the caches have not seen yet would cost more than the arithmetic.
        if self._bias is None:
            out = product.mul_(largest)
        else:
            out = torch.addcmul(self._bias, product, largest, out=product)
        if relu:
            return F.relu_(out)
        return out if residual is None else out.add_(residual)


class StepInt8:
    """The same weights, with activations of one scale. Until it is settled, it looks what that should be."""

    def __init__(self, quantised: Tensor, bias: Tensor | None, nonnegative: bool) -> None:
        self._packed: Any = torch.ops.quantized.linear_prepack(quantised, bias)
        self._nonnegative = nonnegative
        self._zero_point, self._steps = _range(nonnegative)
        self._linear, self._linear_relu = _with_scale(relu=False), _with_scale(relu=True)
        self._limit, self._scale = 0.0, 0.0
        self._seen: list[Tensor] | None = []  # the largest values of rows

    def settle(self) -> None:
        """Choose the scale by the rows that were seen."""
        assert self._seen
        usual = _OVER_MEDIAN * float(torch.cat(self._seen).median())
        octaves = torch.tensor(max(usual, _LEAST), dtype=torch.float64).log2()
        self._limit = 2.0 ** float((octaves * _STEPS_PER_OCTAVE).ceil() / _STEPS_PER_OCTAVE)
        self._scale = self._limit / self._steps
        self._seen = None

    def __call__(self, x: Tensor, residual: Tensor | None, relu: bool) -> Tensor:
        if self._seen is None and self._fits(x):
            linear = self._linear_relu if relu else self._linear
            out = linear(x, self._scale, self._zero_point, self._packed)
        else:
            out = self._by_scale(x, relu)
        return out if residual is None else out.add_(residual)

    def _fits(self, x: Tensor) -> bool:
        if self._nonnegative:
            return x.amax().item() <= self._limit
        if x.numel() > _FEW_VALUES:
            return x.abs().amax().item() <= self._limit
        least, largest = torch.aminmax(x)
        return least.item() >= -self._limit and largest.item() <= self._limit

    def _by_scale(self, x: Tensor, relu: bool) -> Tensor:
        """Rows of the same scale together."""
        rows = x.reshape(-1, x.shape[-1])
        largest = rows.abs().amax(dim=1)
        if self._seen is not None:
            self._seen.append(largest)
        limit = self._limit or 1.0
        octaves = (largest / limit).log2().ceil_().clamp_(0.0, _MOST_OCTAVES)
        linear = self._linear_relu if relu else self._linear
        parts, places = [], []
        for octave in sorted(set(octaves.tolist())):
            places.append((octaves == octave).nonzero()[:, 0])
            scale = limit / self._steps * 2.0**octave
            parts.append(linear(rows[places[-1]], scale, self._zero_point, self._packed))
        return torch.cat(parts).index_select(0, torch.cat(places).argsort()).view(*x.shape[:-1], -1)


def _range(nonnegative: bool) -> tuple[int, int]:
    """The integer that stands for zero, and how many are above it."""
    # Without VNNI the kernels add pairs of products in 16 bits, which only 7-bit activations fit into.
    most = 255 if torch.cpu._is_vnni_supported() else 127
    zero_point = 0 if nonnegative else most // 2 + 1
    return zero_point, most - zero_point


def _with_scale(*, relu: bool) -> Callable[[Tensor, float, int, Any], Tensor]:
    """The product of activations that are quantised with a given scale and zero point."""
    if torch.backends.quantized.engine not in ("x86", "fbgemm"):
        return partial(_by_range, relu=relu)
    operations = torch.ops.quantized
    operation = (
        operations.linear_with_input_q_dq_qweight_dq_relu_output_fp32
        if relu
        else operations.linear_with_input_q_dq_qweight_dq_output_fp32
    )
    # The bare function: torch.ops would look through all arguments first, at every call.
    function: Callable[[Tensor, float, int, Any], Tensor] = getattr(operation, "_op", operation)
    return function


def _by_range(x: Tensor, scale: float, zero_point: int, packed: Any, *, relu: bool) -> Tensor:
    """The same where the least and the largest value make the scale: one more row has both of them."""
    ends = x.new_zeros(1, x.shape[-1])
    ends[0, 0], ends[0, -1] = -scale * zero_point, scale * (255 - zero_point)
    rows = torch.cat([x.reshape(-1, x.shape[-1]), ends])
    product: Tensor = torch.ops.quantized.linear_dynamic(rows, packed, False)[:-1]
    return (F.relu_(product) if relu else product).reshape(*x.shape[:-1], -1)
