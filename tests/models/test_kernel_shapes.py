"""The properties of kernels that `kernel_shapes` states hold on this machine."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from lexalign.kernel_shapes import (
    mean_of_heads,
    next_lane,
    row_products,
    row_softmax,
    row_sums,
    steady_span,
    summable,
)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def draw(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("size", [16, 32, 64, 128])
def test_products_do_not_depend_on_their_number(size: int) -> None:
    queries, keys = draw(2, 24, size), draw(2, 420, size, seed=2)
    whole = row_products(queries, keys)
    for num_queries in (1, 2, 3, 4, 5, 10):
        for num_keys in (1, 3, 12, 17, 40, 191, 193, 384, 401):
            found = row_products(queries[:, :num_queries], keys[:, :num_keys])
            assert torch.equal(found, whole[:, :num_queries, :num_keys]), (num_queries, num_keys)


@pytest.mark.parametrize("num_queries", [1, 5])
@pytest.mark.parametrize("length", [1, 9, 60, 192, 193, 300])
def test_sums_do_not_depend_on_zeros_behind_them(length: int, num_queries: int) -> None:
    weights, values = draw(2, num_queries, length).softmax(dim=-1), draw(2, length, 64, seed=2)
    results = []
    for size in (length, length + 1, length + 30, length + 200, length + 500):
        span = steady_span(size)
        padded = draw(2, span, 64, seed=3)  # what is weighed with zero may be anything
        padded[:, :length] = values
        found = row_sums(torch.cat([weights, torch.zeros(2, num_queries, span - length)], dim=-1), padded)
        results.append(found)
    assert all(torch.equal(found, results[0]) for found in results)


def test_few_columns_are_summed_in_the_same_order() -> None:
    weights, values = draw(2, 5, 30).softmax(dim=-1), (draw(2, 30, 20) > 1).float()
    whole = row_sums(weights, summable(values)[:, :30])
    for columns in (1, 2, 7, 16):
        found = row_sums(weights, summable(values[:, :, :columns])[:, :30])
        assert torch.equal(found[..., :columns], whole[..., :columns])


def test_a_softmax_does_not_depend_on_gaps_that_end_at_a_lane() -> None:
    for length in (1, 5, 16, 40, 90):
        for more in (1, 5, 40):
            scores, results = draw(3, length + more), []
            for start in range(next_lane(length), next_lane(length) + 200, 16):
                spread = torch.full((3, steady_span(start + more)), float("-inf"))
                spread[:, :length], spread[:, start : start + more] = scores[:, :length], scores[:, length:]
                weights = row_softmax(spread)
                results.append(torch.cat([weights[:, :length], weights[:, start : start + more]], dim=1))
            assert all(torch.equal(found, results[0]) for found in results)


def test_a_softmax_of_few_does_not_depend_on_what_is_behind() -> None:
    scores = draw(3, 7)
    whole = row_softmax(torch.cat([scores, torch.full((3, 50), float("-inf"))], dim=1))
    assert torch.equal(row_softmax(scores), whole[:, :7])


@pytest.mark.parametrize("heads", [1, 4, 5, 8, 16])
def test_a_mean_of_heads_does_not_depend_on_other_positions(heads: int) -> None:
    weights = draw(3, heads, 7, 29).softmax(dim=-1)
    whole = mean_of_heads(weights)
    torch.testing.assert_close(whole, weights.mean(dim=1))
    for size in (1, 3, 17, 19, 23):
        assert torch.equal(mean_of_heads(weights[:1, :, :, :size].contiguous()), whole[:1, :, :size])
