"""The candidates of a step from several sources, each of them once.

    best of the beam      a1 b1 a2        (a token of each hypothesis: a1 is hypothesis 1 with token a)
    best of each          a1 c2
    serve a constraint    b1 d1 </s>2     (an end of sentence stands at an empty place)
    pool                  a1 b1 a2 c2 d1

Of candidates that are there twice the first stays. Hypotheses end elsewhere, so their ends count as if they
had been there before all others: they drop out, and empty places with them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import torch
from torch import Tensor

from lexalign.decoding.scores import Candidates

_NEVER = float("-inf")


@dataclass(frozen=True, kw_only=True)
class Pool:
    """Candidates (B, C); places of score -inf are empty."""

    scores: Tensor  # log-probability of the whole hypothesis
    rows: Tensor
    token_ids: Tensor
    weights: Tensor | None = None  # what a policy adds to the score
    advance: Tensor | None = None  # whether the token may serve a constraint; None: every one


@dataclass(frozen=True, kw_only=True)
class Listed:
    """Tokens (B, K, C) of each hypothesis."""

    scores: Tensor
    token_ids: Tensor
    weights: Tensor | None = None


class Pooling:
    """Makes pools of tokens of a vocabulary."""

    def __init__(self, size: int, eos_id: int) -> None:
        self._size, self._eos_id = size, eos_id

    def unite(self, top: Candidates, free: Sequence[Listed], moves: Listed) -> Pool:
        """All tokens serve constraints; what is free already needs no move."""
        listed = _Lined(top, [*free, moves], self._eos_id)
        pairs = torch.add(listed.token_ids, listed.rows, alpha=self._size)
        num_ends, num_moves = listed.num_ends, moves.token_ids[0].numel()
        same = pairs[:, num_ends:, None] == pairs[:, None, : pairs.shape[1] - num_moves]
        again = (same & _earlier(*same.shape[1:], num_ends, same.device)).any(dim=2)
        weights = None
        if moves.weights is not None:
            unweighed = single(0.0, same.device).expand_as(listed.scores[:, num_moves:])
            weights = torch.cat([unweighed, moves.weights.flatten(1)], dim=1)
        return Pool(
            scores=listed.scores.masked_fill(again, _NEVER),
            rows=listed.rows[:, num_ends:],
            token_ids=listed.token_ids[:, num_ends:],
            weights=weights,
        )

    def join(
        self,
        top: Candidates,
        free: Sequence[Listed],
        moves: Listed,
        weigh: Callable[[Tensor, Tensor], Tensor | None],
    ) -> Pool:
        """Only moves serve constraints; a token stays free as well where serving one costs it something.

        `weigh` says what is added to free tokens of some rows.
        """
        assert moves.weights is not None
        listed = _Lined(top, [*free, moves], self._eos_id)
        ends, num_moves = listed.num_ends, moves.token_ids[0].numel()
        last = listed.rows.shape[1] - num_moves
        weighed = weigh(listed.rows[:, ends:last], listed.token_ids[:, ends:last])
        if weighed is None:
            weighed = single(0.0, listed.scores.device).expand_as(listed.scores[:, num_moves:])
        weights = torch.cat([weighed, moves.weights.flatten(1)], dim=1)
        always = single(float("inf"), weights.device).expand(len(weights), ends)
        ranks = torch.cat([always, listed.scores + weights], dim=1)
        pairs = torch.add(listed.token_ids, listed.rows, alpha=self._size)
        same = pairs[:, ends:last, None] == pairs[:, None]
        no_better = ranks[:, ends:last, None] <= ranks[:, None]
        first = _earlier_or_move(last - ends, pairs.shape[1], ends, same.device)
        beaten = (same & no_better & first).any(dim=2)
        listed.scores[:, : last - ends].masked_fill_(beaten, _NEVER)
        return Pool(
            scores=listed.scores,
            rows=listed.rows[:, ends:],
            token_ids=listed.token_ids[:, ends:],
            weights=weights,
            advance=_is_move(last - ends, num_moves, same.device),
        )


class _Lined:
    """The ends of all hypotheses, the best candidates, those that are listed; ends have no scores."""

    def __init__(self, top: Candidates, listed: Sequence[Listed], eos_id: int) -> None:
        batch, self.num_ends, _ = listed[0].token_ids.shape
        device = top.token_ids.device
        own = [row_numbers(*one.token_ids.shape[1:], device).expand(batch, -1) for one in listed]
        ends = row_numbers(self.num_ends, 1, device).expand(batch, -1)
        no_tokens = single(eos_id, device).expand_as(ends)
        tokens = [one.token_ids.flatten(1) for one in listed]
        self.scores = torch.cat([top.scores, *(one.scores.flatten(1) for one in listed)], dim=1)
        self.rows = torch.cat([ends, top.beam_index, *own], dim=1)
        self.token_ids = torch.cat([no_tokens, top.token_ids, *tokens], dim=1)


# What is the same at every step is made once; a recorded step goes on using it, so it is never given up.
@cache
def row_numbers(rows: int, count: int, device: torch.device) -> Tensor:
    """(rows * count,): 0, 0, 1, 1, ..."""
    return torch.arange(rows, device=device).repeat_interleave(count)


@lru_cache(maxsize=None, typed=True)  # an end of sentence may be 0, which is not 0.0
def single(value: float, device: torch.device) -> Tensor:
    return torch.tensor([value], device=device)


@cache
def _earlier(count: int, num_known: int, num_ends: int, device: torch.device) -> Tensor:
    """(count, num_known): which of those known, ends first, come before a candidate."""
    place = torch.arange(count, device=device)[:, None] + num_ends
    return torch.arange(num_known, device=device) < place


@cache
def _earlier_or_move(num_free: int, count: int, num_ends: int, device: torch.device) -> Tensor:
    """(num_free, count): which come before a free candidate, or are moves."""
    place = torch.arange(count, device=device)
    return _earlier(num_free, count, num_ends, device) | (place >= num_ends + num_free)


@cache
def _is_move(num_free: int, num_moves: int, device: torch.device) -> Tensor:
    return torch.arange(num_free + num_moves, device=device) >= num_free
