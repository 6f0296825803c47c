"""What may still become of hypotheses."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.decoding.stopping import StoppingBound

LIMIT = 12
falls = st.floats(0.0, 8.0).map(lambda fall: -fall)


@settings(max_examples=300, deadline=None)
@given(
    score=falls,
    bias=st.floats(-8.0, 8.0),
    constant=falls,
    clock=st.integers(0, LIMIT - 2),
    penalty=st.sampled_from([0.0, 0.6, 1.0, 2.0]),
    steps=st.lists(st.tuples(falls, falls), min_size=1, max_size=LIMIT),
)
def test_no_hypothesis_gets_past_what_it_can_reach(
    score: float,
    bias: float,
    constant: float,
    clock: int,
    penalty: float,
    steps: list[tuple[float, float]],
) -> None:
    """However short it ends, whatever it has yet to pay, and also where a bonus lifts it over zero."""
    best = one(
        score, StoppingBound(bias=t(bias), constant=t(constant), over_zero=True), clock, penalty, exact=True
    )
    for length, (fall, price) in enumerate(steps[: LIMIT - clock], start=clock + 1):
        score, constant = score + fall, constant + price
        assert (score + bias) / length**penalty + constant <= best + 1e-4 * (1 + abs(best))


@pytest.mark.parametrize(
    ("bound", "exact", "expected"),
    [
        (StoppingBound(), True, -8 / 40),
        (StoppingBound(), False, -8 / 9),
        (StoppingBound(num_settled=torch.tensor([[2.0]])), False, -8 / 7),
        (StoppingBound(num_settled=torch.tensor([[2.0]])), True, -8 / 40),
        (StoppingBound(rising=torch.tensor([True])), False, -8 / 40),
        (StoppingBound(rising=torch.tensor([False])), False, -8 / 9),
        (StoppingBound(bias=torch.tensor([[12.0]]), over_zero=True), True, 4 / 9),
        (StoppingBound(bias=torch.tensor([[3.0]]), constant=torch.tensor([[-1.0]])), False, -5 / 9 - 1),
    ],
)
def test_hypotheses_are_seen_from_the_limit_or_token_for_token(
    bound: StoppingBound, exact: bool, expected: float
) -> None:
    assert one(-8.0, bound, 8, 1.0, exact=exact, limit=40) == pytest.approx(expected)


def test_the_best_hypothesis_counts() -> None:
    scores = torch.tensor([[-9.0, -4.0, float("-inf")], [float("-inf")] * 3])
    found = StoppingBound().best_reachable(scores, torch.tensor([3]), torch.tensor([9, 9]), 1.0, exact=False)
    assert found.tolist() == [-1.0, float("-inf")]


def t(value: float) -> torch.Tensor:
    return torch.tensor([[value]])


def one(
    score: float, bound: StoppingBound, clock: int, penalty: float, *, exact: bool, limit: int = LIMIT
) -> float:
    found = bound.best_reachable(t(score), torch.tensor([clock]), torch.tensor([limit]), penalty, exact=exact)
    return float(found)
