"""The choice by banks that VDBA and Align-VDBA share."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import torch
from torch import Tensor

from lexalign.decoding.banks import Competition
from lexalign.decoding.constraints.costs import ConstraintCosts
from lexalign.decoding.constraints.requests import Matching, Request
from lexalign.decoding.constraints.tracks import Outlook, Tracks
from lexalign.decoding.policy import Choice, SearchBatch, Selector, Step
from lexalign.decoding.pool import Pool, add_moves, add_weighed_moves, list_tokens, unite
from lexalign.decoding.scores import Candidates

_NEVER = float("-inf")


class Weigher(Protocol):
    """Says how well tokens fit the constraints that they serve, beyond the model's probability."""

    @property
    def joint(self) -> bool:
        """Whether a token serves a constraint only with its weight."""

    def weigh(self, step: Step, token_ids: Tensor, served: Tensor, urgent: Tensor) -> tuple[Tensor, Tensor]:
        """Log weights (B, K, C) of tokens that serve constraints (masks), and whether they are worth it.

        To hypotheses (B, K) that are `urgent`, all must be.
        """

    def weigh_free(self, step: Step, rows: Tensor, token_ids: Tensor) -> Tensor | None:
        """Log weights (B, C) of tokens that serve no constraint, each after one hypothesis; None: all 0."""

    def keep(self, sentence_index: Tensor) -> None: ...

    def restart(self, other: "Weigher") -> None: ...


class BankSelector:
    """A sentence that asks for nothing gets what plain beam search gives it."""

    def __init__(
        self,
        batch: SearchBatch,
        requests: Sequence[Request],
        matching: Matching,
        weigher: Weigher | None = None,
        *,
        average_costs: bool = False,
        exact: bool = False,
        competition: Competition | None = None,
    ) -> None:
        self.requests = requests
        self.exact = exact or average_costs
        self._beam, self._eos_id = batch.beam, batch.vocabulary.eos_id
        device = batch.source_ids.device
        self._tracks = Tracks(requests, batch.beam, matching, device, static=batch.static)
        self._weigher = weigher
        self._limits = torch.tensor(batch.limits, device=device)
        self._total = self._tracks.must.aims.price.sum(dim=1)  # (B,), the tokens that must be there
        nothing = torch.zeros(len(requests), batch.beam, device=device)
        prefer = self._tracks.prefer
        self.bias = None if weigher is None and prefer is None else nothing
        self.headroom = None if prefer is None else prefer.aims.price.sum(dim=1)
        self._weights = None if weigher is None else nothing.clone()  # a part of the bias
        self._costs = ConstraintCosts(
            batch.source.mask.sum(dim=1).tolist(),
            batch.limits,
            batch.beam,
            0.0 if average_costs else batch.length_penalty,
            device,
            exact=self.exact,
        )
        self.asks = torch.tensor([bool(request.constraints) for request in requests], device=device)
        self._competition = competition or Competition()
        # What each hypothesis has in the competition beyond its rank.
        self.advantage = nothing.clone() if self._competition.advantage else None
        self._ends: tuple[Candidates, Outlook] | None = None  # of the step at hand

    @property
    def final_bias(self) -> Tensor:
        costs = self._costs.extra_at_limit(self._tracks.must.met_all())
        return costs if self.bias is None else self.bias + costs

    @property
    def may_stall(self) -> bool:
        return self._tracks.avoid is not None

    @property
    def layout(self) -> object:
        return self._tracks.layout

    def choose(self, step: Step) -> Choice:
        present, ended = self._end(step)
        pool = self._propose(step, present, ended)
        outlook = self._tracks.follow(pool.rows, pool.token_ids, pool.advance)
        weights, extra = self._extra(pool, outlook)
        ranks = self._reserve(pool.scores if extra is None else pool.scores + extra, outlook, step.clock)
        index = self._competition.choose(ranks, outlook.worth, self._beam)
        may_end = self._may_end(ended, present, ranks, outlook)
        self._take(index, outlook, weights)
        self._costs.end(may_end)
        self._costs.take(self._follow_costs(step, pool, present, outlook).gather(1, index))
        going = Candidates(
            scores=pool.scores.masked_fill(ranks == _NEVER, _NEVER).gather(1, index),
            beam_index=pool.rows.gather(1, index),
            token_ids=pool.token_ids.gather(1, index),
        )
        return Choice(going=going, ended=ended, ends=may_end)

    def close(self, step: Step, any_finished: Tensor) -> Candidates:  # noqa: ARG002
        """Those that meet the most; where something was finished, only those that meet everything."""
        assert self._ends is not None
        ended, present = self._ends
        merit = 2 * present.worth + (1.0 if present.may_end is None else present.may_end.float())
        merit = merit.masked_fill(ended.scores == _NEVER, -1.0)
        best = torch.where(any_finished, 2 * self._total + 1, merit.amax(dim=1))
        return Candidates(
            scores=ended.scores.masked_fill(merit != best[:, None], _NEVER),
            beam_index=ended.beam_index,
            token_ids=ended.token_ids,
            extra=ended.extra,
        )

    def keep(self, sentence_index: Tensor) -> None:
        self._tracks.keep(sentence_index)
        self._costs.keep(sentence_index)
        if self._weigher is not None:
            self._weigher.keep(sentence_index)
        self._limits, self._total = self._limits[sentence_index], self._total[sentence_index]
        self.asks = self.asks[sentence_index]
        self.bias = None if self.bias is None else self.bias[sentence_index]
        self.headroom = None if self.headroom is None else self.headroom[sentence_index]
        self._weights = None if self._weights is None else self._weights[sentence_index]
        self.advantage = None if self.advantage is None else self.advantage[sentence_index]

    def restart(self, other: Selector) -> None:
        assert isinstance(other, BankSelector)
        self.requests = other.requests
        self._tracks.restart(other._tracks)
        self._costs.restart(other._costs)
        if self._weigher is not None and other._weigher is not None:
            self._weigher.restart(other._weigher)
        for mine, new in (
            (self._limits, other._limits),
            (self.asks, other.asks),
            (self._total, other._total),
            (self.bias, other.bias),
            (self.headroom, other.headroom),
            (self._weights, other._weights),
            (self.advantage, other.advantage),
        ):
            if mine is not None and new is not None:
                mine.copy_(new)

    def _end(self, step: Step) -> tuple[Outlook, Candidates]:
        """Every hypothesis (B, K) with an end of sentence; those that may not end are kept from it."""
        scores = step.scores
        present = self._tracks.present(scores.rows)
        ends = scores.of(self._eos_id)
        if self._tracks.avoid is not None:
            self._tracks.avoid.forbid(scores)
        scores.forbid_one(self._eos_id, ~present.met_all)
        rows = torch.arange(scores.rows, device=ends.device).expand_as(ends)
        costs = self._costs.extra(step.clock, scores.rows)
        ended = Candidates(
            scores=ends,
            beam_index=rows,
            token_ids=torch.full_like(rows, self._eos_id),
            extra=costs if self.bias is None else costs + self.bias[:, : scores.rows],
        )
        self._ends = ended, present
        return present, ended

    def _propose(self, step: Step, present: Outlook, ended: Candidates) -> Pool:
        scores, must, prefer = step.scores, self._tracks.must, self._tracks.prefer
        top = scores.top(2 * self._beam if self._beam > 1 else 1)
        best_tokens, best_scores = scores.best(1)  # (B, K, 1)
        asks = must.aims.everything[:, None, None] != 0
        free = [
            Pool(
                scores=top.scores.masked_fill(top.token_ids == self._eos_id, _NEVER),
                rows=top.beam_index,
                token_ids=top.token_ids,
            ),
            list_tokens(best_scores, best_tokens, asks & (best_tokens != self._eos_id)),
        ]
        if prefer is not None and present.preferred is not None:
            tokens, wished = prefer.moves(present.preferred)
            free.append(list_tokens(scores.at(tokens), tokens, wished != 0))
        tokens, served = must.moves(present.standing)
        use, weights = served != 0, None
        if self._weigher is None:
            moves = list_tokens(scores.at(tokens), tokens, use)
            return add_moves(unite(free), moves)
        # Whoever would end if it could, is within a constraint, or has just the room for what is not met,
        # must be able to go on with it.
        left = (self._limits - step.clock - 1)[:, None]
        urgent = (ended.scores >= best_scores[:, :, 0]) | (present.worth > present.secure)
        urgent = urgent | (self._total[:, None] - present.secure >= left)
        weights, passed = self._weigher.weigh(step, tokens, served, urgent)
        moves = list_tokens(scores.at(tokens), tokens, use & passed, weights)
        if not self._weigher.joint:
            return add_moves(unite(free), moves)
        pool = unite(free)
        return add_weighed_moves(
            replace(pool, weights=self._weigher.weigh_free(step, pool.rows, pool.token_ids)), moves
        )

    def _extra(self, pool: Pool, outlook: Outlook) -> tuple[Tensor | None, Tensor | None]:
        """What the weigher has added to candidates (B, C) so far, and what their ranks have in all."""
        weights = None
        if self._weights is not None and pool.weights is not None:
            weights = self._weights.gather(1, pool.rows) + pool.weights
        if weights is None or outlook.bonus is None:
            return weights, outlook.bonus if weights is None else weights
        return weights, weights + outlook.bonus

    def _reserve(self, ranks: Tensor, outlook: Outlook, clock: Tensor) -> Tensor:
        """Leave out who cannot meet everything any more, as long as there is someone who can."""
        left = (self._limits - clock - 2)[:, None]  # tokens after this one
        able = self._total[:, None] - outlook.worth <= left
        if outlook.may_end is not None:
            able = able & (outlook.may_end | (left > 0))
        any_able = (able & (ranks > _NEVER)).any(dim=1, keepdim=True)
        return ranks.masked_fill(~able & any_able, _NEVER)

    def _may_end(self, ended: Candidates, present: Outlook, ranks: Tensor, outlook: Outlook) -> Tensor:
        """Ends (B, K) of those that meet everything, if fewer than K of their like are better."""
        may_end = present.met_all if present.may_end is None else present.met_all & present.may_end
        mine = ended.scores if self.bias is None else ended.scores + self.bias[:, : may_end.shape[1]]
        mine = mine.masked_fill(~may_end, _NEVER)
        better_ends = (mine[:, None] > mine[:, :, None]).sum(dim=2)
        better = (outlook.met_all[:, None] & (ranks[:, None] > mine[:, :, None])).sum(dim=2)
        return (mine > _NEVER) & (better_ends + better < self._beam)

    def _follow_costs(self, step: Step, pool: Pool, present: Outlook, outlook: Outlook) -> Tensor:
        gains = step.scores.gains(pool.rows, pool.scores)
        gains = gains if pool.weights is None else gains + pool.weights
        return self._costs.follow(pool.rows, gains, outlook.worth > present.worth.gather(1, pool.rows))

    def _take(self, index: Tensor, outlook: Outlook, weights: Tensor | None) -> None:
        self._tracks.take(outlook, index)
        if self.advantage is not None:
            self.advantage.copy_(self._competition.advantage * outlook.worth.gather(1, index))
        if self.bias is None:
            return
        bias = torch.zeros_like(self.bias)
        if self._weights is not None and weights is not None:
            self._weights.copy_(weights.gather(1, index))
            bias = bias + self._weights
        if outlook.kept_bonus is not None:
            bias = bias + outlook.kept_bonus.gather(1, index)
        self.bias.copy_(bias)
