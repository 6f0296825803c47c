"""What a step of the loop does whatever its policy, in native code: what ends is finished, what goes on is
written down, and it is seen which sentences are over. The results are those of `search.py`, to the bit."""

import ctypes
from functools import cache

import numpy as np
import torch
from torch import Tensor

from lexalign.decoding.beam import Array, Beam, Finished
from lexalign.decoding.candidates import Candidates
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.stopping import StoppingBound
from lexalign.native.beam_step import BeamStep
from lexalign.native.library import kernels


class BeamKernels:
    """Works on the tensors of a search, on a CPU."""

    def __init__(self, library: ctypes.CDLL, beam: Beam, finished: Finished, options: SearchOptions) -> None:
        self._library, self._beam, self._finished, self._options = library, beam, finished, options
        self._step = BeamStep(stops_when_over=not options.exact, plain_lengths=options.length_penalty == 1.0)
        self._pointer = ctypes.byref(self._step)
        self._bound: Tensor | None = None  # by its identity it is known whether sentences have left

    @classmethod
    def start(
        cls, beam: Beam, finished: Finished, options: SearchOptions, *, static: bool
    ) -> "BeamKernels | None":
        """None where torch's operations have to do it."""
        library = kernels()
        if static or library is None or beam.scores.device.type != "cpu":
            return None
        return cls(library, beam, finished, options)

    def finish(self, ended: Candidates, ends: Tensor, over: Tensor, clock: int) -> bool:
        """Finish those of the candidates (B, C) that end; whether there are any."""
        step, options = self._step, self._options
        self._bind(over)
        rows, bias = ended.beam_index, ended.bias
        step.norm = _norm(clock + 1, options.length_penalty)
        step.num_ended = ends.shape[1]
        step.ended_scores, step.score_stride = ended.scores.data_ptr(), ended.scores.stride(0)
        step.ended_rows, step.row_stride = rows.data_ptr(), rows.stride(0)
        step.ends, step.end_stride = ends.data_ptr(), ends.stride(0)
        step.ended_bias = 0
        if bias is not None:
            step.ended_bias, step.bias_stride = bias.data_ptr(), bias.stride(0)
        return bool(self._library.finish_ended(self._pointer))

    def advance(self, going: Candidates, over: Tensor) -> None:
        """Continue with these (B, K)."""
        self._bind(over)
        scores, rows = going.scores.contiguous(), going.beam_index.contiguous()
        tokens, step = going.token_ids.contiguous(), self._step
        step.going_scores, step.going_rows = scores.data_ptr(), rows.data_ptr()
        step.going_tokens = tokens.data_ptr()
        self._library.advance_beam(self._pointer)

    def see_what_is_over(self, bound: StoppingBound, over: Tensor, clock: int) -> int | None:
        """How many sentences are, or None where the bound is of another kind."""
        penalty, settled = self._options.length_penalty, bound.num_settled
        if bound.rising is not None or bound.over_zero or (settled is not None and penalty != 1.0):
            return None
        step = self._step
        self._bind(over)
        step.next_norm = _norm(clock + 1, penalty)
        step.bound_bias = 0 if bound.bias is None else bound.bias.data_ptr()
        step.bound_constant = 0 if bound.constant is None else bound.constant.data_ptr()
        step.num_settled = 0 if settled is None else settled.data_ptr()
        return int(self._library.see_what_is_over(self._pointer))

    def walk_back(self, sentences: Tensor, lengths: Array, rows: Array) -> tuple[Array, Array]:
        """As `Beam.walk_back`."""
        steps = max(int(lengths.max()), 1)
        tokens = np.empty((steps, *lengths.shape), dtype=np.int64)
        scores = np.empty((steps, *lengths.shape), dtype=np.float32)
        lengths, rows, sentences = (
            np.ascontiguousarray(lengths),
            np.ascontiguousarray(rows),
            sentences.contiguous(),
        )
        self._library.walk_back(
            self._pointer,
            ctypes.c_void_p(sentences.data_ptr()),
            ctypes.c_int64(len(sentences)),
            *(ctypes.c_void_p(array.ctypes.data) for array in (lengths, rows)),
            ctypes.c_int64(steps),
            *(ctypes.c_void_p(array.ctypes.data) for array in (tokens, scores)),
        )
        return tokens, scores

    def _bind(self, over: Tensor) -> None:
        if over is self._bound:
            return
        step, beam, finished, self._bound = self._step, self._beam, self._finished, over
        (step.batch, step.beam), step.num_best = beam.scores.shape, finished.scores.shape[1]
        for name in ("token_ids", "scores", "clock", "past_scores", "past_rows", "past_tokens"):
            setattr(step, name, getattr(beam, name).data_ptr())
        step.final_scores, step.log_probabilities = (
            finished.scores.data_ptr(),
            finished.log_probabilities.data_ptr(),
        )
        step.lengths, step.last_rows = finished.lengths.data_ptr(), finished.rows.data_ptr()
        step.over = over.data_ptr()


@cache
def _norm(length: int, penalty: float) -> float:
    """What a score of this length is divided by, with the bits of the operation on tensors."""
    return float(torch.tensor([length]).float() ** penalty)


def forbid_columns(values: Tensor, columns: Tensor) -> bool:
    """Let no column win of values (..., V), if there is a kernel for it."""
    library = kernels()
    if library is None or values.is_cuda or values.dtype != torch.float32 or not values.is_contiguous():
        return False
    size = values.shape[-1]
    library.forbid_columns(
        ctypes.c_void_p(values.data_ptr()),
        ctypes.c_int64(values.numel() // size),
        ctypes.c_int64(size),
        ctypes.c_void_p(columns.data_ptr()),
        ctypes.c_int64(len(columns)),
    )
    return True
