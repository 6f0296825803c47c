"""Sentences of like length stand together, each of them once, in their order."""

from hypothesis import given
from hypothesis import strategies as st

from lexalign.models.shapes import like_groups


@given(st.lists(st.integers(1, 100), min_size=1, max_size=60))
def test_groups_follow_one_another(lengths: list[int]) -> None:
    falling = sorted(lengths, reverse=True)
    groups = like_groups(falling)
    assert [length for group in groups for length in falling[group]] == falling
    assert all(falling[group] for group in groups)
    for group in groups[1:]:
        before = groups[groups.index(group) - 1]
        assert falling[group.start] <= 0.8 * falling[before.start]


def test_little_is_padded() -> None:
    falling = [90, 88, 85, 40, 38, 37, 36, 10, 9]
    assert like_groups(falling) == [slice(0, 3), slice(3, 7), slice(7, 9)]


def test_what_is_in_no_order_stays_together() -> None:
    assert like_groups([10, 90, 10, 90, 10, 90]) == [slice(0, 6)]
