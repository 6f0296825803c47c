"""Reading CTranslate2's `model.bin`: named variables, mapped from the file.

    uint32 binary version, string specification, uint32 revision
    uint32 number of variables, then for each
        string name, uint8 rank, uint32 dimensions..., uint8 type, uint32 bytes, content
    uint32 number of aliases, then for each a string name and the string name of its variable

A string is its uint16 length, with the zero at its end. Variables without dimensions are attributes. A weight
in int8 or int16 is divided by the variable of its name with `_scale` behind it: one number for each row, or
one for all. Versions before 4 have the bytes of a number instead of the type; versions before 3 no aliases.
"""

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

import torch
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.weights import Int8Rows, Weight

BINARY = "model.bin"
VERSIONS = range(2, 7)
_TYPES = (torch.float32, torch.int8, torch.int16, torch.int32, torch.float16, torch.bfloat16)
_TYPES_BY_BYTES = {4: torch.float32, 2: torch.int16, 1: torch.int8}
# The int16 scale of files that do not name it.
_INT16_SCALE = 1000.0


@dataclass(frozen=True, kw_only=True)
class BinaryModel:
    """The variables of a file, and the names that stand for others."""

    specification: str
    revision: int
    variables: Mapping[str, Tensor]
    aliases: Mapping[str, str]

    @property
    def weights(self) -> set[str]:
        """The names of weights, which are neither attributes, nor texts, nor scales."""
        names = {*self.variables, *self.aliases}
        return {name for name in names if "/" in name and self.find(name).dim() and not _is_scale(name)}

    @property
    def attributes(self) -> dict[str, float]:
        """Numbers without dimensions."""
        found = {name: self.find(name) for name in (*self.variables, *self.aliases)}
        return {
            name: value.item() for name, value in found.items() if not value.dim() and not _is_scale(name)
        }

    def text(self, name: str, default: str) -> str:
        """A string, as files before version 6 have them."""
        found = self.variables.get(name)
        return default if found is None else bytes(found.tolist()).decode("utf-8", errors="replace")

    def find(self, name: str) -> Tensor:
        return self.variables[self.aliases.get(name, name)]

    def read(self, name: str) -> Weight:
        """A weight: int8 rows as they are, int16 in float32, and others in their own type."""
        own = self.aliases.get(name, name)
        value, scale = self.variables[own], self.variables.get(own + _SCALE)
        if value.dtype == torch.int16:
            return value / (_INT16_SCALE if scale is None else scale.float())
        if value.dtype != torch.int8:
            return value
        if scale is None or scale.numel() not in (1, len(value)):
            raise LexalignError(f"the scales of weight {own} are missing, or not one for each row")
        return Int8Rows(value, (1 / scale.float()).reshape(-1).expand(len(value)).contiguous())


_SCALE = "_scale"


def _is_scale(name: str) -> bool:
    return name.endswith(f"weight{_SCALE}")


def read_binary(path: Path) -> BinaryModel:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        if not size:
            raise LexalignError(f"{path}: empty; copy the model again")
        # Private pages: torch takes no read-only memory, and nothing is written.
        reader = _Reader(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY), path)
    version = reader.number("I")
    if version not in VERSIONS:
        raise LexalignError(
            f"{path}: binary version {version}; versions {VERSIONS[0]} to {VERSIONS[-1]} of CTranslate2 "
            "can be read"
        )
    specification, revision = reader.string(), reader.number("I")
    variables = dict(reader.variable(version) for _ in range(reader.number("I")))
    aliases = {}
    for _ in range(reader.number("I") if version >= 3 else 0):
        alias, name = reader.string(), reader.string()
        if name in variables:
            aliases[alias] = name
    return BinaryModel(specification=specification, revision=revision, variables=variables, aliases=aliases)


class _Reader:
    """Reads values one after the other; an end of the file where a value should be is an error."""

    def __init__(self, content: mmap.mmap, path: Path) -> None:
        self._content, self._path, self._position = content, path, 0

    def number(self, kind: str) -> int:
        value: int = struct.unpack("<" + kind, self._take(struct.calcsize(kind)))[0]
        return value

    def string(self) -> str:
        content = self._take(self.number("H")).rstrip(b"\0")
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            raise self._damaged("a name is not text") from None

    def variable(self, version: int) -> tuple[str, Tensor]:
        name = self.string()
        shape = [self.number("I") for _ in range(self.number("B"))]
        kind, amount = self.number("B"), self.number("I")
        known = version >= 4 and kind < len(_TYPES)
        if not known and (version >= 4 or kind not in _TYPES_BY_BYTES):
            raise self._damaged(f"{name} has the unknown type {kind}")
        dtype = _TYPES[kind] if known else _TYPES_BY_BYTES[kind]
        if version < 4:  # where it is the number of values
            amount *= kind
        if amount != prod(shape) * dtype.itemsize:
            raise self._damaged(f"{name} has {amount} bytes, which its shape {shape} does not say")
        start = self._advance(amount)
        if not amount:
            return name, torch.empty(shape, dtype=dtype)
        value = torch.frombuffer(self._content, dtype=dtype, count=amount // dtype.itemsize, offset=start)
        return name, value.view(shape)

    def _take(self, size: int) -> bytes:
        start = self._advance(size)
        return self._content[start : start + size]

    def _advance(self, size: int) -> int:
        start, self._position = self._position, self._position + size
        if self._position > len(self._content):
            raise self._damaged(f"it ends at {len(self._content)} bytes, before its content does")
        return start

    def _damaged(self, reason: str) -> LexalignError:
        return LexalignError(f"{self._path}: {reason}; copy the model again")
