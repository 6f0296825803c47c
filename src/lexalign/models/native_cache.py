"""What a decoder remembers, as the kernels of a CPU keep it: the tree of slots of `cache.py`, and the source.

The slots are numbered as there, so that sums are the same. But a slot that stays is never moved, keys lie as
products need them, what a hypothesis sees is a bit for each slot, and sentences that are done leave no gap to
be closed: the others are found by their places.
"""

import copy
import ctypes
from collections.abc import Sequence

import torch
from torch import Tensor

from lexalign.kernel_shapes import LANES, SUM_BLOCK, next_lane, steady_span
from lexalign.models.shortlisted_output import ShortlistedOutput
from lexalign.native.library import kernels
from lexalign.native.structures import Decoder, Step

_SPARE_SLOTS = 64  # so that few sentences need more room than they get first


class NativeCache:
    """Implements `DecoderState` for `NativeDecoder`."""

    def __init__(
        self,
        decoder: Decoder,
        memory: Sequence[Tensor],  # of each layer, keys and values (B, S, 2D) of the source
        mask: Tensor,  # (B, S)
        *,
        beam: int,
        attention_layer: int | None,
        output: ShortlistedOutput | None,
    ) -> None:
        library = kernels()
        assert library is not None
        self._library, self._decoder, self._pointer = library, decoder, ctypes.byref(decoder)
        self.beam, self.attention_layer, self.output = beam, attention_layer, output
        self.width = 0  # slots in use
        self._shift: Tensor | None = None  # (B,) offset of a sentence's new slots, at most 0
        self._position = torch.zeros(1, dtype=torch.int64)
        batch, length = mask.shape
        self._place = torch.arange(batch)
        self._stored, self._source_length = batch, length
        self._memory = [part.contiguous() for part in memory]
        self._values = torch.tensor([part.data_ptr() for part in self._memory])
        groups = -(-length // LANES)
        width = decoder.heads * decoder.head_size
        self._keys = torch.empty(decoder.num_layers, batch, width * groups * LANES)
        self._source_visible = torch.zeros(batch, groups, dtype=torch.int16)
        self._slots, self._visible = torch.empty(0), torch.zeros(batch, beam, 0, dtype=torch.int16)
        self.step = Step(beam=beam, attention_layer=-1 if attention_layer is None else attention_layer)
        self._bind()
        mask = mask.contiguous()
        for layer in range(decoder.num_layers):
            library.pack_source(
                self._pointer,
                ctypes.byref(self.step),
                ctypes.c_int64(layer),
                *(ctypes.c_void_p(tensor.data_ptr()) for tensor in (mask, self._keys, self._source_visible)),
            )

    @property
    def layout(self) -> object:
        """It is never static."""
        return None

    @property
    def batch(self) -> int:
        return len(self._place)

    @property
    def source_length(self) -> int:
        return self._source_length

    def begin_step(self, rows: int) -> None:
        """Give each row of the beam (1 at the first step, K later) a slot that only it attends to."""
        self.step.rows, self.step.first_slot = rows, self.width
        self.width += rows
        self.step.span = steady_span(self.width)

    def reorder(self, beam_index: Tensor) -> None:
        beam_index = beam_index.contiguous()
        self._library.reorder_slots(ctypes.byref(self.step), ctypes.c_void_p(beam_index.data_ptr()))

    def keep(self, sentence_index: Tensor) -> None:
        self._place, self._visible = self._place[sentence_index], self._visible[sentence_index]
        if self._shift is not None:
            self._shift = self._shift[sentence_index]
        if self.output is not None:
            self.output.keep(sentence_index)
        self._bind()

    def reserve(self, steps: int) -> None:
        """Drop slots without descendants and make room for new ones."""
        widths = torch.empty(self.batch, dtype=torch.int64)
        most = self._library.count_slots(ctypes.byref(self.step), ctypes.c_void_p(widths.data_ptr()))
        start = next_lane(most)
        span = steady_span(start + steps * self.beam)
        self._compact(next_lane(span))
        self.width = start
        aligned = span <= SUM_BLOCK or len(widths) == 1
        self._shift = None if aligned else -((start - widths) // LANES * LANES)
        self._bind()

    def _compact(self, room: int) -> None:
        """Move the slots that are seen to the front, and make room for `room` slots in all."""
        before, slots, visible = copy.copy(self.step), self._slots, self._visible
        room = max(room, before.room)
        if room > before.room:
            room = next_lane(room + _SPARE_SLOTS)
            parts = 2 * self._decoder.num_layers * self._stored
            self._slots = torch.empty(parts * room * self._decoder.heads * self._decoder.head_size)
        self._visible = torch.zeros(self.batch, self.beam, room // LANES, dtype=torch.int16)
        self._bind()
        if slots.numel():
            self._library.compact_slots(self._pointer, ctypes.byref(before), ctypes.byref(self.step))
        del visible  # until here `before` has its address

    def _bind(self) -> None:
        """Tell the kernels where everything is."""
        step = self.step
        step.batch, step.stored, step.source_length = self.batch, self._stored, self._source_length
        step.room = self._visible.shape[2] * LANES
        step.position, step.place = self._position.data_ptr(), self._place.data_ptr()
        step.slots, step.visible = self._slots.data_ptr(), self._visible.data_ptr()
        step.shift = 0 if self._shift is None else self._shift.data_ptr()
        step.source_keys, step.source_values = self._keys.data_ptr(), self._values.data_ptr()
        step.source_visible = self._source_visible.data_ptr()

    def __deepcopy__(self, memo: object) -> "NativeCache":
        """One that goes on by itself; the source is shared, as no step changes it."""
        other = copy.copy(self)
        other.step = copy.copy(self.step)
        other._position, other._slots = self._position.clone(), self._slots.clone()
        other._visible = self._visible.clone()
        other.output = copy.deepcopy(self.output)
        other._bind()
        return other
