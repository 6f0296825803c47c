"""Groups of sentences by padded length."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from lexalign.models.length_groups import gather_groups, length_groups, padded_length, resize


@given(st.integers(1, 2000), st.integers(2000, 3000))
def test_a_length_is_padded_by_an_eighth_at_most(length: int, limit: int) -> None:
    padded = padded_length(length, limit)
    assert length <= padded <= max(16, length + length // 4 + 1, length + 7)
    assert padded_length(padded, limit) == padded


def test_nothing_is_padded_over_the_limit() -> None:
    assert padded_length(61, 62) == 62
    assert padded_length(62, 62) == 62
    assert padded_length(3, 10) == 10


def test_there_are_few_paddings() -> None:
    assert len({padded_length(length, 4096) for length in range(1, 1025)}) < 50


@given(st.lists(st.tuples(st.integers(1, 90), st.integers(1, 90)), min_size=1, max_size=20))
def test_rows_come_back_in_their_order(lengths: list[tuple[int, int]]) -> None:
    groups = length_groups(lengths, 100)
    rows = torch.arange(len(lengths))[:, None]
    found = gather_groups([(places, rows[places]) for places in groups.values()])
    assert torch.equal(found, rows)
    for padded, places in groups.items():
        assert all(
            all(own <= size for own, size in zip(lengths[place], padded, strict=True)) for place in places
        )


def test_resizing_keeps_the_beginning() -> None:
    x = torch.arange(12.0).view(2, 3, 2)
    assert torch.equal(resize(x, 1, 2), x[:, :2])
    longer = resize(x, 1, 5, 7.0)
    assert longer.shape == (2, 5, 2)
    assert torch.equal(longer[:, :3], x)
    assert bool((longer[:, 3:] == 7).all())
