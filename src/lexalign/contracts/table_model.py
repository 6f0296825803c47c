"""A model of the contract that is a table, to try searches and aligners on.

The next token depends on the last one and on the step: `tables[i, t]` holds the log-probabilities (V, V) at
step t, a row for each last token, of sentences whose first source token is i. The last step's table goes on.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.contracts.model import DecoderOutput, EncodedSource, Vocabulary


@dataclass
class TableState:
    """Which table each sentence uses, and the step; the last token is all that a hypothesis is."""

    table_index: Tensor  # (B,)
    position: int = 0
    layout: object = None

    def reserve(self, steps: int) -> None: ...

    def reorder(self, beam_index: Tensor) -> None: ...

    def keep(self, sentence_index: Tensor) -> None:
        self.table_index = self.table_index[sentence_index]


class TableModel:
    """Implements `TranslationModel`."""

    def __init__(self, tables: Tensor, vocabulary: Vocabulary) -> None:
        self._tables = tables  # (number of tables, steps, V, V)
        self._vocabulary = vocabulary

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
        watch: int | None = None,  # noqa: ARG002
        static: bool = False,  # noqa: ARG002
        into: TableState | None = None,
    ) -> TableState:
        table_index = source.states[:, 0, 0]
        if into is None:
            return TableState(table_index)
        into.table_index.copy_(table_index)
        into.position = 0
        return into

    def step(self, state: TableState, token_ids: Tensor) -> DecoderOutput:
        step = min(state.position, self._tables.shape[1] - 1)
        state.position += 1
        return DecoderOutput(logits=self._tables[state.table_index[:, None], step, token_ids])

    def force(self, source: EncodedSource, token_ids: Tensor, watch: int | None = None) -> DecoderOutput:  # noqa: ARG002
        state = TableState(source.states[:, 0, 0])
        steps = [self.step(state, token_ids[:, t : t + 1]).logits for t in range(token_ids.shape[1])]
        return DecoderOutput(logits=torch.cat(steps, dim=1))
