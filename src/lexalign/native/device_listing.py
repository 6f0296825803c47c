"""The continuations that a search considers, on a GPU: `kernels/listing.h`."""

import ctypes
from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.native.continuations import Continuations
from lexalign.native.step_kernels import BlockMemory, StepKernels

_THREADS, _MERGE_THREADS = 128, 128
_CAPACITY = 1024  # of what a block puts aside before it ranks it


class ListingStep(ctypes.Structure):
    """Addresses are integers; 0 is that of what there is not."""

    _fields_ = tuple(
        (name, ctypes.c_int64)
        for name in (
            *("batch", "rows", "size", "moves", "num_best", "num_top", "num_kept", "num_free", "capacity"),
            *("eos_id", "hypothesis_stride", "bias_stride", "bonus_stride", "log_probabilities"),
            *("hypotheses", "rank_bias", "rank_bonus", "unfinished", "just_met", "continues_word", "needs"),
            *("tokens", "kept_values", "kept_columns", "word_values", "word_columns", "end_scores"),
            *("best_tokens", "best_scores", "free_scores", "free_rows", "free_tokens", "serving"),
            *("beam", "going_scores", "going_rows", "going_tokens", "ends"),
        )
    )


def list_on_device(
    kernels: StepKernels,
    log_probabilities: Tensor,
    hypotheses: Tensor,
    rank_bias: Tensor | None,
    rank_bonus: Tensor | None,
    *,
    tokens: Tensor,
    unfinished: Tensor | None,
    just_met: Tensor | None,
    continues_word: Tensor | None,
    needs: Tensor,
    num_best: int,
    num_top: int,
    eos_id: int,
) -> Continuations:
    """As `ContinuationList`, of log-probabilities (B, K, V); the bias of ranks is in two parts."""
    batch, rows, _ = log_probabilities.shape
    device = log_probabilities.device
    num_free = num_top + (rows if continues_word is None else 2 * rows)
    found = Continuations(
        end_scores=torch.empty(batch, rows, device=device),
        best_tokens=torch.empty(batch, rows, num_best, dtype=torch.int64, device=device),
        best_scores=torch.empty(batch, rows, num_best, device=device),
        free_scores=torch.empty(batch, num_free, device=device),
        free_rows=torch.empty(batch, num_free, dtype=torch.int64, device=device),
        free_tokens=torch.empty(batch, num_free, dtype=torch.int64, device=device),
        serving=torch.empty(tokens.shape, device=device),
    )
    step = ListingStep(
        moves=tokens.shape[2],
        num_best=num_best,
        num_top=num_top,
        num_free=num_free,
        eos_id=eos_id,
        bias_stride=0 if rank_bias is None else rank_bias.stride(0),
        bonus_stride=0 if rank_bonus is None else rank_bonus.stride(0),
        rank_bias=_address(rank_bias),
        rank_bonus=_address(rank_bonus),
        unfinished=_address(unfinished),
        just_met=_address(just_met),
        continues_word=_address(continues_word),
        needs=needs.data_ptr(),
        tokens=tokens.data_ptr(),
        **{name: value.data_ptr() for name, value in vars(found).items() if value is not None},
    )
    _scan_and_merge(kernels, step, "merge_scans", log_probabilities, hypotheses)
    return found


@dataclass(frozen=True, kw_only=True)
class PlainSelection:
    """Who goes on (B, K), the best continuations (B, C), which of the first K of them end, and all ends."""

    going_scores: Tensor
    going_rows: Tensor
    going_tokens: Tensor
    free_scores: Tensor
    free_rows: Tensor
    free_tokens: Tensor
    ends: Tensor
    end_scores: Tensor  # (B, K)


def select_on_device(
    kernels: StepKernels,
    log_probabilities: Tensor,
    hypotheses: Tensor,
    *,
    beam: int,
    num_top: int,
    eos_id: int,
) -> PlainSelection:
    """Plain beam search: of the best continuations, the K best that do not end go on."""
    batch, rows, _ = log_probabilities.shape
    device = log_probabilities.device
    going_rows, going_tokens = torch.empty(2, batch, beam, dtype=torch.int64, device=device).unbind()
    free_rows, free_tokens = torch.empty(2, batch, num_top, dtype=torch.int64, device=device).unbind()
    found = PlainSelection(
        going_scores=torch.empty(batch, beam, device=device),
        going_rows=going_rows,
        going_tokens=going_tokens,
        free_scores=torch.empty(batch, num_top, device=device),
        free_rows=free_rows,
        free_tokens=free_tokens,
        ends=torch.empty(batch, beam, dtype=torch.bool, device=device),
        end_scores=torch.empty(batch, rows, device=device),
    )
    addresses = {name: value.data_ptr() for name, value in vars(found).items()}
    step = ListingStep(num_top=num_top, num_free=num_top, beam=beam, eos_id=eos_id, **addresses)
    _scan_and_merge(kernels, step, "select_plainly", log_probabilities, hypotheses)
    return found


def _scan_and_merge(
    kernels: StepKernels, step: ListingStep, merge: str, log_probabilities: Tensor, hypotheses: Tensor
) -> None:
    batch, rows, size = log_probabilities.shape
    device, num_kept = log_probabilities.device, max(step.num_best, step.num_top)
    values = torch.empty(batch * rows, num_kept + 1, device=device)
    columns = torch.empty(batch * rows, num_kept + 1, dtype=torch.int64, device=device)
    log_probabilities, words_at = log_probabilities.contiguous(), batch * rows * num_kept
    step.batch, step.rows, step.size, step.num_kept, step.capacity = batch, rows, size, num_kept, _CAPACITY
    step.hypotheses, step.hypothesis_stride = hypotheses.data_ptr(), hypotheses.stride(0)
    step.log_probabilities = log_probabilities.data_ptr()
    step.kept_values, step.kept_columns = values.data_ptr(), columns.data_ptr()
    step.word_values = values.data_ptr() + words_at * values.element_size()
    step.word_columns = columns.data_ptr() + words_at * columns.element_size()
    memory = BlockMemory(_scan_bytes(num_kept), batch * rows, device)
    kernels.run("scan_rows", step, parts=batch * rows, threads=_THREADS, memory=memory)
    memory = BlockMemory(4 * rows * step.num_top + 16, batch, device)
    kernels.run(merge, step, parts=batch, threads=_MERGE_THREADS, memory=memory)


def _scan_bytes(num_kept: int) -> int:
    """What `RowScan` takes, and a little more."""
    return 8 * (2 * _THREADS + _CAPACITY) + 4 * num_kept + 5 * 16


def _address(tensor: Tensor | None) -> int:
    return 0 if tensor is None else tensor.data_ptr()
