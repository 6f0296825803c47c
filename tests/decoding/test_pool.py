"""Which candidates a pool holds."""

import pytest
import torch
from torch import Tensor

from lexalign.decoding.pool import Listed, Pool, Pooling
from lexalign.decoding.scores import Candidates

EOS, A, B, C, D, SIZE = 0, 1, 2, 3, 4, 5
NEVER = float("-inf")
TOP = Candidates(
    scores=torch.tensor([[-1.0, -2.0, -2.5, -3.0]]),
    beam_index=torch.tensor([[0, 0, 1, 1]]),
    token_ids=torch.tensor([[A, B, EOS, A]]),
)
BEST = Listed(scores=torch.tensor([[[-1.0], [-3.5]]]), token_ids=torch.tensor([[[A], [C]]]))
MOVES = torch.tensor([[[B, D], [EOS, C]]])
MOVE_SCORES = torch.tensor([[[-2.0, -4.0], [-2.5, -3.5]]])


def test_of_candidates_that_are_there_twice_the_first_stays() -> None:
    pool = Pooling(SIZE, EOS).unite(TOP, [BEST], Listed(scores=MOVE_SCORES, token_ids=MOVES))
    assert _listed(pool) == [(0, A), (0, B), (1, A), (1, C), (0, D)]


@pytest.mark.parametrize(
    ("weight", "expected"),
    [
        (0.0, [(0, A), (1, A), (0, B), (0, D), (1, C)]),
        (-1.0, [(0, A), (0, B), (1, A), (1, C), (0, B), (0, D), (1, C)]),
    ],
)
def test_a_token_stays_free_where_serving_a_constraint_costs_something(
    weight: float, expected: list[tuple[int, int]]
) -> None:
    scores = MOVE_SCORES.masked_fill(MOVES == EOS, NEVER)
    moves = Listed(scores=scores, token_ids=MOVES, weights=torch.full_like(scores, weight))
    pool = Pooling(SIZE, EOS).join(TOP, [BEST], moves, _unweighed)
    assert _listed(pool) == expected
    assert pool.advance is not None
    assert pool.advance.tolist() == [False] * 6 + [True] * 4


def _unweighed(rows: Tensor, token_ids: Tensor) -> Tensor | None:  # noqa: ARG001
    return None


def _listed(pool: Pool) -> list[tuple[int, int]]:
    there = (pool.scores > NEVER)[0]
    return list(zip(pool.rows[0, there].tolist(), pool.token_ids[0, there].tolist(), strict=True))
