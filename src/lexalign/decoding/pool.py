"""The candidates of a step from several sources, each of them once."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

_NEVER = float("-inf")


@dataclass(frozen=True, kw_only=True)
class Pool:
    """Candidates (B, C); places of score -inf are empty."""

    scores: Tensor  # log-probability of the whole hypothesis
    rows: Tensor
    token_ids: Tensor
    weights: Tensor | None = None  # what a policy adds to the score
    advance: Tensor | None = None  # whether the token may serve a constraint; None: every one

    def without(self, places: Tensor) -> "Pool":
        return Pool(
            scores=self.scores.masked_fill(places, _NEVER),
            rows=self.rows,
            token_ids=self.token_ids,
            weights=self.weights,
        )


def list_tokens(scores: Tensor, token_ids: Tensor, use: Tensor, weights: Tensor | None = None) -> Pool:
    """Tokens (B, K, C) of each hypothesis, where they are of use."""
    rows = torch.arange(scores.shape[1], device=scores.device)[None, :, None].expand_as(token_ids)
    return Pool(
        scores=scores.masked_fill(~use, _NEVER).flatten(1),
        rows=rows.flatten(1),
        token_ids=token_ids.flatten(1),
        weights=None if weights is None else weights.flatten(1),
    )


def unite(pools: Sequence[Pool]) -> Pool:
    """Pools without weights; of candidates that are there twice the first stays."""
    pool = Pool(
        scores=torch.cat([pool.scores for pool in pools], dim=1),
        rows=torch.cat([pool.rows for pool in pools], dim=1),
        token_ids=torch.cat([pool.token_ids for pool in pools], dim=1),
    )
    there = pool.scores > _NEVER
    again = (_same(pool, pool) & there[:, None]).tril(-1).any(dim=2)
    return pool.without(again)


def add_moves(free: Pool, moves: Pool) -> Pool:
    """All tokens serve constraints; what is free already needs no move."""
    known = (_same(moves, free) & (free.scores > _NEVER)[:, None]).any(dim=2)
    return _join(free, moves.without(known))


def add_weighed_moves(free: Pool, moves: Pool) -> Pool:
    """Only moves serve constraints; a token stays free as well where serving one costs it something."""
    moved, stayed = _ranked(moves), _ranked(free)
    beaten = (_same(free, moves) & (moved[:, None] >= stayed[:, :, None])).any(dim=2)
    pool = _join(free.without(beaten), moves)
    num_free = free.scores.shape[1]
    advance = torch.arange(pool.scores.shape[1], device=pool.scores.device) >= num_free
    return Pool(
        scores=pool.scores,
        rows=pool.rows,
        token_ids=pool.token_ids,
        weights=pool.weights,
        advance=advance,
    )


def _join(free: Pool, moves: Pool) -> Pool:
    weights = moves.weights
    if weights is not None:
        unweighed = torch.zeros_like(free.scores) if free.weights is None else free.weights
        weights = torch.cat([unweighed, weights], dim=1)
    return Pool(
        scores=torch.cat([free.scores, moves.scores], dim=1),
        rows=torch.cat([free.rows, moves.rows], dim=1),
        token_ids=torch.cat([free.token_ids, moves.token_ids], dim=1),
        weights=weights,
    )


def _ranked(pool: Pool) -> Tensor:
    return pool.scores if pool.weights is None else pool.scores + pool.weights


def _same(one: Pool, other: Pool) -> Tensor:
    """(B, C, C')"""
    same_row = one.rows[:, :, None] == other.rows[:, None]
    return same_row & (one.token_ids[:, :, None] == other.token_ids[:, None])
