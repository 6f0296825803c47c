"""Packed weights against the plain product."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from lexalign.models.projection import PackedFloat

WIDTH, OUTPUTS = 24, 40


@pytest.fixture
def weights() -> tuple[Tensor, Tensor]:
    torch.manual_seed(1)
    return torch.randn(OUTPUTS, WIDTH), torch.randn(OUTPUTS)


@pytest.mark.parametrize("shape", [(1,), (128,), (129,), (3, 64), (7, 91), (2, 3, 50)])
@pytest.mark.parametrize("extra", ["nothing", "relu", "residual"])
@torch.inference_mode()
def test_any_number_of_rows_is_multiplied(
    weights: tuple[Tensor, Tensor], shape: tuple[int, ...], extra: str
) -> None:
    x = torch.randn(*shape, WIDTH)
    residual = torch.randn(*shape, OUTPUTS) if extra == "residual" else None
    expected = F.linear(x, *weights)
    if extra == "relu":
        expected = F.relu(expected)
    if residual is not None:
        expected = expected + residual
    found = PackedFloat(*weights)(x, residual, extra == "relu")
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)


@torch.inference_mode()
def test_rows_that_lie_apart_are_multiplied(weights: tuple[Tensor, Tensor]) -> None:
    x = torch.randn(50, 3, WIDTH).transpose(0, 1)
    residual = torch.randn(50, 3, OUTPUTS).transpose(0, 1)
    found = PackedFloat(*weights)(x, residual, relu=False)
    torch.testing.assert_close(found, F.linear(x, *weights) + residual, rtol=1e-5, atol=1e-5)


@torch.inference_mode()
def test_few_numbers_of_rows_are_asked_of_the_kernels(
    weights: tuple[Tensor, Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them would cost memory for as long as the process lives."""
    asked: set[int] = set()
    product = PackedFloat._product

    def watched(self: PackedFloat, x: Tensor, residual: Tensor | None, relu: bool) -> Tensor:
        asked.add(x.numel() // WIDTH)
        return product(self, x, residual, relu)

    monkeypatch.setattr(PackedFloat, "_product", watched)
    packed = PackedFloat(*weights)
    for num_rows in range(1, 1500):
        packed(torch.zeros(num_rows, WIDTH), None, relu=False)
    assert len(asked) < 140
