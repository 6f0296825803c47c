"""Filters for pairs, and the counts of what they drop."""

import numpy as np
import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.data.filters import FilterOptions, FilterReport, PairFilter


def lengths(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_empty_sides_are_left_out() -> None:
    pair_filter = PairFilter(FilterOptions())
    assert pair_filter.keep_text([("a", "b"), ("", "b"), ("a", " \u3000"), ("a", "b")]) == [
        True,
        False,
        False,
        True,
    ]
    assert pair_filter.report == FilterReport(num_read=4, num_empty=2)


def test_the_first_of_equal_pairs_stays_even_over_several_calls() -> None:
    pair_filter = PairFilter(FilterOptions(drop_duplicates=True))
    assert pair_filter.keep_text([("a", "b"), ("a", "c"), ("a", "b")]) == [True, True, False]
    assert pair_filter.keep_text([("a", "c"), ("ab", ""), ("b", "a")]) == [False, False, True]
    assert pair_filter.report == FilterReport(num_read=6, num_duplicate=2, num_empty=1)


def test_lengths_have_bounds_on_both_sides() -> None:
    pair_filter = PairFilter(FilterOptions(min_tokens=2, max_tokens=10))
    keep = pair_filter.keep_lengths(lengths(1, 2, 10, 11, 5), lengths(2, 2, 10, 9, 12))
    assert keep.tolist() == [False, True, True, False, False]
    assert pair_filter.report == FilterReport(num_kept=2, num_too_short=1, num_too_long=2)


def test_the_ratio_is_judged_in_both_directions_with_a_floor() -> None:
    pair_filter = PairFilter(FilterOptions(max_ratio=2, ratio_floor=3))
    # (11 + 3) / (4 + 3) is 2; short pairs may differ more than long ones.
    keep = pair_filter.keep_lengths(lengths(4, 11, 4, 12, 1, 40), lengths(11, 4, 12, 4, 5, 90))
    assert keep.tolist() == [True, True, False, False, True, False]
    assert pair_filter.report == FilterReport(num_kept=3, num_bad_ratio=3)


def test_a_pair_is_counted_once() -> None:
    pair_filter = PairFilter(FilterOptions(max_tokens=10, max_ratio=1.5))
    pair_filter.keep_lengths(lengths(0, 100), lengths(200, 1))
    assert pair_filter.report == FilterReport(num_too_short=1, num_too_long=1)


def test_the_report_reads_well_and_survives_a_dict() -> None:
    report = FilterReport(num_read=12_000, num_kept=11_000, num_empty=900, num_bad_ratio=100)
    assert report.lines() == [
        "11,000 of 12,000 pairs kept",
        "900 empty on one side",
        "100 too different in length",
    ]
    assert FilterReport.from_dict(report.to_dict()) == report


@pytest.mark.parametrize(
    ("minimum", "maximum", "ratio", "message"),
    [
        (0, 5, 2.0, "min_tokens is 0 and max_tokens 5; choose 1 <= min_tokens <= max_tokens"),
        (6, 5, 2.0, "min_tokens is 6 and max_tokens 5; choose 1 <= min_tokens <= max_tokens"),
        (1, 5, 0.5, "max_ratio must be 1 or more, and ratio_floor 0 or more"),
    ],
)
def test_options_that_keep_nothing_are_refused(
    minimum: int, maximum: int, ratio: float, message: str
) -> None:
    with pytest.raises(LexalignError) as error:
        FilterOptions(min_tokens=minimum, max_tokens=maximum, max_ratio=ratio)
    assert str(error.value) == message
