"""The structure of `kernels/bank_selection.h`, field by field, and the functions that work on it."""

import ctypes
from collections.abc import Mapping

from lexalign.native.library import kernels

_SIZES = (
    *("batch", "beam", "rows", "moves", "constraints", "chains", "depth", "num_best", "num_free", "source"),
    *("eos_id", "scorer", "joint", "thresholded", "by_rank", "average_costs", "expecting"),
)
_NUMBERS = (
    *("length_penalty", "cost_penalty", "threshold", "temperature", "sharpness", "breaking", "advantage"),
    *("refunded", "charge", "free_share"),
)
_CONSTRAINTS = (
    *("root", "table", "ends", "begun", "shortest", "everything", "partial", "chain_masks", "value"),
    *(
        "continues_word",
        "limits",
        "total",
        "without_source",
        "anywhere",
        "source_norm",
        "most_bonus",
        "share",
    ),
)
_STATE = (
    *("packed", "num_tokens", "scorer_bias", "bias", "rank_bonus", "costs", "num_costly", "bound_bias"),
    *("bound_constant", "least", "cheapest", "end", "end_length", "mass"),
)
_PREPARED = (
    *("tokens", "served", "continued", "unfinished", "just_met", "is_begun", "urgent", "finish_priority"),
    *("num_needed", "num_met"),
)
_MODEL = (
    *("clock", "hypotheses", "hypothesis_stride", "end_scores", "free_scores", "free_rows", "free_tokens"),
    *("serving", "best_tokens", "best_scores", "shares", "sums", "sum_stride", "pair_stride", "alignments"),
)
_CHOSEN = (
    *("going_scores", "going_rows", "going_tokens", "index", "may_end", "end_bias", "new_packed"),
    *("new_num_tokens", "new_scorer_bias", "new_costs", "new_nearer"),
)


class BankStep(ctypes.Structure):
    """Addresses are integers; 0 is that of what there is not."""

    _fields_ = (
        *((name, ctypes.c_int64) for name in _SIZES),
        *((name, ctypes.c_double) for name in _NUMBERS),
        *((name, ctypes.c_int64) for name in (*_CONSTRAINTS, *_STATE, *_PREPARED, *_MODEL, *_CHOSEN)),
    )

    def set(self, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            setattr(self, name, value)


def bank_functions() -> ctypes.CDLL | None:
    """The library with `prepare_banks`, `select_by_banks` and `commit_banks`, or None where there is none."""
    library = kernels()
    if library is not None and library.size_of_bank_step() != ctypes.sizeof(BankStep):
        raise RuntimeError("the structure of bank_selection.h is not that of bank_step.py")
    return library
