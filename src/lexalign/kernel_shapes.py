"""Shapes at which the kernels of a CPU sum in the same order, so that results do not depend on the batch.

The padding of a sentence depends on the others of its batch, and the size of a product may select the kernel;
so the others could change the last digits of a result, and in int8 a rounding. Measured with torch 2.13 (MKL
2024.2, oneDNN 3.12) and AVX-512, on one thread:

- A product of floats has other kernels for fewer than 4 rows, 12 columns or 12 terms; all others agree.
- It sums up to 192 terms in sequence, so that zeros between them change nothing; more terms in two halves,
  and 384 or more in blocks of 192.
- A softmax over 16 or more elements keeps 16 partial sums: a gap of a multiple of 16 changes nothing.
- A sum over another dimension than the last adds five heads in an order that depends on the other dimensions.
- Packed products agree for any number of rows, except a single row of more than 1024 terms.
"""

import torch
from torch import Tensor
from torch.nn import functional as F

LANES = 16
SUM_BLOCK = 192
LEAST_ROWS = 4
_LEAST_COLUMNS = 16


def steady_span(size: int) -> int:
    """The least number of positions, from `size` on, at which attention sums in the same order."""
    if SUM_BLOCK < size < 2 * SUM_BLOCK:
        return 2 * SUM_BLOCK
    return max(size, _LEAST_COLUMNS)


def next_lane(size: int) -> int:
    """The next multiple of `LANES`, where a gap behind `size` positions may end."""
    return -(-size // LANES) * LANES


def enough_rows(x: Tensor, least: int = LEAST_ROWS) -> Tensor:
    """Rows (..., N, D), padded with zeros on a CPU if they are too few for the usual kernels."""
    missing = least - x.shape[-2]
    return F.pad(x, (0, 0, 0, missing)) if missing > 0 and not x.is_cuda else x


def row_products(queries: Tensor, keys: Tensor) -> Tensor:
    """Products (..., Q, S) of rows (..., Q, D) and (..., S, D), each independent of the other rows."""
    products = enough_rows(queries) @ enough_rows(keys, _LEAST_COLUMNS).transpose(-1, -2)
    return products[..., : queries.shape[-2], : keys.shape[-2]]


def row_sums(weights: Tensor, values: Tensor) -> Tensor:
    """Weighted sums (..., Q, D) of rows (..., S, D) by weights (..., Q, S), which are zero at padding."""
    return (enough_rows(weights) @ values)[..., : weights.shape[-2], :]


def summable(values: Tensor) -> Tensor:
    """Values (..., S, D) for `row_sums`, padded with zeros on a CPU if they are too few."""
    if values.is_cuda:
        return values
    missing = steady_span(values.shape[-2]) - values.shape[-2]
    return F.pad(values, (0, max(0, _LEAST_COLUMNS - values.shape[-1]), 0, missing))


def pad_places(weights: Tensor, size: int) -> Tensor:
    """Weights (..., S), padded with zeros to the number of values that `summable` gives."""
    missing = size - weights.shape[-1]
    return F.pad(weights, (0, missing)) if missing else weights


def row_softmax(scores: Tensor) -> Tensor:
    """A softmax over the last dimension that does not depend on the padding at its end."""
    size = scores.shape[-1]
    if size >= _LEAST_COLUMNS or scores.is_cuda:
        return torch.softmax(scores, dim=-1)
    padded = F.pad(scores, (0, _LEAST_COLUMNS - size), value=float("-inf"))
    return torch.softmax(padded, dim=-1)[..., :size]


def steady_log(x: Tensor) -> Tensor:
    """A logarithm by way of float64, so that all ways to compute one agree in float32."""
    return x.double().log().float()


def steady_power(x: Tensor, exponent: float) -> Tensor:
    """A power likewise; its last bit may else depend on the batch."""
    power: Tensor = x.double() ** exponent
    return power.float()


def mean_of_heads(x: Tensor) -> Tensor:
    """The mean (B, ...) over the heads (B, H, ...), summed in their order."""
    first, *others = x.unbind(dim=1)
    return sum(others, first) / x.shape[1]
