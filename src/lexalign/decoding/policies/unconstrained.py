"""Plain beam search: the best continuations, whatever they are."""

from collections.abc import Sequence

import torch
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.decoding.constraints.requests import Request
from lexalign.decoding.policy import Choice, SearchBatch, Selector, Step
from lexalign.decoding.prospects import Prospects
from lexalign.decoding.scores import Candidates


class Unconstrained:
    attention_layer: int | None = None
    recordable = True
    passive = False

    def begin(self, batch: SearchBatch) -> "PlainSelector":
        if any(batch.constraints):
            raise LexalignError("plain beam search knows no constraints; choose a policy that does")
        return PlainSelector(batch)


class PlainSelector:
    """Of the 2K best continuations, ends among the first K count, and the K best others go on."""

    requests: Sequence[Request] = ()
    bias: Tensor | None = None
    prospects = Prospects()
    advantage: Tensor | None = None
    may_stall = False
    layout: object = None

    def __init__(self, batch: SearchBatch) -> None:
        self._beam, self._eos_id = batch.beam, batch.vocabulary.eos_id
        self._rows = torch.arange(batch.beam, device=batch.source_ids.device)[None]

    def foresee(self, rows: int, clock: Tensor) -> None: ...

    def choose(self, step: Step) -> Choice:
        found = step.scores.top(2 * self._beam if self._beam > 1 else 1)
        ends = found.token_ids == self._eos_id
        scores, index = found.scores.masked_fill(ends, float("-inf")).topk(self._beam, dim=1)
        going = Candidates(
            scores=scores,
            beam_index=found.beam_index.gather(1, index),
            token_ids=found.token_ids.gather(1, index),
        )
        first = slice(0, self._beam)
        ended = Candidates(
            scores=found.scores[:, first],
            beam_index=found.beam_index[:, first],
            token_ids=found.token_ids[:, first],
        )
        return Choice(going=going, ended=ended, ends=ends[:, first])

    def close(self, step: Step, any_finished: Tensor) -> Candidates:  # noqa: ARG002
        ends = step.scores.of(self._eos_id)
        rows = self._rows[:, : ends.shape[1]].expand_as(ends)
        return Candidates(scores=ends, beam_index=rows, token_ids=torch.full_like(rows, self._eos_id))

    def take(self) -> None: ...

    def keep(self, sentence_index: Tensor) -> None: ...

    def restart(self, other: Selector) -> None: ...
