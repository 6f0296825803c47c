"""Plain beam search: the best continuations, whatever they are."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.contracts.sentence_tensors import SentenceTensors
from lexalign.decoding.candidates import Candidates, list_ends
from lexalign.decoding.constraints.sentence_constraints import SentenceConstraints
from lexalign.decoding.policy import SearchBatch, Selection, Step
from lexalign.decoding.stopping import StoppingBound


class Unconstrained:
    attention_layer: int | None = None
    recordable = True
    guarantees_constraints = True

    def begin(self, batch: SearchBatch) -> "PlainSelector":
        if any(batch.constraints):
            raise LexalignError("plain beam search knows no constraints; choose a policy that does")
        return PlainSelector(batch)


@dataclass
class NoState(SentenceTensors):
    """Plain search needs to know nothing of its hypotheses."""


class PlainSelector:
    """Of the 2K best continuations, ends among the first K count, and the K best others go on."""

    constraints: Sequence[SentenceConstraints] = ()
    stopping_bound = StoppingBound()
    may_stall = False

    def __init__(self, batch: SearchBatch) -> None:
        self.state = NoState()
        self._beam, self._num_top, self._eos_id = batch.beam, batch.num_top, batch.vocabulary.eos_id

    def prepare(self, rows: int, clock: Tensor) -> None: ...

    def select(self, step: Step, prepared: None) -> Selection[None]:  # noqa: ARG002
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
        selection: Selection[None],  # noqa: ARG002
        any_finished: Tensor,  # noqa: ARG002
    ) -> Candidates:
        return list_ends(step.scores.of(self._eos_id), self._eos_id)

    def commit(self, selection: Selection[None]) -> None: ...
