"""A model that is a lookup table, for tests of searches and aligners.

The next token depends on the last one and on the step: `tables[i, t]` holds the log-probabilities (V, V) at
step t, a row for each last token, of sentences whose first source token is i. The table of the last step
serves all later steps. With an `affinity` (V, V), the attention of a step is the row of the token that it is
fed, looked up at the source's tokens and normalised.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.contracts.model import DecoderOutput, EncodedSource, Vocabulary
from lexalign.contracts.shortlist import Shortlist


@dataclass
class TableState:
    """The source (B, S), whose first token selects the table, and the step."""

    source_ids: Tensor
    mask: Tensor  # (B, S)
    position: int = 0
    layout: object = None
    shortlist: Shortlist | None = None

    def reserve(self, steps: int) -> None: ...

    def reorder(self, beam_index: Tensor) -> None: ...

    def keep(self, sentence_index: Tensor) -> None:
        self.source_ids, self.mask = self.source_ids[sentence_index], self.mask[sentence_index]
        if self.shortlist is not None:
            self.shortlist.keep(sentence_index)


class TableModel:
    """Implements `TranslationModel`."""

    def __init__(self, tables: Tensor, vocabulary: Vocabulary, affinity: Tensor | None = None) -> None:
        self._tables = tables  # (number of tables, steps, V, V)
        self._vocabulary = vocabulary
        self._affinity = affinity

    @property
    def vocabulary(self) -> Vocabulary:
        return self._vocabulary

    def encode(self, source_ids: Tensor) -> EncodedSource:
        return EncodedSource(states=source_ids[:, :, None], mask=source_ids != self._vocabulary.pad_id)

    def start(
        self,
        source: EncodedSource,
        *,
        beam: int,  # noqa: ARG002
        attention_layer: int | None = None,  # noqa: ARG002
        static: bool = False,  # noqa: ARG002
        into: TableState | None = None,
        shortlist: Shortlist | None = None,
    ) -> TableState:
        if into is None:
            return TableState(source.states[:, :, 0].clone(), source.mask.clone(), shortlist=shortlist)
        into.source_ids.copy_(source.states[:, :, 0])
        into.mask.copy_(source.mask)
        into.position = 0
        return into

    def step(self, state: TableState, token_ids: Tensor) -> DecoderOutput:
        step = min(state.position, self._tables.shape[1] - 1)
        state.position += 1
        logits = self._tables[state.source_ids[:, :1], step, token_ids]
        shortlist = state.shortlist
        if shortlist is not None:
            columns = shortlist.token_ids[:, None].expand(-1, token_ids.shape[1], -1)
            logits = logits.gather(2, columns).masked_fill(shortlist.empty[:, None], float("-inf"))
        if self._affinity is None:
            return DecoderOutput(logits=logits, shortlist=shortlist)
        weights = self._affinity[token_ids[:, :, None], state.source_ids[:, None]] * state.mask[:, None]
        attention = weights / weights.sum(dim=2, keepdim=True)  # (B, K, S)
        query = token_ids[:, :, None].float()
        return DecoderOutput(
            logits=logits, shortlist=shortlist, head_attention=attention[:, None], query=query
        )

    def force(
        self,
        source: EncodedSource,
        token_ids: Tensor,
        attention_layer: int | None = None,  # noqa: ARG002
    ) -> DecoderOutput:
        state = TableState(source.states[:, :, 0], source.mask)
        steps = [self.step(state, token_ids[:, t : t + 1]).logits for t in range(token_ids.shape[1])]
        return DecoderOutput(logits=torch.cat(steps, dim=1))
