"""The structure of `kernels/bank_selection.h`, field by field."""

import ctypes
from collections.abc import Mapping

_SIZES = (
    *("batch", "beam", "rows", "moves", "constraints", "chains", "depth", "num_best", "num_free", "source"),
    *("eos_id", "boundary_id", "scorer", "joint", "thresholded", "by_rank", "average_costs", "expecting"),
)
_NUMBERS = (
    *("length_penalty", "cost_penalty", "threshold", "temperature", "sharpness", "breaking", "advantage"),
    *("refunded", "charge", "free_share", "boundary_cost"),
)
_CONSTRAINTS = (
    *("root", "table", "ends", "begun", "shortest", "everything", "partial", "chain_masks", "value"),
    *(
        "continues_word",
        "limits",
        "total",
        "without_source",
        "boundary_node",
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
    *(
        "tokens",
        "served",
        "continued",
        "unfinished",
        "just_met",
        "is_begun",
        "at_boundary",
        "urgent",
        "finish_priority",
    ),
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


_CANDIDATE_BYTES = 88


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

    @property
    def num_candidates(self) -> int:
        return int(self.num_free + self.rows * self.moves)

    @property
    def select_bytes(self) -> int:
        """What `Selecting` and `Slots` take for a sentence, and a little more."""
        weighed = self.rows * self.constraints
        by_candidate = _CANDIDATE_BYTES + 8 * self.chains + 4 + 4 + 4 + 1
        others = 12 * weighed + 4 * (self.rows + self.by_rank + self.beam + 2)
        return int(self.num_candidates * by_candidate + others + 12 * 16)

    @property
    def commit_bytes(self) -> int:
        """What `Committing` takes, and a little more."""
        return int(4 * self.beam * (2 + self.source) + 3 * 16)
