"""A safetensors file that is written tensor by tensor, so that a large model needs no memory for all of it.

The format: the length of a header in 8 bytes, the header in JSON (for each tensor its type, shape and place),
then the bytes of all tensors.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

import torch
from torch import Tensor

_TYPES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int8: "I8"}


@dataclass(frozen=True, kw_only=True)
class PlannedTensor:
    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype

    @property
    def num_bytes(self) -> int:
        return prod(self.shape) * self.dtype.itemsize


def write_weights(path: Path, plan: Sequence[PlannedTensor], load: Callable[[str], Tensor]) -> None:
    """`load` is asked for each tensor once, in the order of the plan, and what it gives is let go of."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    place = 0
    for one in plan:
        end = place + one.num_bytes
        header[one.name] = {"dtype": _TYPES[one.dtype], "shape": one.shape, "data_offsets": [place, end]}
        place = end
    content = json.dumps(header).encode()
    content += b" " * (-len(content) % 8)  # tensors begin at a multiple of 8
    with path.open("wb") as file:
        file.write(len(content).to_bytes(8, "little") + content)
        for one in plan:
            file.write(_bytes(one, load(one.name)))


def _bytes(planned: PlannedTensor, value: Tensor) -> memoryview:
    if tuple(value.shape) != planned.shape:
        raise ValueError(f"{planned.name} is {tuple(value.shape)}, planned as {planned.shape}")
    flat = value.detach().to(planned.dtype).contiguous().reshape(-1)
    view: memoryview = flat.view(torch.uint8).numpy().data
    return view
