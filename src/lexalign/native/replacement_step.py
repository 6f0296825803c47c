"""The structure of `kernels/replacement.cpp`, field by field, and the functions that work on it."""

import ctypes
from collections.abc import Mapping

from lexalign.native.library import kernels


class ReplacementStep(ctypes.Structure):
    """Addresses are integers."""

    _fields_ = tuple(
        (name, ctypes.c_int64)
        for name in (
            *("batch", "beam", "rows", "num_top", "num_forms", "longest", "source", "eos_id"),
            *("tokens", "lengths", "constraint", "of_form", "asks"),
            *("form", "position", "used", "bias", "next_tokens"),
            *("best_tokens", "best_scores", "top_scores", "top_rows", "top_tokens", "top_stride", "serving"),
            *("hypotheses", "hypothesis_stride", "alignments"),
            *("going_scores", "going_bias", "going_rows", "going_tokens"),
            *("ended_scores", "ended_bias", "ended_rows", "ended_tokens", "ends"),
            *("new_form", "new_position", "new_used"),
        )
    )

    def set(self, values: Mapping[str, int]) -> None:
        for name, value in values.items():
            setattr(self, name, value)


def replacement_functions() -> ctypes.CDLL | None:
    """The library with `prepare_`, `select_by_` and `commit_replacement`, or None where there is none."""
    library = kernels()
    if library is not None and library.size_of_replacement_step() != ctypes.sizeof(ReplacementStep):
        raise RuntimeError("the structure of replacement.cpp is not that of replacement_step.py")
    return library
