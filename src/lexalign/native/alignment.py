"""Where pairs of a hypothesis and a token come from: `kernels/alignment.cpp`."""

import ctypes

import torch
from torch import Tensor
from torch.nn import functional as F

from lexalign.native.library import kernels

_LANES = 16  # floats of a vector
_MAX_HEAD_SIZE = 192  # a longer sum would be split, see `kernel_shapes`


class _Pairs(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("batch", "rows", "pairs", "heads", "size", "source", "groups")),
        ("temperature", ctypes.c_double),
        *((name, ctypes.c_int64) for name in ("states", "row", "token", "token_queries", "columns", "mask")),
        ("out", ctypes.c_int64),
    )


def key_columns(keys: Tensor) -> Tensor | None:
    """Keys (B, H, S, D/H) as `align_pairs` takes them (B, H, D/H, S), padded; None where it cannot."""
    fits = keys.device.type == "cpu" and keys.dtype == torch.float32 and keys.shape[3] <= _MAX_HEAD_SIZE
    if kernels() is None or not fits:
        return None
    return F.pad(keys.transpose(2, 3), (0, -keys.shape[2] % _LANES)).contiguous()


def align_pairs(
    states: Tensor,
    rows: Tensor,
    token_ids: Tensor,
    token_queries: Tensor | None,
    columns: Tensor,
    mask: Tensor,
    temperature: float,
) -> Tensor:
    """Distributions (B, C, S) of pairs (B, C) of a row of the queries (B, K, D) of states, and a token."""
    library = kernels()
    assert library is not None
    batch, pairs = rows.shape
    out = torch.empty(batch, pairs, mask.shape[1])
    states, rows, token_ids, mask = (x.contiguous() for x in (states, rows, token_ids, mask))
    structure = _Pairs(
        batch=batch,
        rows=states.shape[1],
        pairs=pairs,
        heads=columns.shape[1],
        size=columns.shape[2],
        source=mask.shape[1],
        groups=columns.shape[3] // _LANES,
        temperature=temperature,
        states=states.data_ptr(),
        row=rows.data_ptr(),
        token=token_ids.data_ptr(),
        token_queries=0 if token_queries is None else token_queries.data_ptr(),
        columns=columns.data_ptr(),
        mask=mask.data_ptr(),
        out=out.data_ptr(),
    )
    library.align_pairs(ctypes.byref(structure))
    return out


def sum_spans(found: Tensor, spans: Tensor, count: int) -> Tensor | None:
    """What distributions (B, C, S) have in each of the first `count` spans (B, S', G) of 0 and 1.

    None where there are no kernels; with the bits of `row_sums`.
    """
    library = kernels()
    if library is None or found.device.type != "cpu":
        return None
    found, spans = found.contiguous(), spans.contiguous()
    batch, pairs, source = found.shape
    sums = torch.empty(batch, pairs, count)
    library.sum_spans(
        *(ctypes.c_int64(size) for size in (batch, pairs, source, *spans.shape[1:], count)),
        *(ctypes.c_void_p(tensor.data_ptr()) for tensor in (found, spans, sums)),
    )
    return sums
