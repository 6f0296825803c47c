"""The state of recurrent decoders: a cell of each hypothesis and layer in place of a tree of slots."""

import torch
from torch import Tensor

from lexalign.models.cache import DecoderCache, Memory


class RecurrentCache(DecoderCache):
    """Cells move with their hypotheses when the beam is reordered; there are no slots to make room for."""

    def __init__(
        self,
        memory: Memory,
        source_mask: Tensor | None,
        *,
        beam: int,
        attention_layer: int | None,
        static: bool,
        source_length: int,
    ) -> None:
        super().__init__(
            memory,
            source_mask,
            beam=beam,
            attention_layer=attention_layer,
            static=static,
            source_length=source_length,
        )
        batch, heads, _, size = memory[0][0].shape
        rows = beam if static else 1  # all hypotheses begin with the same cells
        self._cells = [
            torch.zeros(batch, rows, heads * size, device=memory[0][0].device) for _ in memory
        ]  # (B, K, D) of each layer

    @property
    def layout(self) -> tuple[int, int]:
        return 0, self._cells[0].data_ptr()

    def cell(self, layer: int) -> Tensor:
        return self._cells[layer]

    def replace_cell(self, layer: int, cell: Tensor) -> None:
        if self.static:
            self._cells[layer].copy_(cell)
        else:
            self._cells[layer] = cell

    def begin_step(self, rows: int) -> None:
        pass

    def end_step(self, rows: int) -> None:  # noqa: ARG002
        self.position += 1

    def reorder(self, beam_index: Tensor) -> None:
        index = beam_index[:, :, None].expand(-1, -1, self._cells[0].shape[2])
        for layer, cell in enumerate(self._cells):
            self.replace_cell(layer, cell.gather(1, index))

    def keep(self, sentence_index: Tensor) -> None:
        super().keep(sentence_index)
        self._cells = [cell[sentence_index] for cell in self._cells]

    def restart(self, memory: Memory, source_mask: Tensor | None) -> None:
        super().restart(memory, source_mask)
        for cell in self._cells:
            cell.zero_()

    def reserve(self, steps: int) -> None:
        pass
