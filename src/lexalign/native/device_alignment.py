"""Where pairs of a hypothesis and a token come from, on a GPU: `kernels/pair_alignment.h`."""

import ctypes

import torch
from torch import Tensor

from lexalign.native.step_kernels import BlockMemory, StepKernels

_ASK_THREADS, _ATTEND_THREADS = 64, 128
_BLOCK_BYTES = 40 * 1024
_MOST_PAIRS = 16  # of a block
_VECTOR_BYTES = 16


class PairStep(ctypes.Structure):
    """Addresses are integers; 0 is that of what there is not."""

    _fields_ = (
        *((name, ctypes.c_int64) for name in ("batch", "rows", "pairs", "heads", "size", "source")),
        *((name, ctypes.c_int64) for name in ("per_block", "per_row", "is_half")),
        ("temperature", ctypes.c_double),
        *((name, ctypes.c_int64) for name in ("states", "token_queries", "row", "token", "queries")),
        *((name, ctypes.c_int64) for name in ("scores", "mask", "alignments")),
    )


def fits(keys: Tensor, token_queries: Tensor) -> bool:
    """Whether the kernels know keys (B, H, S, D/H) and vectors (V, D) of this kind."""
    known = keys.dtype in (torch.float32, torch.bfloat16) and keys.dtype == token_queries.dtype
    return known and keys.shape[3] * keys.element_size() % _VECTOR_BYTES == 0


def align_on_device(
    kernels: StepKernels,
    states: Tensor,
    rows: Tensor | None,
    token_ids: Tensor,
    token_queries: Tensor,
    keys: Tensor,
    mask: Tensor,
    temperature: float,
) -> Tensor:
    """Distributions (B, C, S) of pairs (B, C) of a row of the queries (B, K, D) of states, and a token.

    Without rows, each has as many of the tokens, one after another.
    """
    batch, heads, source, size = keys.shape
    num_rows, pairs, device = states.shape[1], token_ids.shape[1], states.device
    per_block = max(1, min(_MOST_PAIRS, pairs, _BLOCK_BYTES // (4 * heads * (source + 2))))
    queries = states.new_empty(batch, heads, pairs, size)
    alignments = torch.empty(batch, pairs, source, device=device)
    states, token_ids, mask = states.contiguous(), token_ids.contiguous(), mask.contiguous()
    rows = None if rows is None else rows.contiguous()
    step = PairStep(
        batch=batch,
        rows=num_rows,
        pairs=pairs,
        heads=heads,
        size=size,
        source=source,
        per_block=per_block,
        per_row=pairs // num_rows,
        is_half=keys.dtype == torch.bfloat16,
        temperature=temperature,
        states=states.data_ptr(),
        token_queries=token_queries.data_ptr(),
        row=0 if rows is None else rows.data_ptr(),
        token=token_ids.data_ptr(),
        queries=queries.data_ptr(),
        mask=mask.data_ptr(),
        alignments=alignments.data_ptr(),
    )
    kernels.run("ask_pairs", step, parts=batch * pairs, threads=_ASK_THREADS, memory=None)
    scores = queries @ keys.transpose(2, 3)  # (B, H, C, S)
    step.scores = scores.data_ptr()
    parts = batch * -(-pairs // per_block)
    memory = BlockMemory(4 * per_block * heads * (source + 2) + 2 * 16, parts, device)
    kernels.run("attend_to_source", step, parts=parts, threads=_ATTEND_THREADS, memory=memory)
    return alignments
