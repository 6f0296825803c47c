"""What hypotheses are expected to pay for what they lack."""

import pytest
import torch

from lexalign.decoding.policies.bank_stopping import ConstraintCosts, ExpectedCosts

# Three hypotheses of 9 tokens, of which the last has met all 6 tokens of the constraints.
COSTS, NUM_MET = torch.tensor([[-5.0, -8.0, -30.0]]), torch.tensor([[4.0, 4.0, 6.0]])
NUM_MISSING, CLOCK = 6 - NUM_MET, torch.tensor([8])
DEAD = torch.tensor([[float("-inf"), -20.0, -40.0]])
SCORES = torch.tensor([[-10.0, -20.0, -40.0]])


def test_a_token_costs_no_less_than_any_has_cost() -> None:
    expected = ExpectedCosts.start(1, 1.0, torch.device("cpu"))
    assert expected.of(SCORES, COSTS, NUM_MET, NUM_MISSING, CLOCK).tolist() == [[-7.5, -10.5, -30.0]]
    # Now that it was seen, it counts, whoever is there.
    assert expected.of(DEAD, COSTS * 2, NUM_MET, NUM_MISSING, CLOCK).tolist() == [[-12.5, -18.5, -60.0]]


def test_of_those_that_cannot_win_nothing_is_learnt() -> None:
    expected = ExpectedCosts.start(1, 1.0, torch.device("cpu"))
    assert expected.of(DEAD, COSTS, NUM_MET, NUM_MISSING, CLOCK).tolist() == [[-9.0, -12.0, -30.0]]


def test_who_is_past_the_end_pays_what_the_cheapest_paid() -> None:
    """Only the second of those that lack something is no better than an end of -12; 10 tokens are past 7."""
    ended = torch.tensor([[False, True, True]])
    for end, past in ((6, True), (7, False)):  # 9 are hardly past 8
        expected = ExpectedCosts.start(1, 1.0, torch.device("cpu"))
        scores = torch.tensor([[-12.0, -50.0, -50.0]])
        expected.see_ends(scores, torch.tensor([[-1.0, -26.0, -24.0]]), ended, torch.tensor([end]))
        found = expected.of(SCORES, COSTS, NUM_MET, NUM_MISSING, torch.tensor([7 if not past else 8]))
        assert found.tolist() == [[-7.5, -24.0 if past else -10.5, -30.0]]


def test_nothing_is_expected_before_anyone_has_ended() -> None:
    expected = ExpectedCosts.start(1, 1.0, torch.device("cpu"))
    nobody = torch.tensor([[False, False, False]])
    expected.see_ends(SCORES, COSTS, nobody, torch.tensor([2]))
    assert expected.of(SCORES * 9, COSTS, NUM_MET, NUM_MISSING, CLOCK).tolist() == [[-7.5, -10.5, -30.0]]


def test_neither_rambling_nor_silence_is_rewarded() -> None:
    """The worked example of `ConstraintCosts`: six tokens of constraints cost 20, the source has 10 words."""
    costs = ConstraintCosts.start(torch.tensor([10]), 1, 1.0)
    costs.commit(torch.tensor([[0]]), torch.tensor([[-20.0]]), torch.tensor([[6.0]]))
    finals = []
    for num_tokens, free in ((18, -9.0), (28, -20.0), (7, -3.0)):
        scores, clock = torch.tensor([[free - 20.0]]), torch.tensor([num_tokens - 1])
        finals.append(float((scores + costs.end_bias(scores, None, clock)) / num_tokens))
    assert finals == pytest.approx([-0.75 - 2.0, -20 / 22 - 2.0, -3.0 - 2.0])
