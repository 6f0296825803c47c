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
            *("logits", "hypotheses", "rank_bias", "rank_bonus", "hypothesis_stride"),
            *("bias_stride", "bonus_stride"),
            *("unfinished", "just_met", "continues_word", "needs", "tokens"),
            *("end_scores", "best_tokens", "best_scores", "shares"),
            *("free_scores", "free_rows", "free_tokens", "pair_rows", "pair_tokens", "serving"),
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
    shares: Tensor | None = None  # (B, K, N), the probabilities of the best tokens among each other
    # The hypotheses and tokens (B, K * N + F) of the best of each, and of all that are free.
    pair_rows: Tensor | None = None
    pair_tokens: Tensor | None = None


class ContinuationList:
    """What `BankSelector` lists for a batch; what it gives out is overwritten at the next step.

    Tokens (B, K, C) serve constraints. Hypotheses (B, K) that are `unfinished` may not end; of those that
    have `just_met` a constraint, tokens that continue a word are listed apart, unless they serve one.
    """

    def __init__(
        self,
        *,
        tokens: Tensor,
        unfinished: Tensor,
        just_met: Tensor,
        continues_word: Tensor | None,
        needs: Tensor,
        num_best: int,
        num_top: int,
        eos_id: int,
    ) -> None:
        batch, rows, moves = tokens.shape
        num_free = num_top + (rows if continues_word is None else 2 * rows)
        num_pairs = rows * num_best + num_free
        self._found = Continuations(
            end_scores=torch.empty(batch, rows),
            best_tokens=torch.empty(batch, rows, num_best, dtype=torch.int64),
            best_scores=torch.empty(batch, rows, num_best),
            shares=torch.empty(batch, rows, num_best),
            free_scores=torch.empty(batch, num_free),
            free_rows=torch.empty(batch, num_free, dtype=torch.int64),
            free_tokens=torch.empty(batch, num_free, dtype=torch.int64),
            pair_rows=torch.empty(batch, num_pairs, dtype=torch.int64),
            pair_tokens=torch.empty(batch, num_pairs, dtype=torch.int64),
            serving=torch.empty(tokens.shape),
        )
        self._asked = (
            tokens,
            unfinished,
            just_met,
            continues_word,
            needs,
        )  # the structure has only addresses
        self._least_columns = max(_LEAST_COLUMNS, num_best)
        self._structure = _Structure(
            batch=batch,
            rows=rows,
            moves=moves,
            num_best=num_best,
            num_top=num_top,
            num_free=num_free,
            eos_id=eos_id,
            tokens=tokens.data_ptr(),
            unfinished=unfinished.data_ptr(),
            just_met=just_met.data_ptr(),
            continues_word=0 if continues_word is None else continues_word.data_ptr(),
            needs=needs.data_ptr(),
            **{name: value.data_ptr() for name, value in vars(self._found).items()},
        )

    def list(
        self,
        logits: Tensor,
        hypotheses: Tensor,
        rank_bias: Tensor | None = None,
        rank_bonus: Tensor | None = None,
    ) -> Continuations | None:
        """Of logits (B, K, V); None where there are no kernels, or they do not fit.

        Hypotheses (B, K) are ranked by their scores, a bias and a bonus.
        """
        library, step = kernels(), self._structure
        if library is None or logits.dtype != torch.float32 or logits.shape[2] < self._least_columns:
            return None
        logits = logits.contiguous()
        step.size, step.logits = logits.shape[2], logits.data_ptr()
        step.hypotheses, step.hypothesis_stride = hypotheses.data_ptr(), hypotheses.stride(0)
        step.rank_bias = step.rank_bonus = 0
        if rank_bias is not None:
            step.rank_bias, step.bias_stride = rank_bias.data_ptr(), rank_bias.stride(0)
        if rank_bonus is not None:
            step.rank_bonus, step.bonus_stride = rank_bonus.data_ptr(), rank_bonus.stride(0)
        library.list_continuations(ctypes.byref(step))
        return self._found
