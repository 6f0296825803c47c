"""The choice by banks that VDBA and Align-VDBA share."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from lexalign.decoding.banks import Competition
from lexalign.decoding.constraints.records import upload
from lexalign.decoding.constraints.requests import Matching, Request
from lexalign.decoding.constraints.tracks import Outlook, Tracks
from lexalign.decoding.policies.bank_prospects import BankProspects
from lexalign.decoding.policies.bank_records import Chosen, Foresight, Weigher
from lexalign.decoding.policy import Choice, SearchBatch, Selector, Step
from lexalign.decoding.pool import Listed, Pool, Pooling, row_numbers, single
from lexalign.decoding.prospects import Prospects
from lexalign.decoding.scores import Candidates, TokenScores

_NEVER = float("-inf")


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
        competition: Competition | None = None,
    ) -> None:
        self.requests = requests
        self._beam, self._eos_id = batch.beam, batch.vocabulary.eos_id
        self._pooling = Pooling(batch.vocabulary.size, self._eos_id)
        device = batch.source_ids.device
        self._tracks = Tracks(requests, batch.beam, matching, device, static=batch.static)
        words = matching.continues_word
        self._continues_word = None if words is None else words.to(device)  # (V,)
        self._weigher = weigher
        asks = np.array([bool(request.constraints) for request in requests])
        self._limits, asking = upload((np.array(batch.limits), asks), device)
        self._total = self._tracks.must.aims.price.sum(dim=1)  # (B,), the tokens that must be there
        self._must = self._total > 0  # (B,)
        self._merit_of_all = 2 * self._total + 1
        nothing = torch.zeros(len(requests), batch.beam, device=device)
        prefer = self._tracks.prefer
        self.bias = None if weigher is None and prefer is None else nothing
        self._weights = None if weigher is None else nothing.clone()  # a part of the bias
        bonus = None if prefer is None else prefer.aims.price.sum(dim=1, dtype=torch.float64).float()
        self._future = BankProspects(batch, self._total, asking, bonus, average_costs=average_costs)
        self._competition = competition or Competition()
        # What each hypothesis has in the competition beyond its rank.
        self.advantage = nothing.clone() if self._competition.advantage else None
        self._foresight: Foresight | None = None  # of the step at hand
        self._ended: Candidates | None = None
        self._chosen: Chosen | None = None

    @property
    def prospects(self) -> Prospects:
        return self._future.prospects

    @property
    def may_stall(self) -> bool:
        return self._tracks.avoid is not None

    @property
    def layout(self) -> object:
        return self._tracks.layout

    def foresee(self, rows: int, clock: Tensor) -> None:
        must, prefer = self._tracks.must, self._tracks.prefer
        present = self._tracks.present(rows)
        unable = present.unfinished if present.may_end is None else present.unfinished | ~present.may_end
        costs = self._future.costs.extra(clock, rows)
        tokens, served = must.moves(present.standing)
        wishes = urgent = serves = None
        if prefer is not None and present.preferred is not None:
            wishes, wished = prefer.moves(present.preferred)
            wishes = wishes.masked_fill(wished == 0, self._eos_id)
        left = (self._limits - clock - 1)[:, None]
        if self._weigher is not None:
            # Who is within a constraint, or has just the room for what is not met, must be able to go on.
            urgent = (present.worth > present.secure) | (self._total[:, None] - present.secure >= left)
            serves = must.members(served)
        use = served != 0
        may_end = 1.0 if present.may_end is None else present.may_end.float()
        self._foresight = Foresight(
            outlook=present,
            unable=unable,
            extra=costs if self.bias is None else costs + self.bias[:, :rows],
            merit=2 * present.worth + may_end,
            said=present.standing.met != present.standing.effective,
            tokens=torch.where(use, tokens, self._eos_id),
            use=use,
            serves=serves,
            wishes=wishes,
            needed=self._total[:, None] - left + 1,
            urgent=urgent,
        )

    def choose(self, step: Step) -> Choice:
        assert self._foresight is not None
        now = self._foresight
        ended = self._end(step, now)
        pool = self._propose(step, now, ended)
        outlook = self._tracks.follow(pool.rows, pool.token_ids, pool.advance)
        weights, extra = self._extra(pool, outlook)
        ranks = self._reserve(pool.scores if extra is None else pool.scores + extra, outlook, now.needed)
        with step.beside.fork():
            ends = self._may_end(ended, now, ranks, outlook)
        price = self._price(pool, outlook.worth, step.scores.hypotheses)
        paid = None
        if self._competition.by_rank:
            paid = self._future.costs.so_far.gather(1, pool.rows) + price
        index = self._competition.choose(ranks, outlook.worth, paid, self._beam)
        scores = ranks.gather(1, index)
        if extra is not None:
            scores = torch.where(scores == _NEVER, _NEVER, pool.scores.gather(1, index))
        going = Candidates(
            scores=scores,
            beam_index=pool.rows.gather(1, index),
            token_ids=pool.token_ids.gather(1, index),
        )
        step.beside.join()
        self._chosen = Chosen(
            index=index,
            pool=pool,
            outlook=outlook,
            weights=weights,
            ended=ended,
            ends=ends,
            going=going,
            price=price,
            clock=step.clock,
        )
        return Choice(going=going, ended=ended, ends=ends)

    def take(self) -> None:
        assert self._chosen is not None
        chosen, index = self._chosen, self._chosen.index
        worth = chosen.outlook.worth.gather(1, index)
        self._tracks.take(chosen.outlook, index)
        self._take_bias(chosen)
        self._future.take(chosen, chosen.price.gather(1, index), worth, self._weights)
        if self.advantage is not None:
            self.advantage.copy_(self._competition.refund(worth, self._future.costs.so_far))

    def close(self, step: Step, any_finished: Tensor) -> Candidates:  # noqa: ARG002
        """Those that meet the most; where something was finished, only those that meet everything."""
        assert self._ended is not None
        assert self._foresight is not None
        ended = self._ended
        merit = self._foresight.merit.masked_fill(ended.scores == _NEVER, -1.0)
        best = torch.where(any_finished, self._merit_of_all, merit.amax(dim=1))
        return Candidates(
            scores=ended.scores.masked_fill(merit != best[:, None], _NEVER),
            beam_index=ended.beam_index,
            token_ids=ended.token_ids,
            extra=ended.extra,
        )

    def keep(self, sentence_index: Tensor) -> None:
        self._tracks.keep(sentence_index)
        self._future.keep(sentence_index)
        if self._weigher is not None:
            self._weigher.keep(sentence_index)
        self._limits, self._total = self._limits[sentence_index], self._total[sentence_index]
        self._must = self._must[sentence_index]
        self._merit_of_all = self._merit_of_all[sentence_index]
        self.bias = None if self.bias is None else self.bias[sentence_index]
        self._weights = None if self._weights is None else self._weights[sentence_index]
        self.advantage = None if self.advantage is None else self.advantage[sentence_index]

    def restart(self, other: Selector) -> None:
        assert isinstance(other, BankSelector)
        self.requests = other.requests
        self._tracks.restart(other._tracks)
        self._future.restart(other._future)
        if self._weigher is not None and other._weigher is not None:
            self._weigher.restart(other._weigher)
        for mine, new in (
            (self._limits, other._limits),
            (self._total, other._total),
            (self._must, other._must),
            (self._merit_of_all, other._merit_of_all),
            (self.bias, other.bias),
            (self._weights, other._weights),
            (self.advantage, other.advantage),
        ):
            if mine is not None and new is not None:
                mine.copy_(new)

    def _end(self, step: Step, now: Foresight) -> Candidates:
        """Every hypothesis (B, K) with an end of sentence; those that lack something are kept from it."""
        scores = step.scores
        ends = scores.of(self._eos_id)
        if self._tracks.avoid is not None:
            self._tracks.avoid.forbid(scores)
        scores.forbid_one(self._eos_id, now.outlook.unfinished)
        self._ended = Candidates(
            scores=ends,
            beam_index=row_numbers(scores.rows, 1, ends.device).expand_as(ends),
            token_ids=single(self._eos_id, ends.device).expand_as(ends),
            extra=now.extra,
        )
        return self._ended

    def _propose(self, step: Step, now: Foresight, ended: Candidates) -> Pool:
        scores, weigher = step.scores, self._weigher
        free = []
        if self._continues_word is not None:
            free.append(self._undo(scores, now, self._continues_word))
        scores.prepare()
        with step.beside.fork():
            best_tokens, best_scores = scores.best_one()  # (B, K)
            best_tokens = torch.where(self._must[:, None], best_tokens, self._eos_id)
            free.append(Listed(scores=best_scores[:, :, None], token_ids=best_tokens[:, :, None]))
            if now.wishes is not None:
                free.append(Listed(scores=scores.at(now.wishes), token_ids=now.wishes))
            # Whoever would end if it could must be able to go on with a constraint.
            moves = self._moves(step, now, ended.scores >= best_scores)
        top = scores.top(2 * self._beam if self._beam > 1 else 1)
        step.beside.join()
        if weigher is None or not weigher.joint:
            return self._pooling.unite(top, free, moves)
        return self._pooling.join(top, free, moves, lambda rows, ids: weigher.weigh_free(step, rows, ids))

    def _undo(self, scores: TokenScores, now: Foresight, continues_word: Tensor) -> Listed:
        """For whoever has just said a constraint, the best token that makes its last word another.

        No other such token is tried, unless it serves a constraint. A model that would not have said this
        word often finds that it should go on where it ends, and no token that begins a word is among the
        best; nobody would be left who goes on with the constraint met.
        """
        serving = [now.tokens] if now.wishes is None else [now.tokens, now.wishes]
        token_ids, best = scores.set_apart(continues_word, now.said, serving)
        token_ids = torch.where(now.said, token_ids, self._eos_id)
        return Listed(scores=best[:, :, None], token_ids=token_ids[:, :, None])

    def _moves(self, step: Step, now: Foresight, at_end: Tensor) -> Listed:
        """The tokens that serve constraints, weighed."""
        scores, tokens, use = step.scores.at(now.tokens), now.tokens, now.use
        if self._weigher is None or now.serves is None or now.urgent is None:
            return Listed(scores=scores, token_ids=tokens)
        weights, threshold = self._weigher.weigh(step, tokens, now.serves), self._weigher.threshold
        if threshold is not None:
            use = use & ((weights >= threshold) | (now.urgent | at_end)[:, :, None])
        return Listed(scores=torch.where(use, scores, _NEVER), token_ids=tokens, weights=weights)

    def _extra(self, pool: Pool, outlook: Outlook) -> tuple[Tensor | None, Tensor | None]:
        """What the weigher has added to candidates (B, C) so far, and what their ranks have in all."""
        weights = None
        if self._weights is not None and pool.weights is not None:
            weights = self._weights.gather(1, pool.rows) + pool.weights
        if weights is None or outlook.bonus is None:
            return weights, outlook.bonus if weights is None else weights
        return weights, weights + outlook.bonus

    def _price(self, pool: Pool, worth: Tensor, hypotheses: Tensor) -> Tensor:
        """The log-probability of tokens (B, C), weighed, where they bring constraints nearer."""
        assert self._foresight is not None
        price = torch.where(pool.scores > _NEVER, pool.scores - hypotheses.gather(1, pool.rows), 0.0)
        price = price if pool.weights is None else price + pool.weights
        return torch.where(worth > self._foresight.outlook.worth.gather(1, pool.rows), price, 0.0)

    def _reserve(self, ranks: Tensor, outlook: Outlook, needed: Tensor) -> Tensor:
        """Leave out who cannot meet everything any more, as long as there is someone who can."""
        unable = outlook.worth < needed
        if outlook.may_end is not None:
            # With no token left, who must not end cannot go on either.
            unable = unable | ~outlook.may_end & (needed >= self._total[:, None])
        able = ranks.masked_fill(unable, _NEVER)
        return torch.where(able.amax(dim=1, keepdim=True) > _NEVER, able, ranks)

    def _may_end(self, ended: Candidates, now: Foresight, ranks: Tensor, outlook: Outlook) -> Tensor:
        """Ends (B, K) of those that meet everything, if fewer than K of their like are better."""
        mine = ended.scores if self.bias is None else ended.scores + self.bias[:, : now.unable.shape[1]]
        mine = mine.masked_fill(now.unable, _NEVER)
        rivals = torch.cat([mine, ranks.masked_fill(outlook.unfinished, _NEVER)], dim=1)
        better = (rivals[:, None] > mine[:, :, None]).sum(dim=2)
        return (mine > _NEVER) & (better < self._beam)

    def _take_bias(self, chosen: Chosen) -> None:
        bias = None
        if self._weights is not None and chosen.weights is not None:
            self._weights.copy_(chosen.weights.gather(1, chosen.index))
            bias = self._weights
        if chosen.outlook.kept_bonus is not None:
            kept = chosen.outlook.kept_bonus.gather(1, chosen.index)
            bias = kept if bias is None else bias + kept
        if self.bias is not None and bias is not None:
            self.bias.copy_(bias)
