"""What may still become of hypotheses."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.decoding.prospects import Prospects, reach

LIMIT = 12
falls = st.floats(0.0, 8.0).map(lambda fall: -fall)


@settings(max_examples=300, deadline=None)
@given(
    score=falls,
    bias=st.floats(-8.0, 8.0),
    settled=falls,
    clock=st.integers(0, LIMIT - 2),
    penalty=st.sampled_from([0.0, 0.6, 1.0, 2.0]),
    steps=st.lists(st.tuples(falls, falls), min_size=1, max_size=LIMIT),
)
def test_no_hypothesis_gets_past_what_it_can_reach(
    score: float,
    bias: float,
    settled: float,
    clock: int,
    penalty: float,
    steps: list[tuple[float, float]],
) -> None:
    """However short it ends, whatever it has yet to pay, and also where a bonus lifts it over zero."""
    best = one(score, Prospects(bias=t(bias), settled=t(settled), over_zero=True), clock, penalty, exact=True)
    for length, (fall, price) in enumerate(steps[: LIMIT - clock], start=clock + 1):
        score, settled = score + fall, settled + price
        assert (score + bias) / length**penalty + settled <= best + 1e-4 * (1 + abs(best))


@pytest.mark.parametrize(
    ("prospects", "exact", "expected"),
    [
        (Prospects(), True, -8 / 40),
        (Prospects(), False, -8 / 9),
        (Prospects(missing=torch.tensor([[2.0]])), False, -8 / 11),
        (Prospects(missing=torch.tensor([[2.0]])), True, -8 / 40),
        (Prospects(rising=torch.tensor([True])), False, -8 / 40),
        (Prospects(rising=torch.tensor([False])), False, -8 / 9),
        (Prospects(bias=torch.tensor([[12.0]]), over_zero=True), True, 4 / 9),
        (Prospects(bias=torch.tensor([[3.0]]), settled=torch.tensor([[-1.0]])), False, -5 / 9 - 1),
    ],
)
def test_hypotheses_are_seen_from_the_limit_or_token_for_token(
    prospects: Prospects, exact: bool, expected: float
) -> None:
    assert one(-8.0, prospects, 8, 1.0, exact=exact, limit=40) == pytest.approx(expected)


def test_the_best_hypothesis_counts() -> None:
    scores = torch.tensor([[-9.0, -4.0, float("-inf")], [float("-inf")] * 3])
    found = reach(scores, Prospects(), torch.tensor([3]), torch.tensor([9, 9]), 1.0, exact=False)
    assert found.tolist() == [-1.0, float("-inf")]


def t(value: float) -> torch.Tensor:
    return torch.tensor([[value]])


def one(
    score: float, prospects: Prospects, clock: int, penalty: float, *, exact: bool, limit: int = LIMIT
) -> float:
    found = reach(t(score), prospects, torch.tensor([clock]), torch.tensor([limit]), penalty, exact=exact)
    return float(found)
