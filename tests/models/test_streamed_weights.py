"""Weights written one by one are what safetensors reads, and only one is in memory at a time."""

import weakref
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from lexalign.models.streamed_weights import PlannedTensor, stream_weights
from lexalign.weights import Int8Rows, WeightFile


def plan(tensors: dict[str, Tensor]) -> list[PlannedTensor]:
    return [
        PlannedTensor(name=name, shape=tuple(value.shape), dtype=value.dtype)
        for name, value in tensors.items()
    ]


def test_safetensors_reads_them(tmp_path: Path) -> None:
    tensors = {
        "a": torch.randn(3, 5),
        "b.weight": torch.randn(7).half(),
        "c": torch.randn(2, 2, 2).bfloat16(),
        "d": torch.randn(4, 6).t(),
        "empty": torch.empty(0, 3),
    }
    stream_weights(tmp_path / "weights.safetensors", plan(tensors), tensors.__getitem__)
    found = load_file(tmp_path / "weights.safetensors")
    assert set(found) == set(tensors)
    for name, value in tensors.items():
        assert found[name].dtype == value.dtype
        assert torch.equal(found[name], value)


def test_int8_weights_have_scales_and_others_keep_their_places(tmp_path: Path) -> None:
    """Odd numbers of narrow values must not move wide ones off their multiples."""
    tensors = {"half": torch.randn(3).half(), "matrix": torch.randn(5, 7), "bias": torch.randn(3)}
    wanted = [
        PlannedTensor(name="half", shape=(3,), dtype=torch.float16),
        PlannedTensor(name="matrix", shape=(5, 7), dtype=torch.int8),
        PlannedTensor(name="bias", shape=(3,), dtype=torch.float32),
    ]
    path = tmp_path / "weights.safetensors"
    stream_weights(path, wanted, tensors.__getitem__)
    file, rows = WeightFile(path, "copy it again"), Int8Rows.of(tensors["matrix"])
    assert file.names == set(tensors)
    found = file.read("matrix")
    assert isinstance(found, Int8Rows)
    assert torch.equal(found.values, rows.values)
    assert torch.equal(found.scales, rows.scales)
    assert torch.equal(file.read_float("half"), tensors["half"])
    assert torch.equal(file.read_float("bias"), tensors["bias"])


def test_one_at_a_time(tmp_path: Path) -> None:
    alive: list[weakref.ref[np.ndarray]] = []  # what a tensor keeps as long as its memory is needed

    def load(name: str) -> Tensor:
        assert all(one() is None for one in alive), name
        memory = np.zeros(100, dtype=np.float32)
        alive.append(weakref.ref(memory))
        return torch.from_numpy(memory)

    wanted = [PlannedTensor(name=str(place), shape=(100,), dtype=torch.float32) for place in range(5)]
    stream_weights(tmp_path / "weights.safetensors", wanted, load)
    assert len(alive) == 5


def test_a_tensor_of_another_shape(tmp_path: Path) -> None:
    wanted = [PlannedTensor(name="a", shape=(3,), dtype=torch.float32)]
    with pytest.raises(ValueError, match="a is"):
        stream_weights(tmp_path / "weights.safetensors", wanted, lambda _: torch.zeros(4))
