"""The decoder's key/value cache: a tree of slots that are written once and never reordered.

A step of K hypotheses appends K slots to its sentence. A small mask says which slots a hypothesis attends to;
when the beam is reordered, rows of the mask move and the keys and values stay. All hypotheses of a sentence
attend together, in one product over the shared slots. A beam of 2 after three steps, where both of the last
hypotheses descend from slot 1 and the first step had a single row:

    slot        0   1 2   3 4
    step        0   1 1   2 2
    row 0       x   x     x
    row 1       x   x       x

Slot 2 has no descendants left: `reserve` drops such slots, so a sentence holds little more than one slot
for each step, not one for each step and hypothesis.

Sentences keep different numbers of slots, and new slots begin behind the longest of them. The gap that this
leaves changes no sum (`kernel_shapes`) as long as it ends at a multiple of 16 and all slots are summed in one
block; where they are more, each sentence's new slots begin behind its own.
"""

import torch
from torch import Tensor

from lexalign.kernel_shapes import LANES, SUM_BLOCK, next_lane, steady_span
from lexalign.models.shortlisted_output import MaskedOutput, ShortlistedOutput

Memory = list[tuple[Tensor, Tensor]]  # of each layer, keys and values (B, H, S, D/H) of the source

# A static cache attends to a multiple of this many slots, so that few CUDA graphs serve all lengths.
_SPAN_MULTIPLE = 64


class DecoderCache:
    """Self-attention slots, the source's keys and values, and the position of the next token.

    A static cache keeps its tensors and changes them in place, as a recorded CUDA graph needs it.
    """

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
        key = memory[0][0]
        self.memory = memory
        self.source_mask = source_mask  # (B, 1, 1, S): 0 or -inf
        self.beam = beam
        self.attention_layer = attention_layer
        self.static = static
        self.source_length = source_length  # without the padding of the memory
        self.output: ShortlistedOutput | MaskedOutput | None = None  # where not all tokens may be generated
        self.width = 0  # slots in use; a static cache counts them in `_next` alone
        self.span = 0  # slots that attention reads
        self.position = torch.zeros(1, dtype=torch.int64, device=key.device)
        self._slots = key.new_empty(len(memory), 2, key.shape[0], key.shape[1], 0, key.shape[3])
        self._visible = key.new_empty(key.shape[0], beam, 0)  # (B, K, W): 0 or -inf
        self._own_slot_mask = key.new_full((beam, beam), float("-inf")).fill_diagonal_(0)
        self._next = torch.arange(beam, device=key.device)
        self._write_position: Tensor | tuple[int, int] = self._next
        self._shift: Tensor | None = None  # (B,) offset of a sentence's new slots, at most 0
        self.mask = self._visible[:, None]  # (B, 1, K, W), of the current step
        self._update_views()

    @property
    def layout(self) -> tuple[int, int]:
        return self.span, self._slots.data_ptr()

    def begin_step(self, rows: int) -> None:
        """Give each row of the beam (1 at the first step, K later) a slot that only it attends to."""
        if self.static:
            self._write_position = self._next[:rows]
        else:
            self._write_position = (
                (self.width, rows) if self._shift is None else self._own_slots(self._shift, rows)
            )
            self.width += rows
            self.span = steady_span(self.width)
        own = self._own_slot_mask[:rows, :rows].expand(self._visible.shape[0], -1, -1)
        if self._shift is None:
            self._write(self._visible[:, :rows], 2, own)
        else:
            positions = (self.width - rows + self._shift)[:, None, None] + self._next[:rows]
            self._visible[:, :rows].scatter_(2, positions.expand_as(own), own)
        self.mask = self._visible[:, None, :rows, : self.span]

    def append(self, layer: int, keys_values: Tensor) -> tuple[Tensor, Tensor]:
        """Store a step's (2, B, H, K, D/H) and return all keys and values (B, H, W, D/H) of the layer."""
        slots = self._layers[layer]
        if self._shift is not None and isinstance(self._write_position, Tensor):
            size = keys_values.shape[-1]
            slots.view(-1, size).index_copy_(0, self._write_position, keys_values.reshape(-1, size))
        else:
            self._write(slots, 3, keys_values)
        return self._keys[layer].narrow(2, 0, self.span), self._values[layer].narrow(2, 0, self.span)

    def end_step(self, rows: int) -> None:
        self.position += 1
        if self.static:
            self._next += rows

    def reorder(self, beam_index: Tensor) -> None:
        index = beam_index[:, :, None].expand(-1, -1, self.span)
        self._visible[:, :, : self.span] = self._visible[:, :, : self.span].gather(1, index)

    def keep(self, sentence_index: Tensor) -> None:
        self.memory = [(key[sentence_index], value[sentence_index]) for key, value in self.memory]
        self._slots = self._slots.index_select(2, sentence_index)
        self._visible = self._visible[sentence_index]
        if self._shift is not None:
            self._shift = self._shift[sentence_index]
        if self.source_mask is not None:
            self.source_mask = self.source_mask[sentence_index]
        if self.output is not None:
            self.output.keep(sentence_index)
        self._update_views()

    def restart(self, memory: Memory, source_mask: Tensor | None) -> None:
        """Start with another source of the same shape, in the same tensors."""
        for own, new in zip(self.memory, memory, strict=True):
            own[0].copy_(new[0])
            own[1].copy_(new[1])
        if self.source_mask is not None and source_mask is not None:
            self.source_mask.copy_(source_mask)
        self.position.zero_()
        self._visible.fill_(float("-inf"))

    def reserve(self, steps: int) -> None:
        """Drop slots without descendants and make room for new ones."""
        live = (self._visible[:, :, : self.span] == 0).any(dim=1)  # (B, W)
        widths = live.sum(dim=1)
        width = int(widths.max()) if self.span else 0
        order = live.to(torch.uint8).argsort(dim=1, descending=True, stable=True)[:, :width]  # (B, W')
        if self.static:
            room = -(-(width + steps * self.beam) // _SPAN_MULTIPLE) * _SPAN_MULTIPLE
            self._compact(order, room)
            self.width, self.span = width, room
            torch.arange(width, width + self.beam, out=self._next)
            return
        start = next_lane(width)
        room = steady_span(start + steps * self.beam)
        self._compact(order, room)
        self.width, self.span = start, room
        aligned = room <= SUM_BLOCK or len(widths) == 1
        self._shift = None if aligned else -((start - widths) // LANES * LANES)

    def _own_slots(self, shift: Tensor, rows: int) -> Tensor:
        """The flat indexes of a step's slots in a layer, where each sentence has its own position."""
        _, _, batch, heads, room, _ = self._slots.shape
        positions = (self.width + shift)[:, None, None] + self._next[:rows]  # (B, 1, K)
        first = torch.arange(2 * batch * heads, device=shift.device).view(2, batch, heads, 1) * room
        return (first + positions).flatten()

    def _compact(self, order: Tensor, room: int) -> None:
        """Move the slots in `order` to the front, and make room for `room` slots in all."""
        layers, _, batch, heads, old_room, size = self._slots.shape
        old, visible = self._slots, self._visible.gather(2, order[:, None, :].expand(-1, self.beam, -1))
        if not self.static or room > old_room:
            capacity = 2 * room if self.static else room  # a static cache grows rarely
            # Unused slots are read with weight zero, so they must not be NaN.
            self._slots = old.new_zeros(layers, 2, batch, heads, capacity, size)
            self._visible = visible.new_empty(batch, self.beam, capacity)
        width = order.shape[1]
        first = torch.arange(batch * heads, device=order.device).view(batch, heads, 1) * old_room
        rows = (first + order[:, None, :]).flatten()
        for layer in range(layers if width else 0):
            for part in range(2):
                moved = old[layer, part].reshape(-1, size).index_select(0, rows)
                self._slots[layer, part, :, :, :width] = moved.view(batch, heads, width, size)
        self._visible[:, :, :width] = visible
        self._visible[:, :, width:] = float("-inf")
        self._update_views()

    def _update_views(self) -> None:
        """Update the views of the slots that every step needs."""
        self._layers = [self._slots[layer] for layer in range(len(self._slots))]  # (2, B, H, W, D/H)
        self._keys = [layer[0] for layer in self._layers]
        self._values = [layer[1] for layer in self._layers]

    def _write(self, buffer: Tensor, dim: int, values: Tensor) -> None:
        if isinstance(self._write_position, Tensor):
            buffer.index_copy_(dim, self._write_position, values)
        else:
            buffer.narrow(dim, *self._write_position).copy_(values)
