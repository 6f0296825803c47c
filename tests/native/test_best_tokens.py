"""The kernel finds what sorting all continuations finds, with the same scores to the last bit."""

from collections.abc import Callable

import pytest
import torch

from lexalign.decoding.scores import TokenScores


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize(("batch", "beam", "size"), [(1, 1, 1000), (3, 5, 997), (2, 10, 37)])
def test_equals_the_plain_way(
    batch: int, beam: int, size: int, biased: bool, without_kernels: Callable[[], None]
) -> None:
    torch.manual_seed(1)
    logits = 3 * torch.randn(batch, beam, size)
    logits[:, :, [0, 3]] = float("-inf")
    hypotheses = torch.randn(batch, beam)
    bias = torch.randn(batch, beam) if biased else None

    def ask() -> list[torch.Tensor]:
        found = TokenScores(logits.clone(), hypotheses).top(2 * beam, bias)
        scores = TokenScores(logits.clone(), hypotheses)
        return [found.scores, found.beam_index, found.token_ids, *scores.best(2), *scores.best(1)]

    ours = ask()
    without_kernels()
    assert all(torch.equal(one, other) for one, other in zip(ours, ask(), strict=True))


def test_after_a_token_is_forbidden_the_others_keep_their_scores() -> None:
    torch.manual_seed(1)
    scores = TokenScores(torch.randn(1, 2, 100), torch.zeros(1, 2))
    first, second = scores.top(2).scores[0].tolist()
    best = scores.top(1)
    at = torch.zeros(1, 2, 1, dtype=torch.int64).fill_(int(best.token_ids))
    forbidden = torch.zeros(1, 2, 1, dtype=torch.bool)
    forbidden[0, int(best.beam_index)] = True
    scores.forbid(at, forbidden)
    assert first > second == scores.top(1).scores.item()


def test_hypotheses_that_can_never_win_leave_places_empty() -> None:
    dead = torch.full((1, 2), float("-inf"))
    assert TokenScores(torch.randn(1, 2, 50), dead).top(4).scores.isneginf().all()
