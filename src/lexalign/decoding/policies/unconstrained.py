"""Plain beam search: the best continuations, whatever they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.contracts.sentence_tensors import SentenceTensors
from lexalign.decoding.candidates import Candidates, list_ends
from lexalign.decoding.constraints.sentence_constraints import Matching, SentenceConstraints
from lexalign.decoding.policy import SearchBatch, Selection, Step
from lexalign.decoding.stopping import StoppingBound
from lexalign.native.beam_step import PlainStep
from lexalign.native.best_tokens import fits
from lexalign.native.device_listing import select_on_device
from lexalign.native.step_kernels import StepKernels, step_kernels


@dataclass(frozen=True, kw_only=True)
class Unconstrained:
    """With a `matching`, hypotheses tell which of a sentence's constraints they happen to meet."""

    matching: Matching | None = None
    attention_layer: ClassVar[int | None] = None
    recordable: ClassVar[bool] = True
    guarantees_constraints: ClassVar[bool] = False

    def begin(self, batch: SearchBatch) -> "PlainSelector":
        if any(batch.constraints):
            if self.matching is None:
                raise LexalignError("plain beam search knows no constraints; choose a policy that does")
            return PlainSelector(batch, batch.sort_constraints(self.matching))
        return PlainSelector(batch)


@dataclass
class NoState(SentenceTensors):
    """Plain search needs to know nothing of its hypotheses."""


class PlainSelector:
    """Of the 2K best continuations, ends among the first K count, and the K best others go on."""

    stopping_bound = StoppingBound()
    may_stall = False

    def __init__(self, batch: SearchBatch, constraints: Sequence[SentenceConstraints] = ()) -> None:
        self.state, self.constraints = NoState(), constraints
        self._beam, self._num_top, self._eos_id = batch.beam, batch.num_top, batch.vocabulary.eos_id

        self._kernels = step_kernels(batch.source_ids.device)
        self._step = PlainStep(beam=batch.beam, num_top=batch.num_top, eos_id=self._eos_id)
        self._room: tuple[Candidates, Candidates, Tensor] | None = None  # overwritten at every step

    def prepare(self, rows: int, clock: Tensor) -> None: ...

    def select(self, step: Step, prepared: None) -> Selection[Tensor | None]:  # noqa: ARG002
        if self._kernels is not None and step.scores.logits is not None:
            if self._kernels.on_device:
                return self._select_on_device(self._kernels, step)
            if fits(step.scores.logits, self._num_top):
                return self._select_natively(self._kernels, step)
        found, beam = step.scores.top(self._num_top), self._beam
        ends = found.token_ids == self._eos_id
        scores, index = found.scores.masked_fill(ends, float("-inf")).topk(beam, dim=1)
        going = Candidates(
            scores=scores,
            beam_index=found.beam_index.gather(1, index),
            token_ids=found.token_ids.gather(1, index),
        )
        ended = Candidates(
            scores=found.scores[:, :beam],
            beam_index=found.beam_index[:, :beam],
            token_ids=found.token_ids[:, :beam],
        )
        return Selection(going=going, ended=ended, ends=ends[:, :beam], update=None)

    def force_finish(
        self,
        step: Step,
        prepared: None,  # noqa: ARG002
        selection: Selection[Tensor | None],
        any_finished: Tensor,  # noqa: ARG002
    ) -> Candidates:
        ends = selection.update
        return list_ends(step.scores.of(self._eos_id) if ends is None else ends, self._eos_id)

    def commit(self, selection: Selection[Tensor | None]) -> None: ...

    def _select_natively(self, kernels: StepKernels, step: Step) -> Selection[Tensor | None]:
        """The same by one kernel."""
        logits, hypotheses, plain = step.scores.logits, step.scores.hypotheses, self._step
        assert logits is not None
        logits = logits.contiguous()
        plain.batch, plain.rows, plain.size = logits.shape
        going, ended, ends = self._make_room(len(logits))
        plain.logits, plain.hypotheses = logits.data_ptr(), hypotheses.data_ptr()
        plain.hypothesis_stride = hypotheses.stride(0)
        kernels.run("select_plain", plain, parts=len(logits), threads=1, memory=None)
        return Selection(going=going, ended=ended, ends=ends, update=None)

    def _make_room(self, batch: int) -> tuple[Candidates, Candidates, Tensor]:
        if self._room is None or len(self._room[2]) != batch:
            going, ended = (
                Candidates(
                    scores=torch.empty(batch, self._beam),
                    beam_index=torch.empty(batch, self._beam, dtype=torch.int64),
                    token_ids=torch.empty(batch, self._beam, dtype=torch.int64),
                )
                for _ in range(2)
            )
            ends, plain = torch.empty(batch, self._beam, dtype=torch.bool), self._step
            self._room, plain.ends = (going, ended, ends), ends.data_ptr()
            plain.going_scores, plain.ended_scores = going.scores.data_ptr(), ended.scores.data_ptr()
            plain.going_rows, plain.ended_rows = going.beam_index.data_ptr(), ended.beam_index.data_ptr()
            plain.going_tokens, plain.ended_tokens = going.token_ids.data_ptr(), ended.token_ids.data_ptr()
        return self._room

    def _select_on_device(self, kernels: StepKernels, step: Step) -> Selection[Tensor | None]:
        """The same by two kernels, which know the scores of ends (B, K) too."""
        scores, beam = step.scores, self._beam
        found = select_on_device(
            kernels,
            scores.log_probabilities,
            scores.hypotheses,
            beam=beam,
            num_top=self._num_top,
            eos_id=self._eos_id,
        )
        going = Candidates(
            scores=found.going_scores, beam_index=found.going_rows, token_ids=found.going_tokens
        )
        ended = Candidates(
            scores=found.free_scores[:, :beam],
            beam_index=found.free_rows[:, :beam],
            token_ids=found.free_tokens[:, :beam],
        )
        return Selection(going=going, ended=ended, ends=found.ends, update=found.end_scores)
