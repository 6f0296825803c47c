"""The structures of `kernels/beam.cpp`, field by field; addresses are integers."""

import ctypes


class PlainStep(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_int64)
        for name in (
            *("batch", "rows", "size", "beam", "num_top", "eos_id"),
            *("logits", "hypotheses", "hypothesis_stride"),
            *("going_scores", "going_rows", "going_tokens"),
            *("ended_scores", "ended_rows", "ended_tokens", "ends"),
        )
    )


class BeamStep(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("batch", "beam", "num_ended", "num_best")),
        *((name, ctypes.c_int64) for name in ("going_scores", "going_rows", "going_tokens")),
        *((name, ctypes.c_int64) for name in ("ended_scores", "ended_bias", "ended_rows", "ends")),
        *((name, ctypes.c_int64) for name in ("score_stride", "bias_stride", "row_stride", "end_stride")),
        *((name, ctypes.c_int64) for name in ("token_ids", "scores", "clock")),
        *((name, ctypes.c_int64) for name in ("past_scores", "past_rows", "past_tokens")),
        *((name, ctypes.c_int64) for name in ("final_scores", "log_probabilities", "lengths", "last_rows")),
        *((name, ctypes.c_int64) for name in ("over", "stops_when_over")),
        *((name, ctypes.c_int64) for name in ("bound_bias", "bound_constant", "num_settled")),
        ("plain_lengths", ctypes.c_int64),
        *((name, ctypes.c_double) for name in ("norm", "next_norm")),
    )
