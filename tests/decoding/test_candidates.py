"""Which candidates are pooled."""

from dataclasses import replace

import pytest
import torch

from lexalign.decoding.candidates import (
    Candidates,
    join_candidates,
    list_ends,
    list_tokens,
    pool,
    pool_jointly,
)

EOS, A, B, C, D, SIZE = 0, 1, 2, 3, 4, 5
NEVER = float("-inf")
TOP = Candidates(
    scores=torch.tensor([[-1.0, -2.0, -2.5, -3.0]]),
    beam_index=torch.tensor([[0, 0, 1, 1]]),
    token_ids=torch.tensor([[A, B, EOS, A]]),
)
BEST = list_tokens(torch.tensor([[[-1.0], [-3.5]]]), torch.tensor([[[A], [C]]]))
ENDS = list_ends(torch.tensor([[-9.0, -2.5]]), EOS)
FREE = join_candidates([TOP, BEST])
SERVING = list_tokens(torch.tensor([[[-2.0, -4.0], [-2.5, -3.5]]]), torch.tensor([[[B, D], [EOS, C]]]))


def test_of_candidates_that_are_there_twice_the_first_stays() -> None:
    assert _listed(pool(ENDS, FREE, SERVING, SIZE)) == [(0, A), (0, B), (1, A), (1, C), (0, D)]


@pytest.mark.parametrize(
    ("bias", "expected"),
    [
        (0.0, [(0, A), (1, A), (0, B), (0, D), (1, C)]),
        (-1.0, [(0, A), (0, B), (1, A), (1, C), (0, B), (0, D), (1, C)]),
    ],
)
def test_a_token_stays_free_where_serving_a_constraint_costs_something(
    bias: float, expected: list[tuple[int, int]]
) -> None:
    scores = SERVING.scores.masked_fill(SERVING.token_ids == EOS, NEVER)
    serving = replace(SERVING, scores=scores, bias=torch.full_like(scores, bias))
    pooled = pool_jointly(ENDS, FREE, serving, SIZE)
    assert _listed(pooled) == expected
    assert pooled.may_serve is not None
    assert pooled.may_serve.tolist() == [False] * 6 + [True] * 4


def _listed(pooled: Candidates) -> list[tuple[int, int]]:
    there = (pooled.scores > NEVER)[0]
    return list(zip(pooled.beam_index[0, there].tolist(), pooled.token_ids[0, there].tolist(), strict=True))
