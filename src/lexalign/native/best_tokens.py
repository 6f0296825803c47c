"""The best continuations of hypotheses, without an operation for each part of the search."""

import ctypes

import torch
from torch import Tensor

from lexalign.native.library import kernels

_LEAST_COLUMNS = 16  # fewer are summed in another order, see `kernel_shapes`


def best_tokens(
    values: Tensor, ranks: Tensor, scores: Tensor, count: int, *, normalised: bool
) -> tuple[Tensor, Tensor, Tensor] | None:
    """The best `count` of all columns of the rows of each sentence (B, K, V), or None without kernels.

    They are ranked by value + rank (B, K) of the row. Returns value + score (B, K), the row and the column,
    all (B, count), best first. Values are log-probabilities, or logits that are not yet normalised.
    """
    library = kernels()
    batch, rows, size = values.shape
    if library is None or not fits(values, count):
        return None
    values, ranks, scores = values.contiguous(), ranks.contiguous(), scores.contiguous()
    best = torch.empty(batch, count)
    found_rows, columns = torch.empty(2, batch, count, dtype=torch.int64).unbind()
    library.best_tokens(
        ctypes.c_void_p(values.data_ptr()),
        *(ctypes.c_int64(number) for number in (batch, rows, size)),
        ctypes.c_bool(normalised),
        ctypes.c_void_p(ranks.data_ptr()),
        ctypes.c_void_p(scores.data_ptr()),
        ctypes.c_int64(count),
        ctypes.c_void_p(best.data_ptr()),
        ctypes.c_void_p(found_rows.data_ptr()),
        ctypes.c_void_p(columns.data_ptr()),
    )
    return best, found_rows, columns


def fits(values: Tensor, count: int) -> bool:
    """Whether kernels can take the best `count` columns of values (..., V)."""
    size = values.shape[-1]
    return not values.is_cuda and values.dtype == torch.float32 and _LEAST_COLUMNS <= size >= count
