"""Float products have oneDNN's bits; int8 products are held against exact integers."""

import pytest
import torch
from torch import Tensor

from lexalign.models.projection import PackedFloat
from lexalign.native.products import NativeProduct, float_product, int8_product
from lexalign.weights import Int8Rows

ROWS = (1, 2, 5, 7, 16, 83)


def made(product: NativeProduct | None) -> NativeProduct:
    assert product is not None
    return product


@pytest.mark.parametrize("extra", ["none", "relu", "residual"])
@pytest.mark.parametrize(("columns", "terms"), [(64, 64), (100, 320), (1536, 512), (512, 1024), (320, 1280)])
def test_float_products_have_the_bits_of_onednn(columns: int, terms: int, extra: str) -> None:
    torch.manual_seed(1)
    weight, bias = torch.randn(columns, terms), torch.randn(columns)
    ours, theirs = made(float_product(weight, bias)), PackedFloat(weight, bias)
    for rows in ROWS:
        x, residual = torch.randn(rows, terms), torch.randn(rows, columns) if extra == "residual" else None
        assert torch.equal(ours(x, residual, extra == "relu"), theirs(x, residual, extra == "relu"))


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize(("columns", "terms"), [(64, 64), (100, 330), (512, 1024)])
def test_int8_products_are_exact_between_rounding_and_scaling(
    columns: int, terms: int, nonnegative: bool
) -> None:
    torch.manual_seed(1)
    rows, bias = Int8Rows.of(torch.randn(columns, terms)), torch.randn(columns)
    product = made(int8_product(rows, bias, nonnegative=nonnegative))
    for num_rows in ROWS:
        x = torch.randn(num_rows, terms)
        x = x.abs() if nonnegative else x
        expected = exact_product(x, rows, bias, 255 if nonnegative else 127)
        assert torch.allclose(product(x, None, False), expected, rtol=1e-5, atol=1e-5)


def exact_product(x: Tensor, rows: Int8Rows, bias: Tensor, steps: int) -> Tensor:
    largest = x.abs().amax(dim=1, keepdim=True)
    whole = torch.round(x / largest * steps).long() @ rows.values.long().T
    return (whole.double() * rows.scales * largest / steps + bias).float()


def test_a_row_does_not_depend_on_the_others() -> None:
    torch.manual_seed(1)
    product = made(int8_product(Int8Rows.of(torch.randn(100, 330)), None, nonnegative=False))
    x = torch.randn(83, 330) * torch.rand(83, 1) * 100
    together = product(x, None, False)
    assert all(torch.equal(product(x[i : i + 1], None, False)[0], together[i]) for i in range(83))


def test_a_row_of_zeros_gives_the_bias() -> None:
    bias = torch.randn(70)
    product = made(int8_product(Int8Rows.of(torch.randn(70, 32)), bias, nonnegative=False))
    assert torch.equal(product(torch.zeros(1, 32), None, False)[0], bias)
