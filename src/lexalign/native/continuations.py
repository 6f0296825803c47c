"""The continuations that a search by banks considers: `kernels/continuations.cpp`."""

import ctypes
from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.native.library import kernels

_LEAST_COLUMNS = 16  # fewer are summed in another order, see `kernel_shapes`


class _Structure(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_int64)
        for name in (
            *("batch", "rows", "size", "moves", "num_best", "num_top", "num_free", "eos_id"),
            *("logits", "hypotheses", "rank_bias", "hypothesis_stride", "bias_stride"),
            *("unfinished", "just_met", "continues_word", "needs", "tokens"),
            *(
                "end_scores",
                "best_tokens",
                "best_scores",
                "free_scores",
                "free_rows",
                "free_tokens",
                "serving",
            ),
        )
    )


@dataclass(frozen=True, kw_only=True)
class Continuations:
    """What can follow the hypotheses (B, K) of a beam."""

    end_scores: Tensor  # (B, K)
    best_tokens: Tensor  # (B, K, N)
    best_scores: Tensor  # (B, K, N)
    free_scores: Tensor  # (B, F)
    free_rows: Tensor
    free_tokens: Tensor
    serving: Tensor  # (B, K, C)


def list_continuations(
    logits: Tensor,
    hypotheses: Tensor,
    rank_bias: Tensor | None,
    *,
    tokens: Tensor,
    unfinished: Tensor,
    just_met: Tensor,
    continues_word: Tensor | None,
    needs: Tensor,
    num_best: int,
    num_top: int,
    eos_id: int,
) -> Continuations | None:
    """What `BankSelector` lists, of logits (B, K, V); None where there are no kernels, or they do not fit.

    Tokens (B, K, C) serve constraints. Hypotheses (B, K) that are `unfinished` may not end; of those that
    have `just_met` a constraint, tokens that continue a word are listed apart, unless they serve one.
    """
    library = kernels()
    batch, rows, size = logits.shape
    if library is None or logits.dtype != torch.float32 or size < max(_LEAST_COLUMNS, num_best):
        return None
    logits = logits.contiguous()
    num_free = num_top + (rows if continues_word is None else 2 * rows)
    found = Continuations(
        end_scores=torch.empty(batch, rows),
        best_tokens=torch.empty(batch, rows, num_best, dtype=torch.int64),
        best_scores=torch.empty(batch, rows, num_best),
        free_scores=torch.empty(batch, num_free),
        free_rows=torch.empty(batch, num_free, dtype=torch.int64),
        free_tokens=torch.empty(batch, num_free, dtype=torch.int64),
        serving=torch.empty(tokens.shape),
    )
    structure = _Structure(
        batch=batch,
        rows=rows,
        size=size,
        moves=tokens.shape[2],
        num_best=num_best,
        num_top=num_top,
        num_free=num_free,
        eos_id=eos_id,
        logits=logits.data_ptr(),
        hypotheses=hypotheses.data_ptr(),
        rank_bias=0 if rank_bias is None else rank_bias.data_ptr(),
        hypothesis_stride=hypotheses.stride(0),
        bias_stride=0 if rank_bias is None else rank_bias.stride(0),
        unfinished=unfinished.data_ptr(),
        just_met=just_met.data_ptr(),
        continues_word=0 if continues_word is None else continues_word.data_ptr(),
        needs=needs.data_ptr(),
        tokens=tokens.data_ptr(),
        **{name: value.data_ptr() for name, value in vars(found).items()},
    )
    library.list_continuations(ctypes.byref(structure))
    return found
