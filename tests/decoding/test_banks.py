"""How the slots of a beam are shared between banks."""

import pytest
import torch

from lexalign.decoding.policies.banks import allocate


@pytest.mark.parametrize(
    ("slots", "per_bank", "expected"),
    [
        (5, [5, 1], [4, 1]),
        (5, [10, 10], [2, 3]),
        (5, [1, 10], [1, 4]),
        (10, [5, 0, 7], [5, 0, 5]),
        (2, [1, 0, 1, 1], [0, 0, 1, 1]),
        (3, [4, 2, 2, 3], [0, 1, 1, 1]),
        (1, [4, 2], [0, 1]),
    ],
)
def test_banks_share_slots_evenly_the_fullest_first(
    slots: int, per_bank: list[int], expected: list[int]
) -> None:
    banks = torch.tensor([[float(bank) for bank, size in enumerate(per_bank) for _ in range(size)]])
    ranks = -torch.arange(banks.shape[1], dtype=torch.float32)[None]
    chosen = allocate(ranks, banks, slots)
    assert [int((banks[0, chosen[0]] == bank).sum()) for bank in range(len(per_bank))] == expected


def test_the_best_of_each_bank_go_on() -> None:
    banks = torch.tensor([[0.0, 2.0, 0.0, 1.0, 1.0, 0.0]])
    ranks = torch.tensor([[-3.0, -9.0, -1.0, -6.0, -5.0, -2.0]])
    chosen = allocate(ranks, banks, 4)
    assert ranks[0, chosen[0]].tolist() == [-9.0, -5.0, -1.0, -6.0]


def test_what_cannot_win_comes_last() -> None:
    ranks = torch.tensor([[float("-inf"), -1.0, float("-inf")]])
    assert allocate(ranks, torch.tensor([[3.0, 0.0, 0.0]]), 2)[0, 0] == 1
