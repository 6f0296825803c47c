"""Dataclasses of tensors that belong to the sentences of a batch, and how arrays become such tensors."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

_ALIGNED = 16  # bytes; every tensor of a shared buffer begins at a multiple of them


# Marks a field that belongs to no sentence: it is neither cut down, nor copied, nor part of the layout.
SHARED = {"shared": True}


class SentenceTensors:
    """A dataclass that extends this holds tensors (B, ...), other such records, or None where there is none.

    The state of a search is a tree of these, with one `keep`, one `copy_` and one `layout` for all of it.
    """

    def keep(self, sentence_index: Tensor) -> None:
        """Forget all sentences but these."""
        for name, value in self._items():
            if isinstance(value, SentenceTensors):
                value.keep(sentence_index)
            elif value is not None:
                setattr(self, name, value[sentence_index])

    def copy_(self, other: Self) -> None:
        """Take other sentences into the same tensors."""
        for (_, mine), (_, new) in zip(self._items(), other._items(), strict=True):
            if mine is not None:
                mine.copy_(new)

    @property
    def layout(self) -> tuple[object, ...]:
        """The shapes of all tensors: a record can be copied into another of the same layout."""
        return tuple(map(_layout, (value for _, value in self._items())))

    def _items(self) -> list[tuple[str, Any]]:
        own = [one for one in fields(self) if "shared" not in one.metadata]  # type: ignore[arg-type]
        return [(one.name, getattr(self, one.name)) for one in own]


def _layout(value: "SentenceTensors | Tensor | None") -> object:
    if value is None:
        return None
    return value.layout if isinstance(value, SentenceTensors) else tuple(value.shape)


def upload(arrays: Sequence[npt.NDArray[Any]], device: torch.device) -> list[Tensor]:
    """The arrays as tensors; a GPU gets all of them in one copy, which the host does not wait for."""
    tensors = [torch.from_numpy(np.ascontiguousarray(array)) for array in arrays]
    if device.type == "cpu":
        return tensors
    places = _places([tensor.nbytes for tensor in tensors])
    buffer = torch.empty(places[-1].stop, dtype=torch.uint8, pin_memory=device.type == "cuda")
    for place, tensor in zip(places, tensors, strict=True):
        buffer[place].copy_(tensor.view(-1).view(torch.uint8))
    there = buffer.to(device, non_blocking=True)
    return [
        there[place].view(tensor.dtype).view(tensor.shape)
        for place, tensor in zip(places, tensors, strict=True)
    ]


def _places(sizes: Sequence[int]) -> list[slice]:
    """Where parts of these sizes lie in a buffer."""
    places, start = [], 0
    for size in sizes:
        places.append(slice(start, start + size))
        start += -(-size // _ALIGNED) * _ALIGNED
    return places
