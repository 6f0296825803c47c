"""Sizes at which the kernels of a CPU add in one and the same order.

What a sentence is padded to depends on its neighbours, and a kernel may be chosen by the size of a product;
so the neighbours could be seen in the last digits of a result, and in int8 be rounded to another step.
Measured with torch 2.13 (MKL 2024.2, oneDNN 3.12) and AVX-512, on one thread:

- A product of floats has kernels of its own for fewer than 4 rows, 12 columns or 12 terms; all others agree.
- It sums up to 192 terms one after the other, so that zeros between them change nothing; more than that in
  two halves, and 384 or more in blocks of 192.
- A softmax of 16 places or more keeps 16 sums: a gap of a multiple of 16 places changes nothing.
- A sum over another dimension than the last adds five heads in an order that depends on the places beside.
- Packed products agree for any number of rows, but for a single row of more than 1024 terms.
"""

import torch
from torch import Tensor
from torch.nn import functional as F

LANES = 16
SUM_BLOCK = 192
LEAST_ROWS = 4
_LEAST_COLUMNS = 16


def steady_span(size: int) -> int:
    """The next number of places that may be attended to."""
    if SUM_BLOCK < size < 2 * SUM_BLOCK:
        return 2 * SUM_BLOCK
    return max(size, _LEAST_COLUMNS)


def next_lane(size: int) -> int:
    """Where a gap behind so many places may end."""
    return -(-size // LANES) * LANES


def enough_rows(x: Tensor, least: int = LEAST_ROWS) -> Tensor:
    """Rows (..., N, D) on a CPU, with zeros below them if they are too few for the usual kernels."""
    missing = least - x.shape[-2]
    return F.pad(x, (0, 0, 0, missing)) if missing > 0 and not x.is_cuda else x


def row_products(queries: Tensor, keys: Tensor) -> Tensor:
    """Products (..., Q, S) of rows (..., Q, D) with rows (..., S, D), each the same whatever is beside it."""
    products = enough_rows(queries) @ enough_rows(keys, _LEAST_COLUMNS).transpose(-1, -2)
    return products[..., : queries.shape[-2], : keys.shape[-2]]


def row_sums(weights: Tensor, values: Tensor) -> Tensor:
    """Sums (..., Q, D) of rows (..., S, D) with weights (..., Q, S), zero behind a sentence's end."""
    return (enough_rows(weights) @ values)[..., : weights.shape[-2], :]


def summable(values: Tensor) -> Tensor:
    """Values (..., S, D) for `row_sums`, with zeros behind them on a CPU where they are too few."""
    if values.is_cuda:
        return values
    missing = steady_span(values.shape[-2]) - values.shape[-2]
    return F.pad(values, (0, max(0, _LEAST_COLUMNS - values.shape[-1]), 0, missing))


def pad_places(weights: Tensor, size: int) -> Tensor:
    """Weights (..., S), with zeros up to as many as there are values to be summed."""
    missing = size - weights.shape[-1]
    return F.pad(weights, (0, missing)) if missing else weights


def row_softmax(scores: Tensor) -> Tensor:
    """A softmax over the last dimension, the same however many places of weight zero are at its end."""
    size = scores.shape[-1]
    if size >= _LEAST_COLUMNS or scores.is_cuda:
        return torch.softmax(scores, dim=-1)
    padded = F.pad(scores, (0, _LEAST_COLUMNS - size), value=float("-inf"))
    return torch.softmax(padded, dim=-1)[..., :size]


def mean_of_heads(x: Tensor) -> Tensor:
    """The mean (B, ...) of (B, H, ...), the heads added one after the other."""
    first, *others = x.unbind(dim=1)
    return sum(others, first) / x.shape[1]
