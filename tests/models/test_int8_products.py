"""int8 products against the plain product."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from lexalign.models import int8_products
from lexalign.models.int8_products import RowInt8, SharedInt8, dynamic_linear

WIDTH, OUTPUTS = 32, 24


@pytest.fixture
def weights() -> tuple[Tensor, Tensor]:
    torch.manual_seed(1)
    return torch.randn(OUTPUTS, WIDTH), torch.randn(OUTPUTS)


def quantised(weight: Tensor) -> Tensor:
    scales = weight.abs().amax(dim=1).double() / 127
    zeros = torch.zeros(len(weight), dtype=torch.int64)
    return torch.quantize_per_channel(weight, scales, zeros, 0, torch.qint8)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("engine", ["the engine's own", "any engine"])
@pytest.mark.parametrize("nonnegative", [False, True])
@torch.inference_mode()
def test_the_product_of_a_row_does_not_depend_on_other_rows(
    weights: tuple[Tensor, Tensor], nonnegative: bool, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if engine == "any engine":
        monkeypatch.setattr(int8_products, "_fixed_scale_linear", lambda: dynamic_linear)
    weight, bias = weights
    packed = RowInt8(quantised(weight), bias, nonnegative)
    x = torch.randn(9, WIDTH) * torch.logspace(-2, 2, 9)[:, None]
    x = x.abs() if nonnegative else x
    together = packed(x.clone(), None, False)
    exact = F.linear(x, quantised(weight).dequantize(), bias)
    assert bool(((together - exact).abs() <= 0.05 * x.abs().amax(dim=1, keepdim=True)).all())
    for row in range(9):
        assert torch.equal(packed(x[row : row + 1].clone(), None, False), together[row : row + 1])


@pytest.mark.filterwarnings("ignore::UserWarning")
@torch.inference_mode()
def test_a_row_of_zeros_gives_the_bias(weights: tuple[Tensor, Tensor]) -> None:
    weight, bias = weights
    for nonnegative in (False, True):
        packed = RowInt8(quantised(weight), bias, nonnegative)
        assert torch.equal(packed(torch.zeros(2, WIDTH), None, False), bias.expand(2, -1))


@pytest.mark.filterwarnings("ignore::UserWarning")
@torch.inference_mode()
def test_a_shared_scale_is_made_by_all_rows(weights: tuple[Tensor, Tensor]) -> None:
    weight, bias = weights
    packed = SharedInt8(quantised(weight), bias)
    x = torch.randn(2, WIDTH) * torch.tensor([[1.0], [100.0]])
    assert not torch.equal(packed(x, None, False)[:1], packed(x[:1], None, False))
