"""Sums and queries of alignments by kernels have the bits of torch's own operations."""

import pytest
import torch
from torch.nn import functional as F

from lexalign.kernel_shapes import enough_rows, pad_places, row_sums, summable
from lexalign.native.alignment import sum_spans
from lexalign.native.products import linear_product


@pytest.mark.parametrize("source", [1, 7, 16, 33, 192, 193, 300, 384, 500])
@pytest.mark.parametrize("spans", [2, 5, 18])
def test_sums_of_spans(source: int, spans: int) -> None:
    torch.manual_seed(source)
    found = torch.rand(2, 9, source).softmax(dim=2)
    marked = summable((torch.rand(2, source, spans) < 0.4).float())
    expected = row_sums(pad_places(found, marked.shape[1]), marked)[..., :spans]
    ours = sum_spans(found, marked, spans)
    assert ours is not None
    assert torch.equal(ours, expected)


@pytest.mark.parametrize("width", [64, 192, 256, 320, 384, 512, 1024])
@pytest.mark.parametrize("rows", [1, 5, 80, 300])
def test_a_linear_layer(width: int, rows: int) -> None:
    torch.manual_seed(width)
    weight, x = torch.randn(width, width), torch.randn(rows, width)
    product = linear_product(weight)
    assert product is not None
    assert torch.equal(product(x, None, False), F.linear(enough_rows(x), weight)[:rows])
