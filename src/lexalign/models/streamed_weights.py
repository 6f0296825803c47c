"""Writing a safetensors file weight by weight, so that a large model never is in memory as a whole.

The format: the length of a header in 8 bytes, the header in JSON (the type, shape and offsets of each
tensor), then the bytes of all tensors. Those of wide types come first, so that each begins at a multiple of
its width; torch cannot read them otherwise. An int8 weight is two tensors, see `lexalign.weights`.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import BinaryIO

import torch
from torch import Tensor

from lexalign.weights import SCALE, Int8Rows, Weight

_TYPES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int8: "I8"}


@dataclass(frozen=True, kw_only=True)
class PlannedTensor:
    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype  # int8 is for matrices, each with its scales

    @property
    def num_bytes(self) -> int:
        return prod(self.shape) * self.dtype.itemsize

    @property
    def scales(self) -> "PlannedTensor":
        return PlannedTensor(name=self.name + SCALE, shape=self.shape[:1], dtype=torch.float32)


def stream_weights(path: Path, plan: Sequence[PlannedTensor], load: Callable[[str], Weight]) -> None:
    """Write the planned tensors; `load` is called for each weight once, in the order of the plan."""
    tensors = [*plan, *(one.scales for one in plan if one.dtype == torch.int8)]
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    offsets: dict[str, int] = {}
    end = 0
    for one in sorted(tensors, key=lambda one: -one.dtype.itemsize):
        offsets[one.name], end = end, end + one.num_bytes
        header[one.name] = {
            "dtype": _TYPES[one.dtype],
            "shape": one.shape,
            "data_offsets": [offsets[one.name], end],
        }
    content = json.dumps(header).encode()
    content += b" " * (-len(content) % 8)  # tensors begin at a multiple of 8
    with path.open("wb") as file:
        first = file.write(len(content).to_bytes(8, "little") + content)
        for one in plan:
            _write(file, first, offsets, _parts(one, load(one.name)))


def _write(
    file: BinaryIO, first: int, offsets: Mapping[str, int], parts: Iterable[tuple[PlannedTensor, Tensor]]
) -> None:
    for planned, value in parts:
        file.seek(first + offsets[planned.name])
        file.write(_to_bytes(planned, value))


def _parts(planned: PlannedTensor, weight: Weight) -> list[tuple[PlannedTensor, Tensor]]:
    if planned.dtype == torch.int8:
        rows = weight if isinstance(weight, Int8Rows) else Int8Rows.of(weight)
        return [(planned, rows.values), (planned.scales, rows.scales)]
    return [(planned, weight.dequantised() if isinstance(weight, Int8Rows) else weight)]


def _to_bytes(planned: PlannedTensor, value: Tensor) -> memoryview:
    if tuple(value.shape) != planned.shape:
        raise ValueError(f"{planned.name} is {tuple(value.shape)}, planned as {planned.shape}")
    flat = value.detach().to(planned.dtype).contiguous().reshape(-1)
    view: memoryview = flat.view(torch.uint8).numpy().data
    return view
