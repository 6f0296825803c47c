"""Scores of all continuations of a beam, asked for without ever sorting the vocabulary."""

from collections.abc import Sequence
from functools import cache, cached_property

import torch
from torch import Tensor
from torch.nn import functional as F

from lexalign.contracts.shortlist import Shortlist
from lexalign.decoding.candidates import Candidates
from lexalign.native.best_tokens import best_tokens


class TokenScores:
    """log p(hypothesis, token) for every hypothesis of a beam and every token.

    With a shortlist, only tokens on it have a column; all others have the score of its last column, -inf.
    """

    def __init__(self, logits: Tensor, hypothesis_scores: Tensor, shortlist: Shortlist | None = None) -> None:
        self._logits: Tensor | None = logits  # until there are log-probabilities
        self._shortlist = shortlist
        self.hypotheses = hypothesis_scores  # (B, K)
        self.rows = hypothesis_scores.shape[1]  # the hypotheses of a sentence: K, or 1 at the first step
        self._padded: Tensor | None = None
        self._maxima: Tensor | None = None

    @cached_property
    def _log_probabilities(self) -> Tensor:
        """(B, K, V | C); plain search needs but a few, and never asks for all."""
        assert self._logits is not None
        logits, self._logits = self._logits, None
        return F.log_softmax(logits, dim=-1, dtype=torch.float32)

    @property
    def logits(self) -> Tensor | None:
        """The logits (B, K, V), as long as nothing has been asked for or forbidden; None with a shortlist."""
        return self._logits if self._shortlist is None else None

    @property
    def log_probabilities(self) -> Tensor:
        """log p(token | hypothesis) (B, K, V | C)."""
        return self._log_probabilities

    def of(self, token_id: int) -> Tensor:
        """Scores (B, K) of one token."""
        return self._column(token_id) + self.hypotheses

    def at(self, token_ids: Tensor) -> Tensor:
        """Scores (B, K, C) of some tokens (B, K, C) of each hypothesis."""
        return self.alone(token_ids) + self.hypotheses[:, :, None]

    def alone(self, token_ids: Tensor) -> Tensor:
        """log p(token | hypothesis) of the same."""
        return self._log_probabilities.gather(2, self._columns(token_ids))

    def pairs(self, rows: Tensor, token_ids: Tensor) -> Tensor:
        """Scores (B, C) of pairs of a hypothesis and a token."""
        size = self._log_probabilities.shape[2]
        chosen = self._log_probabilities.flatten(1).gather(1, rows * size + self._columns(token_ids))
        return chosen + self.hypotheses.gather(1, rows)

    def forbid(self, token_ids: Tensor, forbidden: Tensor) -> None:
        """Let tokens (B, K, C) never win where `forbidden`; the probability of others stays as it is."""
        nothing = torch.zeros_like(token_ids, dtype=torch.float32)
        # An addition, because a token may be listed twice.
        log_probabilities = nothing.masked_fill(forbidden, float("-inf"))
        self._log_probabilities.scatter_add_(2, self._columns(token_ids), log_probabilities)

    def forbid_one(self, token_id: int, forbidden: Tensor) -> None:
        """As `forbid`, one token where hypotheses (B, K) may not go on with it."""
        self._column(token_id).masked_fill_(forbidden, float("-inf"))

    def allow_only(self, allowed: Tensor, where: Tensor) -> None:
        """Hypotheses (B, K) where it is said go on with nothing but the tokens (V,) that are allowed."""
        banned = where[:, :, None] & ~self._of_columns(allowed)
        self._log_probabilities.masked_fill_(banned, float("-inf"))

    def set_apart(self, tokens: Tensor, where: Tensor, but_for: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """The best of some tokens (V,) of each hypothesis (B, K) where it is said, and its score.

        None of them wins there any more, `but_for` those (B, K, C).
        """
        columns_kept = [self._columns(ids) for ids in but_for]
        kept = [self._log_probabilities.gather(2, columns) for columns in columns_kept]
        # A step that is recorded has no shapes that depend on values.
        take_out = take_out_everywhere if where.is_cuda else take_out_of_rows
        if self._shortlist is not None:
            tokens = self._of_columns(tokens).expand(*where.shape, -1).flatten(0, 1)
        best, found = take_out(self._log_probabilities.flatten(0, 1), tokens, where.flatten())
        for columns, scores in zip(columns_kept, kept, strict=True):
            self._log_probabilities.scatter_(2, columns, scores)
        return self._tokens(found.view_as(where)), best.view_as(where) + self.hypotheses

    def prepare(self) -> None:
        """Work out what `best` and `top` share, so that they can be asked side by side."""
        if self._log_probabilities.device.type == "cpu":
            return
        _, depth, groups = self._dealt()
        _multiples(groups, depth, self._group_maxima().device)

    def best(self, count: int) -> tuple[Tensor, Tensor]:
        """The best tokens (B, K, count) of each hypothesis by itself, and their scores."""
        if (found := self._best_of_each(count)) is not None:
            return found
        scores, depth, groups = self._dealt()
        maxima = self._group_maxima()
        if count == 1:
            group = maxima.argmax(dim=2, keepdim=True)
        else:
            group = maxima.topk(min(count, groups), dim=2).indices  # (B, K, count)
        columns = (group[:, :, :, None] + _multiples(groups, depth, group.device)).flatten(2)
        members, index = scores.gather(2, columns).topk(count, dim=2)
        return self._tokens(columns.gather(2, index)), members + self.hypotheses[:, :, None]

    def top(self, count: int, rank_bias: Tensor | None = None) -> Candidates:
        """The best `count` continuations over all hypotheses of a sentence, best first.

        Hypotheses are ranked by their scores, with a bias (B, K) where there is one. The vocabulary is dealt
        into groups; the best `count` tokens lie in the `count` groups with the best maxima. So one pass takes
        maxima, and only a few groups are looked into. On a CPU, a kernel does it in one pass.
        """
        ranks = self.hypotheses if rank_bias is None else self.hypotheses + rank_bias
        values = self._log_probabilities if self._logits is None else self._logits
        normalised = self._logits is None
        if native := best_tokens(values, ranks, self.hypotheses, count, normalised=normalised):
            return Candidates(scores=native[0], beam_index=native[1], token_ids=self._tokens(native[2]))
        scores, depth, groups = self._dealt()
        batch, size = scores.shape[0], scores.shape[2]
        maxima = (self._group_maxima() + ranks[:, :, None]).view(batch, -1)
        group = maxima.topk(min(count, maxima.shape[1]), dim=1).indices  # (B, C), a row and a group
        row, column = group // groups, group % groups
        columns = column[:, :, None] + _multiples(groups, depth, group.device)  # (B, C, depth)
        flat = (row[:, :, None] * size + columns).view(batch, -1)
        members = scores.view(batch, -1).gather(1, flat)
        ranked = (members.view(batch, -1, depth) + ranks.gather(1, row)[:, :, None]).view(batch, -1)
        best, index = ranked.topk(min(count, members.shape[1]), dim=1)
        rows = row.gather(1, index // depth)
        if rank_bias is not None:
            best = members.gather(1, index) + self.hypotheses.gather(1, rows)
        token_ids = self._tokens(columns.view(batch, -1).gather(1, index))
        found = Candidates(scores=best, beam_index=rows, token_ids=token_ids)
        return found if best.shape[1] == count else _pad_candidates(found, count)

    def _best_of_each(self, count: int) -> tuple[Tensor, Tensor] | None:
        """As `best`, by a kernel, where there is one."""
        values = self._log_probabilities.flatten(0, 1)[:, None]  # (B * K, 1, V)
        nothing = values.new_zeros(len(values), 1)
        found = best_tokens(values, nothing, nothing, count, normalised=True)
        if found is None:
            return None
        shape = (*self.hypotheses.shape, count)
        return self._tokens(found[2].view(shape)), found[0].view(shape) + self.hypotheses[:, :, None]

    def _columns(self, token_ids: Tensor) -> Tensor:
        return token_ids if self._shortlist is None else self._shortlist.to_columns(token_ids)

    def _tokens(self, columns: Tensor) -> Tensor:
        return columns if self._shortlist is None else self._shortlist.to_tokens(columns)

    def _of_columns(self, tokens: Tensor) -> Tensor:
        """What is true of tokens (V,) for each column, as (V,) or (B, 1, C)."""
        return tokens if self._shortlist is None else tokens[self._shortlist.token_ids][:, None]

    def _column(self, token_id: int) -> Tensor:
        """The log-probabilities (B, K) of one token; with a shortlist, of the end of sentence alone."""
        return self._log_probabilities[:, :, token_id if self._shortlist is None else 0]

    def _dealt(self) -> tuple[Tensor, int, int]:
        """The log-probabilities, padded, the depth of a group and the number of groups."""
        if self._padded is None:
            self._padded = _pad_to_multiple(self._log_probabilities)
        size = self._padded.shape[2]
        depth = _group_depth(size)
        return self._padded, depth, size // depth

    def _group_maxima(self) -> Tensor:
        """(B, K, groups)"""
        if self._maxima is None:
            scores, depth, groups = self._dealt()
            self._maxima = scores.view(*scores.shape[:2], depth, groups).amax(dim=2)
        return self._maxima


def take_out_everywhere(scores: Tensor, tokens: Tensor, where: Tensor) -> tuple[Tensor, Tensor]:
    """Take tokens (V,), or (N, V), out of scores (N, V), in the rows (N,) where it is said.

    Returns the best of what is taken out of each row, and its token; where nothing is, -inf and any token.
    """
    out = where[:, None] & tokens
    best, token_ids = scores.masked_fill(~out, float("-inf")).max(dim=1)
    scores.masked_fill_(out, float("-inf"))
    return best, token_ids


def take_out_of_rows(scores: Tensor, tokens: Tensor, where: Tensor) -> tuple[Tensor, Tensor]:
    """The same, in less time where the rows are few."""
    index = where.nonzero()[:, 0]
    rows, tokens = scores[index], tokens if tokens.dim() == 1 else tokens[index]
    best, token_ids = scores.new_full(where.shape, float("-inf")), index.new_zeros(where.shape)
    best[index], token_ids[index] = rows.masked_fill(~tokens, float("-inf")).max(dim=1)
    scores[index] = rows.masked_fill(tokens, float("-inf"))
    return best, token_ids


# Made once, and never given up: a recorded step goes on using it.
@cache
def _multiples(of: int, count: int, device: torch.device) -> Tensor:
    return torch.arange(0, of * count, of, device=device)


@cache
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
