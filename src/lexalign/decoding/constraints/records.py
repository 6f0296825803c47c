"""Dataclasses of tensors that belong to the sentences of a batch, and how arrays become such tensors."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

_ALIGNED = 16  # bytes; every tensor of a shared buffer begins at a multiple of them


class SentenceTensors:
    """Every field of a dataclass that extends this is a tensor (B, ...), or another such record."""

    def keep(self, sentence_index: Tensor) -> None:
        """Forget all sentences but these."""
        for name, value in self._items():
            if isinstance(value, SentenceTensors):
                value.keep(sentence_index)
            else:
                setattr(self, name, value[sentence_index])

    def copy_(self, other: Self) -> None:
        """Take other sentences into the same tensors."""
        for (_, mine), (_, new) in zip(self._items(), other._items(), strict=True):
            mine.copy_(new)

    @property
    def layout(self) -> tuple[object, ...]:
        return tuple(
            value.layout if isinstance(value, SentenceTensors) else tuple(value.shape)
            for _, value in self._items()
        )

    def _items(self) -> list[tuple[str, Any]]:
        return [(field.name, getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]


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
