"""Which source token each proposed token is aligned to the most, whatever the aligner's delay is."""

import torch
from torch import Tensor
from torch.nn import functional as F

from lexalign.contracts.alignment import Aligner, ForcedTarget, OnlineAligner
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.model import DecoderOutput, EncodedSource
from lexalign.decoding.policy import SearchBatch, Step


class OnlineAlignment:
    """By an aligner that knows it with the token."""

    def __init__(self, aligner: OnlineAligner, batch: SearchBatch) -> None:
        self._aligner = aligner
        self._memory = aligner.remember(batch.source)

    def of(self, step: Step, token_ids: Tensor) -> Tensor:
        """Source positions (B, K, C) of tokens (B, K, C)."""
        return self._aligner.align_candidates(self._memory, step.output, token_ids).argmax(dim=3)

    def keep(self, sentence_index: Tensor) -> None:
        self._memory = self._memory.keep(sentence_index)

    def restart(self, other: "OnlineAlignment") -> None:
        self._memory.mask.copy_(other._memory.mask)
        if self._memory.keys is not None and other._memory.keys is not None:
            self._memory.keys.copy_(other._memory.keys)


class DelayedAlignment:
    """By an aligner that knows it one step later: the tokens are fed to the decoder."""

    def __init__(self, aligner: Aligner, batch: SearchBatch) -> None:
        self._aligner = aligner
        self._source, self._source_ids = batch.source, batch.source_ids
        self._eos_id = batch.vocabulary.eos_id

    def of(self, step: Step, token_ids: Tensor) -> Tensor:
        return torch.stack([self._look(step, tokens) for tokens in token_ids.unbind(dim=2)], dim=2)

    def keep(self, sentence_index: Tensor) -> None:
        states, mask = self._source.states[sentence_index], self._source.mask[sentence_index]
        self._source = EncodedSource(states=states, mask=mask)
        self._source_ids = self._source_ids[sentence_index]

    def _look(self, step: Step, token_ids: Tensor) -> Tensor:
        """The tokens of a beam are aligned as if they were those of a forced target."""
        rows = torch.arange(token_ids.shape[1], device=token_ids.device).expand_as(token_ids)
        output = step.look_ahead(rows, token_ids)
        attention, query = _shifted(output, self._aligner.layer)
        forced = ForcedTarget(
            source=self._source,
            source_ids=self._source_ids,
            token_ids=token_ids,
            source_content=self._source.mask & (self._source_ids != self._eos_id),
            target_content=torch.zeros_like(token_ids, dtype=torch.bool),
            attention=attention,
            query=query,
        )
        return self._aligner.align(forced).argmax(dim=2)


def _shifted(output: DecoderOutput, layer: int) -> tuple[Tensor, Tensor]:
    """With a row before the first, which belongs to no token."""
    if output.attention is None or output.query is None:
        raise LexalignError(
            f"start the search with attention_layer={layer}; what that layer sees is needed to align"
        )
    return F.pad(output.attention, (0, 0, 1, 0)), F.pad(output.query, (0, 0, 1, 0))
