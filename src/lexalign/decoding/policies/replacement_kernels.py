"""A step of token replacement in native code, with the results of `token_replacement.py` to the bit.

It is for aligners that know at once where a token comes from, and for constraints that avoid nothing.
"""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from lexalign.contracts.alignment import OnlineAligner
from lexalign.decoding.candidates import Candidates, list_ends
from lexalign.decoding.policies.source_alignment import AlignedSource
from lexalign.decoding.policy import SearchBatch, Selection, Step
from lexalign.native.continuations import ContinuationList, Continuations
from lexalign.native.device_listing import list_on_device
from lexalign.native.replacement_step import ReplacementStep
from lexalign.native.step_kernels import BlockMemory, StepKernels, step_kernels

if TYPE_CHECKING:
    from lexalign.decoding.policies.token_replacement import ReplacementState


_THREADS = 64


class ReplacementKernels:
    """Works on the tensors of a `ReplacementState`."""

    def __init__(self, kernels: StepKernels, batch: SearchBatch, state: "ReplacementState") -> None:
        self._kernels, self._state, self._device = kernels, state, batch.source_ids.device
        self._beam, self._num_top, self._eos_id = batch.beam, batch.num_top, batch.vocabulary.eos_id
        self._step = ReplacementStep(beam=batch.beam, num_top=batch.num_top, eos_id=self._eos_id)
        self._bound: Tensor | None = None  # by its identity it is known whether the batch is another
        self._rows = 0
        self._listing: ContinuationList | None = None

    @classmethod
    def start(cls, batch: SearchBatch, state: "ReplacementState") -> "ReplacementKernels | None":
        """None where there is no native code, or where it does not do all that is asked for."""
        online = isinstance(state.source, AlignedSource)
        if state.avoid is not None or not online:
            return None
        kernels = step_kernels(batch.source_ids.device)
        return None if kernels is None else cls(kernels, batch, state)

    def select(self, step: Step) -> Selection[Candidates] | None:
        """None where the step has to be done otherwise."""
        found = self._list(step)
        if found is None:
            return None
        hypotheses, source = step.scores.hypotheses, self._state.source
        assert isinstance(source, AlignedSource)
        aligner: OnlineAligner = source.aligner
        alignments = aligner.align_candidates(source.memory, step.output, found.best_tokens)
        alignments = alignments.float().contiguous()
        going, ended = self._make_room(len(hypotheses)), self._make_room(len(hypotheses))
        ends = torch.empty(len(hypotheses), self._beam, dtype=torch.bool, device=self._device)
        tensors = {
            "best_tokens": found.best_tokens,
            "best_scores": found.best_scores,
            "top_scores": found.free_scores,
            "top_rows": found.free_rows,
            "top_tokens": found.free_tokens,
            "serving": found.serving,
            "hypotheses": hypotheses,
            "alignments": alignments,
            "ends": ends,
            **_named("going", going),
            **_named("ended", ended),
        }
        self._step.set({name: tensor.data_ptr() for name, tensor in tensors.items()})
        strides = {
            "top_stride": found.free_scores.shape[1],
            "hypothesis_stride": hypotheses.stride(0),
            "source": alignments.shape[-1],
        }
        self._step.set(strides)
        bias = self._state.bias[:, : step.scores.rows].clone()
        last = list_ends(found.end_scores, self._eos_id, bias)
        self._run("select_by_replacement", self._memory)
        self._held = tensors
        return Selection(going=going, ended=ended, ends=ends, update=last)

    def commit(self) -> None:
        self._run("commit_replacement")

    def _run(self, name: str, memory: BlockMemory | None = None) -> None:
        self._kernels.run(name, self._step, parts=len(self._state.bias), threads=_THREADS, memory=memory)

    def _list(self, step: Step) -> Continuations | None:
        scores = step.scores
        if scores.logits is None:
            return None
        if self._state.bias is not self._bound or scores.rows != self._rows:
            self._bind(scores.rows)
        self._run("prepare_replacement")
        if self._kernels.on_device:
            return list_on_device(
                self._kernels,
                scores.log_probabilities,
                scores.hypotheses,
                None,
                None,
                tokens=self._next_tokens,
                unfinished=None,
                just_met=None,
                continues_word=None,
                needs=self._nobody,
                num_best=2,
                num_top=self._num_top,
                eos_id=self._eos_id,
            )
        if self._listing is None:
            self._listing = ContinuationList(
                tokens=self._next_tokens,
                unfinished=self._nobody,
                just_met=self._nobody,
                continues_word=None,
                needs=self._nobody,
                num_best=2,
                num_top=self._num_top,
                eos_id=self._eos_id,
            )
        return self._listing.list(scores.logits, scores.hypotheses)

    def _bind(self, rows: int) -> None:
        """Take the addresses of another batch."""
        state, forms, replacing = self._state, self._state.forms, self._state.replacing
        self._rows, self._bound, self._listing = rows, state.bias, None
        batch, num_forms, longest = forms.tokens.shape
        device = self._device
        self._next_tokens = torch.empty(batch, rows, num_forms + 1, dtype=torch.int64, device=device)
        self._nobody = torch.zeros(batch, rows, dtype=torch.bool, device=device)
        self._new = torch.empty(3, batch, self._beam, dtype=torch.int64, device=device)
        self._memory = (
            BlockMemory(self._step.select_bytes, batch, device) if self._kernels.on_device else None
        )
        self._step.set({"batch": batch, "rows": rows, "num_forms": num_forms, "longest": longest})
        tensors = {
            "tokens": forms.tokens,
            "lengths": forms.lengths,
            "constraint": forms.constraint,
            "of_form": forms.source,
            "asks": forms.asks,
            "form": replacing.form,
            "position": replacing.position,
            "used": replacing.used,
            "bias": state.bias,
            "next_tokens": self._next_tokens,
            "new_form": self._new[0],
            "new_position": self._new[1],
            "new_used": self._new[2],
        }
        assert all(tensor.is_contiguous() for tensor in tensors.values())
        self._step.set({name: tensor.data_ptr() for name, tensor in tensors.items()})

    def _make_room(self, batch: int) -> Candidates:
        shape, device = (batch, self._beam), self._device
        return Candidates(
            scores=torch.empty(shape, device=device),
            beam_index=torch.empty(shape, dtype=torch.int64, device=device),
            token_ids=torch.empty(shape, dtype=torch.int64, device=device),
            bias=torch.empty(shape, device=device),
        )


def _named(prefix: str, room: Candidates) -> dict[str, Tensor]:
    assert room.bias is not None
    return {
        f"{prefix}_scores": room.scores,
        f"{prefix}_rows": room.beam_index,
        f"{prefix}_tokens": room.token_ids,
        f"{prefix}_bias": room.bias,
    }
