"""Weights on disk, in floating point or in int8 with one scale for each row.

An int8 weight `name` of shape (rows, columns) is stored in a safetensors file beside its scales:

    name           int8      (rows, columns)
    name.scale     float32   (rows,)

so that row i of the weight is `scale[i] * name[i]`. Each weight is memory-mapped by itself:
pages that are not used are never read, and those of a weight are freed with the weight.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.storage import new_file

SCALE = ".scale"
_LARGEST = 127  # symmetric: -128 is not used
_CHUNK_ROWS = 4096  # quantised at a time


@dataclass(frozen=True)
class Int8Rows:
    """A matrix of int8 values with one scale for each row."""

    values: Tensor  # int8 (rows, columns)
    scales: Tensor  # float32 (rows,)

    @classmethod
    def of(cls, weight: Tensor) -> "Int8Rows":
        """Quantise a weight; the result depends on the weight alone, not on the device or the chunks."""
        weight = weight.detach()
        values = torch.empty(weight.shape, dtype=torch.int8, device=weight.device)
        scales = torch.empty(len(weight), device=weight.device)
        # Some rows at a time: of a table of 256,000 entries each copy in float32 takes a gigabyte.
        for first in range(0, len(weight), _CHUNK_ROWS):
            some = slice(first, first + _CHUNK_ROWS)
            rows = weight[some].float()
            scales[some] = rows.abs().amax(dim=1).clamp(min=1e-12) / _LARGEST
            values[some] = (rows / scales[some, None]).round_().clamp_(-_LARGEST, _LARGEST)
        return cls(values, scales)

    @property
    def shape(self) -> torch.Size:
        return self.values.shape

    def dequantised(self) -> Tensor:
        return self.values * self.scales[:, None]


Weight = Tensor | Int8Rows


class WeightFile:
    """The weights of a safetensors file, by name."""

    def __init__(self, path: Path, advice: str) -> None:
        """`advice` says in an error what to do about a damaged file."""
        self._path, self._advice = path, advice

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(name for name in self._stored if not self._is_scale(name))

    def read(self, name: str) -> Weight:
        value = self._tensor(name)
        if value.dtype != torch.int8:
            return value
        if name + SCALE not in self._stored:
            raise LexalignError(f"{self._path}: the scales of weight {name} are missing; {self._advice}")
        scales = self._tensor(name + SCALE)
        if value.dim() != 2 or scales.shape != value.shape[:1]:
            raise LexalignError(f"{self._path}: the scales of weight {name} are not one for each row")
        return Int8Rows(value, scales.float())

    def dtype(self, name: str) -> torch.dtype:
        return self._tensor(name).dtype

    def read_float(self, name: str) -> Tensor:
        weight = self.read(name)
        return weight.dequantised() if isinstance(weight, Int8Rows) else weight

    def check(self, shapes: Mapping[str, torch.Size], described_by: str) -> None:
        """Raise an error unless the file has exactly these weights; `described_by` names their source."""
        if missing := sorted(shapes.keys() - self.names):
            raise LexalignError(f"{self._path}: weight {missing[0]} is missing; the file is of another model")
        if extra := sorted(self.names - shapes.keys()):
            raise LexalignError(
                f"{self._path}: weight {extra[0]} is not in {described_by}; the file is of another model"
            )
        for name, shape in shapes.items():
            if (found := self._stored[name]) != tuple(shape):
                sizes = f"is {found}, {described_by} says {tuple(shape)}"
                raise LexalignError(f"{self._path}: weight {name} {sizes}")

    @cached_property
    def _stored(self) -> dict[str, tuple[int, ...]]:
        """The shapes of all tensors in the file."""
        try:
            with safe_open(self._path, framework="pt") as file:
                return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, OSError) as error:
            raise self._unreadable(error) from None

    def _is_scale(self, name: str) -> bool:
        return name.endswith(SCALE) and name.removesuffix(SCALE) in self._stored

    def _tensor(self, name: str) -> Tensor:
        """A tensor in a mapping of its own: one mapping of all would keep every page that was ever read."""
        try:
            with safe_open(self._path, framework="pt") as file:
                value: Tensor = file.get_tensor(name)
                return value
        except (SafetensorError, OSError) as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: Exception) -> LexalignError:
        return LexalignError(f"{self._path}: cannot be read ({error}); {self._advice}")


def write_weights(path: Path, weights: Mapping[str, Weight]) -> None:
    """Write a safetensors file atomically."""
    stored: dict[str, Tensor] = {}
    for name, weight in weights.items():
        if isinstance(weight, Int8Rows):
            stored[name], stored[name + SCALE] = weight.values.contiguous(), weight.scales.contiguous()
        else:
            stored[name] = weight.detach().cpu().contiguous()
    with new_file(path) as temporary:
        save_file(stored, temporary, metadata={"format": "pt"})
