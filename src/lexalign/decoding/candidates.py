"""The candidates of a step: continuations of a beam, from several lists, each of them once.

    best of the beam      a1 b1 a2        (a token of each hypothesis: a1 is hypothesis 1 with token a)
    best of each          a1 c2
    serve a constraint    b1 d1 </s>2     (an end of sentence stands at an empty place)
    pooled                a1 b1 a2 c2 d1

Of candidates that are listed twice the first stays. Hypotheses end elsewhere, so their ends count as if they
had been listed before all others: they drop out, and empty places with them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import torch
from torch import Tensor

_NEVER = float("-inf")


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """Continuations (B, C) of each sentence's beam; those of score -inf can never win.

    They are ranked by `scores`, or by `scores + bias` where a policy ranks by more than the model.
    """

    scores: Tensor  # log-probability of the whole hypothesis
    beam_index: Tensor
    token_ids: Tensor
    bias: Tensor | None = None
    may_serve: Tensor | None = None  # (C,), whether the token may serve a constraint; None: every token may

    def ranks(self) -> Tensor:
        return self.scores if self.bias is None else self.scores + self.bias

    def gather(self, index: Tensor) -> "Candidates":
        """Those (B, K) that an index names."""
        return Candidates(
            scores=self.scores.gather(1, index),
            beam_index=self.beam_index.gather(1, index),
            token_ids=self.token_ids.gather(1, index),
            bias=None if self.bias is None else self.bias.gather(1, index),
        )


def list_tokens(scores: Tensor, token_ids: Tensor, bias: Tensor | None = None) -> Candidates:
    """Tokens (B, K, C) of each hypothesis as candidates (B, K * C)."""
    rows = row_numbers(*token_ids.shape[1:], token_ids.device)
    return Candidates(
        scores=scores.flatten(1),
        beam_index=rows.expand(len(token_ids), -1),
        token_ids=token_ids.flatten(1),
        bias=None if bias is None else bias.flatten(1),
    )


def list_ends(scores: Tensor, eos_id: int, bias: Tensor | None = None) -> Candidates:
    """Every hypothesis (B, K) with an end of sentence."""
    return Candidates(
        scores=scores,
        beam_index=row_numbers(scores.shape[1], 1, scores.device).expand_as(scores),
        token_ids=single(eos_id, scores.device).expand_as(scores),
        bias=bias,
    )


def join_candidates(lists: Sequence[Candidates]) -> Candidates:
    """All of them; they have a bias where every list has one."""
    biases = [one.bias for one in lists if one.bias is not None]
    return Candidates(
        scores=torch.cat([one.scores for one in lists], dim=1),
        beam_index=torch.cat([one.beam_index for one in lists], dim=1),
        token_ids=torch.cat([one.token_ids for one in lists], dim=1),
        bias=torch.cat(biases, dim=1) if len(biases) == len(lists) else None,
    )


def pool(ends: Candidates, free: Candidates, serving: Candidates, vocabulary_size: int) -> Candidates:
    """Every token may serve a constraint, so one that is listed as free need not be listed as serving."""
    num_ends, num_serving = ends.scores.shape[1], serving.scores.shape[1]
    pairs = _pairs(ends, free, serving, vocabulary_size)
    same = pairs[:, num_ends:, None] == pairs[:, None, : pairs.shape[1] - num_serving]
    again = (same & _earlier(*same.shape[1:], num_ends, same.device)).any(dim=2)
    if serving.bias is not None:
        free = replace(free, bias=single(0.0, same.device).expand_as(free.scores))
    pooled = join_candidates([free, serving])
    return replace(pooled, scores=pooled.scores.masked_fill(again, _NEVER))


def pool_jointly(ends: Candidates, free: Candidates, serving: Candidates, vocabulary_size: int) -> Candidates:
    """Only what is listed as serving serves; a token stays free as well where serving costs it something."""
    num_ends, num_free, num_serving = (one.scores.shape[1] for one in (ends, free, serving))
    if free.bias is None:
        free = replace(free, bias=single(0.0, free.scores.device).expand_as(free.scores))
    pooled = join_candidates([free, serving])
    always = single(float("inf"), free.scores.device).expand_as(ends.scores)
    ranks = torch.cat([always, pooled.ranks()], dim=1)
    pairs = _pairs(ends, free, serving, vocabulary_size)
    of_free = slice(num_ends, num_ends + num_free)
    same = pairs[:, of_free, None] == pairs[:, None]
    no_better = ranks[:, of_free, None] <= ranks[:, None]
    first = _earlier_or_serving(num_free, pairs.shape[1], num_ends, same.device)
    beaten = (same & no_better & first).any(dim=2)
    pooled.scores[:, :num_free].masked_fill_(beaten, _NEVER)
    return replace(pooled, may_serve=_is_serving(num_free, num_serving, same.device))


def _pairs(ends: Candidates, free: Candidates, serving: Candidates, vocabulary_size: int) -> Tensor:
    """A number for each pair of a hypothesis and a token."""
    lists = (ends, free, serving)
    rows = torch.cat([one.beam_index for one in lists], dim=1)
    return torch.add(torch.cat([one.token_ids for one in lists], dim=1), rows, alpha=vocabulary_size)


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
    position = torch.arange(count, device=device)[:, None] + num_ends
    return torch.arange(num_known, device=device) < position


@cache
def _earlier_or_serving(num_free: int, count: int, num_ends: int, device: torch.device) -> Tensor:
    """(num_free, count): which come before a free candidate, or serve a constraint."""
    position = torch.arange(count, device=device)
    return _earlier(num_free, count, num_ends, device) | (position >= num_ends + num_free)


@cache
def _is_serving(num_free: int, num_serving: int, device: torch.device) -> Tensor:
    return torch.arange(num_free + num_serving, device=device) >= num_free
