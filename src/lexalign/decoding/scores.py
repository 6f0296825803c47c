"""Scores of all continuations of a beam, asked for without ever sorting the vocabulary."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """Continuations (B, C) of each sentence's beam, best first."""

    scores: Tensor  # log-probability of the whole hypothesis
    beam_index: Tensor
    token_ids: Tensor


class TokenScores:
    """log p(hypothesis, token) for every hypothesis of a beam and every token."""

    def __init__(self, logits: Tensor, hypothesis_scores: Tensor) -> None:
        self._log_probabilities = F.log_softmax(logits, dim=-1, dtype=torch.float32)  # (B, K, V)
        self._hypotheses = hypothesis_scores  # (B, K)

    def of(self, token_id: int) -> Tensor:
        """Scores (B, K) of one token."""
        return self._log_probabilities[:, :, token_id] + self._hypotheses

    def top(self, count: int) -> Candidates:
        """The best `count` continuations over all hypotheses of a sentence.

        The vocabulary is dealt into groups; the best `count` tokens lie in the `count` groups with the best
        maxima. So one pass takes maxima, and only a few groups are looked into.
        """
        scores = _pad_to_multiple(self._log_probabilities)
        batch, beam, size = scores.shape
        depth = _group_depth(size)
        groups = size // depth
        dealt = scores.view(batch, beam, depth, groups)
        maxima = (dealt.amax(dim=2) + self._hypotheses[:, :, None]).view(batch, -1)
        group = maxima.topk(min(count, maxima.shape[1]), dim=1).indices  # (B, C), a row and a group
        row, column = group // groups, group % groups
        token_ids = column[:, :, None] + torch.arange(0, size, groups, device=group.device)  # (B, C, depth)
        flat = (row[:, :, None] * size + token_ids).view(batch, -1)
        members = scores.view(batch, -1).gather(1, flat)
        members.view(batch, -1, depth).add_(self._hypotheses.gather(1, row)[:, :, None])
        best, index = members.topk(min(count, members.shape[1]), dim=1)
        found = Candidates(
            scores=best,
            beam_index=row.gather(1, index // depth),
            token_ids=token_ids.view(batch, -1).gather(1, index),
        )
        return found if best.shape[1] == count else _pad_candidates(found, count)


def _group_depth(size: int) -> int:
    """A divisor of the vocabulary's size near 48, where both passes are cheap."""
    return next((depth for depth in range(48, 15, -1) if size % depth == 0), 1)


def _pad_to_multiple(scores: Tensor) -> Tensor:
    size = scores.shape[-1]
    if size < 256 or _group_depth(size) > 1:
        return scores
    return F.pad(scores, (0, -size % 32), value=float("-inf"))


def _pad_candidates(found: Candidates, count: int) -> Candidates:
    """A vocabulary smaller than the beam has too few; the rest can never win."""
    missing = (0, count - found.scores.shape[1])
    return Candidates(
        scores=F.pad(found.scores, missing, value=float("-inf")),
        beam_index=F.pad(found.beam_index, missing),
        token_ids=F.pad(found.token_ids, missing),
    )
