"""The structure of `kernels/replacement.h`, field by field."""

import ctypes
from collections.abc import Mapping

_PROPOSAL_BYTES = 64


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

    @property
    def select_bytes(self) -> int:
        """What `Replacing` takes for a sentence, and a little more."""
        return int(2 * self.beam * (_PROPOSAL_BYTES + 4) + 2 * 16)
