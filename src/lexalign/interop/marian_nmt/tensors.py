"""The tensors of a Marian model: a binary file (version 1), or NumPy's `.npz`; either may be gzipped.

A binary file, in little-endian:

    version, number of tensors                          u64 each
    for each tensor: length of its name, type,
        dimensions, length of its data                  u64 each
    all names, each with a zero at its end
    all shapes                                          i32 for each dimension
    length of a gap, and the gap                        u64
    the data of all tensors

A matrix of Marian is (in, out), and ours (out, in). In int8 (intgemm) a file has the transposed matrix,
except of embeddings, and behind the data the multiplier with which it was quantised, in 4 bytes. The files
for one kind of processor have it in tiles of 8 outputs by a register of inputs.
"""

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.weights import Int8Rows, Weight

SETTINGS = "special:model.yml"
_VERSION = 1
_MAX_DIMENSIONS = 8
_INT8 = 0x101
_FLOATS = {0x402: "<f2", 0x404: "<f4", 0x408: "<f8"}
# The bytes of a register where the matrix is in tiles; 0 where it is not. The first of each line is of
# Marian itself, the second of the version that Firefox's models are made with.
_REGISTERS = {
    0x10001: 0,
    0x4101: 0,
    0x11001: 32,
    0x5101: 32,  # AVX2
    0x12001: 64,
    0x6101: 64,  # AVX-512
    0x13001: 64,
    0x18001: 16,  # AVX-512 VNNI, and SSSE3
}
_TILE = 8

Array = NDArray[np.generic]


class MarianTensors(Protocol):
    @property
    def names(self) -> set[str]: ...

    def matrix(self, name: str) -> Weight:
        """A matrix (out, in), or an embedding (V, D), whose name has `Wemb`."""

    def vector(self, name: str) -> Tensor: ...

    def text(self, name: str) -> str: ...


def read_tensors(path: Path) -> MarianTensors:
    content = read_content(path)
    try:
        if content[:2] == b"PK":
            return NpzTensors(content)
        return BinaryTensors(content)
    except (ValueError, KeyError, zipfile.BadZipFile, OSError, EOFError, zlib.error) as error:
        raise LexalignError(f"{path}: not a whole Marian model ({error}); copy it again") from None


def read_content(path: Path) -> bytes:
    """The bytes of a file, decompressed if it is gzipped."""
    content = path.read_bytes()
    if content[:2] != b"\x1f\x8b":
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise LexalignError(f"{path}: cannot be decompressed ({error}); copy it again") from None


def is_marian(path: Path) -> bool:
    """Whether a file is a Marian model, by its first bytes, or should be, if they cannot be decompressed."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            start = file.read(16)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return path.name.endswith((".npz.gz", ".bin.gz"))
    if start[:2] == b"PK":
        return ".npz" in path.suffixes
    return len(start) == 16 and int.from_bytes(start[:8], "little") == _VERSION


class NpzTensors:
    def __init__(self, content: bytes) -> None:
        self._file = np.load(io.BytesIO(content), allow_pickle=False)
        for name in self._file.files:  # what is truncated is found now
            _ = self._file[name]

    @property
    def names(self) -> set[str]:
        return set(self._file.files)

    def matrix(self, name: str) -> Tensor:
        return _from_float(self._file[name], name)

    def vector(self, name: str) -> Tensor:
        return torch.from_numpy(self._file[name].astype(np.float32)).flatten()

    def text(self, name: str) -> str:
        return _text(self._file[name].tobytes())


@dataclass(frozen=True, kw_only=True)
class _Item:
    kind: int
    shape: tuple[int, ...]
    data: memoryview


class BinaryTensors:
    def __init__(self, content: bytes) -> None:
        self._items = dict(_items(memoryview(content)))

    @property
    def names(self) -> set[str]:
        return set(self._items)

    def matrix(self, name: str) -> Weight:
        item = self._items[name]
        if item.kind in _REGISTERS:
            return _from_int8(item, transposed="Wemb" not in name)
        return _from_float(_floats(item, name), name)

    def vector(self, name: str) -> Tensor:
        item = self._items[name]
        if item.kind in _REGISTERS:
            return _from_int8(item, transposed=False).dequantised().flatten()
        return torch.from_numpy(_floats(item, name).astype(np.float32)).flatten()

    def text(self, name: str) -> str:
        item = self._items[name]
        if item.kind != _INT8:
            raise LexalignError(f"{name} is not text")
        return _text(bytes(item.data))


def _items(content: memoryview) -> Iterator[tuple[str, _Item]]:
    version, number = _numbers(content, 0, 2, "<u8")
    if version != _VERSION:
        raise ValueError(f"version {version} of the format, where {_VERSION} is known")
    if number > len(content) // 32:
        raise ValueError("it is truncated")
    headers = [_numbers(content, 16 + 32 * index, 4, "<u8") for index in range(number)]
    position, names, shapes = 16 + 32 * number, [], []
    for length, *_ in headers:
        names.append(bytes(_take(content, position, length)).rstrip(b"\0").decode("utf-8"))
        position += length
    for _, _, dimensions, _ in headers:
        if dimensions > _MAX_DIMENSIONS:
            raise ValueError(f"a tensor of {dimensions} dimensions")
        shapes.append(tuple(_numbers(content, position, dimensions, "<i4")))
        position += 4 * dimensions
    (gap,) = _numbers(content, position, 1, "<u8")
    position += 8 + gap
    for name, shape, (_, kind, _, size) in zip(names, shapes, headers, strict=True):
        yield name, _Item(kind=kind, shape=shape, data=_take(content, position, size))
        position += size


def _numbers(content: memoryview, position: int, count: int, kind: str) -> list[int]:
    part = _take(content, position, count * np.dtype(kind).itemsize)
    numbers: list[int] = np.frombuffer(part, kind).tolist()
    return numbers


def _take(content: memoryview, position: int, size: int) -> memoryview:
    if position + size > len(content):
        raise ValueError("it is truncated")
    return content[position : position + size]


def _floats(item: _Item, name: str) -> Array:
    if item.kind not in _FLOATS:
        raise LexalignError(
            f"{name} has the type {item.kind:#x}, which cannot be read; "
            "convert the original model again, in float32 or for intgemm8"
        )
    values = np.frombuffer(_data(item, np.dtype(_FLOATS[item.kind]).itemsize), _FLOATS[item.kind])
    return values.reshape(item.shape)


def _data(item: _Item, size: int) -> memoryview:
    """The values without what follows them; tensors begin at multiples of 256 bytes."""
    if min(item.shape, default=0) < 1 or prod(item.shape) * size > len(item.data):
        raise LexalignError(f"a tensor of the shape {item.shape} has {len(item.data)} bytes")
    return item.data[: prod(item.shape) * size]


def _from_float(values: Array, name: str) -> Tensor:
    matrix = torch.from_numpy(values.astype(np.float32))
    return matrix if "Wemb" in name else matrix.T


def _from_int8(item: _Item, *, transposed: bool) -> Int8Rows:
    """The int8 matrix (out, in) with the same scale for all rows."""
    values = torch.from_numpy(np.frombuffer(_data(item, 1), np.int8).copy())
    columns, rows = item.shape if transposed else item.shape[::-1]
    if register := _REGISTERS[item.kind]:
        values = _untiled(values, rows, columns, register)
    (multiplier,) = np.frombuffer(_take(item.data, prod(item.shape), 4), "<f4")
    if not np.isfinite(multiplier) or multiplier <= 0:
        raise LexalignError(f"an int8 tensor has the multiplier {multiplier}")
    return Int8Rows(values.view(rows, columns), torch.full((rows,), 1 / float(multiplier)))


def _untiled(values: Tensor, rows: int, columns: int, register: int) -> Tensor:
    if rows % _TILE or columns % register:
        raise LexalignError(f"a matrix of {rows} by {columns} cannot be in tiles of {_TILE} by {register}")
    tiles = values.view(rows // _TILE, columns // register, _TILE, register)
    return tiles.transpose(1, 2).reshape(rows, columns)


def _text(content: bytes) -> str:
    return content.rstrip(b"\0").decode("utf-8")
