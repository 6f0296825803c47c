"""Vectorized dynamic beam allocation (Hu et al. 2019, after Post and Vilar 2018).

A step's candidates are the best continuations of the whole beam, each hypothesis's best token, and the tokens
that begin or continue an unmet constraint. Candidates with the same number of constraint tokens are a bank,
and banks share the slots of the beam, so that hypotheses which have constraints behind them need not compete
with those which have not. With a beam of 4 and the constraint `the dog`, best first:

    bank 2   saw the dog
    bank 1   saw the, dog the
    bank 0   saw a, saw one, see a

Of these go on: `saw the dog`, `saw the`, `saw a`, `dog the`. A hypothesis may end only when it has met
everything. Where the length that is left is no more than the tokens that are missing, only candidates that
can still meet everything are considered, so a sentence with room for its constraints meets them.

Policies that guarantee their constraints differ from this in two places only: a `ConstraintScorer` adds to
the scores of tokens, and a `BeamAllocation` gives the slots of the beam to candidates.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from lexalign.contracts.sentence_tensors import upload
from lexalign.decoding.candidates import (
    Candidates,
    join_candidates,
    list_ends,
    list_tokens,
    pool,
    pool_jointly,
)
from lexalign.decoding.constraints.sentence_constraints import Matching, SentenceConstraints
from lexalign.decoding.constraints.tracker import CandidateState, ConstraintTracker
from lexalign.decoding.policies.bank_kernels import BankKernels
from lexalign.decoding.policies.bank_stopping import BankStopping
from lexalign.decoding.policies.banks import (
    BankPrepared,
    BankState,
    BankUpdate,
    BeamAllocation,
    ConstraintScorer,
    ConstraintScores,
    Listed,
    allocate,
)
from lexalign.decoding.policies.unconstrained import PlainSelector
from lexalign.decoding.policy import AnySelector, SearchBatch, Selection, Step
from lexalign.decoding.stopping import StoppingBound

_NEVER = float("-inf")


@dataclass(frozen=True, kw_only=True)
class Vdba:
    """What constraints cost is kept apart from the length penalty, or averaged with everything else."""

    matching: Matching = field(default_factory=Matching)
    average_costs: bool = False
    attention_layer: int | None = None
    recordable: bool = True
    guarantees_constraints: bool = True

    def begin(self, batch: SearchBatch) -> AnySelector:
        constraints = batch.sort_constraints(self.matching)
        if not any(ours.constraints for ours in constraints):
            return PlainSelector(batch)
        return BankSelector(batch, constraints, self.matching, average_costs=self.average_costs)


class BankSelector:
    """Chooses by banks. A sentence that asks for nothing gets what plain beam search gives it."""

    def __init__(
        self,
        batch: SearchBatch,
        constraints: Sequence[SentenceConstraints],
        matching: Matching,
        scorer: ConstraintScorer | None = None,
        *,
        average_costs: bool = False,
        allocation: BeamAllocation | None = None,
    ) -> None:
        self.constraints = constraints
        self._beam, self._num_top = batch.beam, batch.num_top
        self._eos_id, self._vocabulary_size = batch.vocabulary.eos_id, batch.vocabulary.size
        self._scorer, self._allocation = scorer, allocation
        self.state = self._start(batch, matching, average_costs)
        self.may_stall = self.state.tracker.avoid is not None
        self._continues_word = self.state.tracker.must.continues_word  # (V,)
        self._kernels = BankKernels.start(batch, self.state, scorer, allocation)

    def _start(self, batch: SearchBatch, matching: Matching, average_costs: bool) -> BankState:
        device = batch.source_ids.device
        tracker = ConstraintTracker.start(self.constraints, batch.beam, matching, device, static=batch.static)
        asks = np.array([bool(ours.constraints) for ours in self.constraints])
        placeless = np.array([any(one.source is None for one in ours.must) for ours in self.constraints])
        limits, asking, without_source = upload((np.array(batch.limits), asks, placeless), device)
        total = tracker.must.constraints.value.sum(dim=1)
        boundary_node = tracker.must.node_after(matching.boundary_id)
        nothing = torch.zeros(len(asks), batch.beam, device=device)
        most_bonus = None
        if tracker.prefer is not None:
            most_bonus = tracker.prefer.constraints.value.sum(dim=1, dtype=torch.float64).float()
        return BankState(
            tracker=tracker,
            stopping=BankStopping.start(batch, total, asking, most_bonus, average_costs=average_costs),
            scorer=None if self._scorer is None else self._scorer.state,
            limits=limits,
            total=total,
            requires=total > 0,
            full_priority=2 * total + 1,
            without_source=without_source[:, None],
            boundary_node=boundary_node,
            scorer_bias=None if self._scorer is None else nothing.clone(),
            bias=None if self._scorer is None and most_bonus is None else nothing,
            rank_bonus=None if self._allocation is None else nothing.clone(),
        )

    @property
    def stopping_bound(self) -> StoppingBound:
        return self.state.stopping.bound

    def prepare(self, rows: int, clock: Tensor) -> BankPrepared:
        if self._kernels is not None:
            return self._kernels.prepare(rows, clock)
        state, tracker = self.state, self.state.tracker
        present = tracker.present(rows)
        may_not_end, may_end = present.unfinished, present.may_end
        tokens, served, continued = tracker.must.next_tokens(present.constraints)
        preferred_tokens = urgent = None
        if tracker.prefer is not None and present.preferred is not None:
            preferred_tokens, preferred, _ = tracker.prefer.next_tokens(present.preferred)
            preferred_tokens = preferred_tokens.masked_fill(preferred == 0, self._eos_id)
        total, left = state.total[:, None], (state.limits - clock - 1)[:, None]
        begun = present.num_met_tokens > present.num_complete_tokens
        if self._scorer is not None:
            # Who is within a constraint, or has just the room for what is not met, must be able to go on.
            urgent = begun | (total - present.num_complete_tokens >= left)
        return BankPrepared(
            unfinished=may_not_end,
            num_met_tokens=present.num_met_tokens,
            may_not_end=may_not_end if may_end is None else may_not_end | ~may_end,
            finish_priority=2 * present.num_met_tokens + (1.0 if may_end is None else may_end.float()),
            just_met=present.constraints.met != present.constraints.effective,
            tokens=torch.where(served != 0, tokens, self._eos_id),
            served=served,
            continued=continued,
            preferred_tokens=preferred_tokens,
            num_needed=total - left + 1,
            begun=begun,
            at_boundary=present.constraints.node == state.boundary_node[:, None],
            urgent=urgent,
        )

    def select(self, step: Step, prepared: BankPrepared) -> Selection[BankUpdate | None]:
        end_scores, listed = self._list_natively(step) or self._list(step, prepared)
        aligned = None if self._scorer is None else self._scorer.align(step, prepared, listed)
        if self._kernels is not None:
            return self._kernels.select(step, end_scores, listed, aligned)
        ended = self._end(step, end_scores)
        scored = None
        if self._scorer is not None and aligned is not None:
            scored = self._scorer.score(prepared, listed, aligned)
        found = self._pool(step, prepared, ended, listed, scored)
        after = self.state.tracker.follow(found.beam_index, found.token_ids, found.may_serve)
        scorer_bias, bias = self._bias(found, after)
        ranks = found.scores if bias is None else found.scores + bias
        ranks = self._reserve(ranks, after, prepared.num_needed)
        with step.beside.fork():
            ends = self._may_end(ended, prepared, ranks, after)
        before = prepared.num_met_tokens.gather(1, found.beam_index)
        nearer = after.num_met_tokens > before
        logprob = self._constraint_logprob(found, nearer, step.scores.hypotheses)
        index = self._allocate(ranks, found, after, logprob)
        scores = ranks.gather(1, index)
        if bias is not None:
            scores = torch.where(scores == _NEVER, _NEVER, found.scores.gather(1, index))
        going = Candidates(
            scores=scores,
            beam_index=found.beam_index.gather(1, index),
            token_ids=found.token_ids.gather(1, index),
        )
        step.beside.join()
        update = BankUpdate(
            index=index,
            state=after,
            scorer_bias=scorer_bias,
            constraint_logprob=logprob,
            nearer=nearer.float(),
            clock=step.clock,
            scored=scored,
        )
        return Selection(going=going, ended=ended, ends=ends, update=update)

    def force_finish(
        self,
        step: Step,  # noqa: ARG002
        prepared: BankPrepared,
        selection: Selection[BankUpdate | None],
        any_finished: Tensor,
    ) -> Candidates:
        """Those that meet the most; where something was finished, only those that meet everything."""
        ended = selection.ended
        priority = prepared.finish_priority.masked_fill(ended.scores == _NEVER, -1.0)
        best = torch.where(any_finished, self.state.full_priority, priority.amax(dim=1))
        return replace(ended, scores=ended.scores.masked_fill(priority != best[:, None], _NEVER))

    def commit(self, selection: Selection[BankUpdate | None]) -> None:
        if self._kernels is not None:
            self._kernels.commit()
            return
        state, update = self.state, selection.update
        assert update is not None
        index = update.index
        num_met = update.state.num_met_tokens.gather(1, index)
        state.tracker.commit(update.state, index)
        self._commit_bias(update)
        if self._scorer is not None and update.scored is not None:
            self._scorer.commit(selection.going, index, update.scored)
        state.stopping.see_ends(selection.ended, selection.ends, update.clock)
        logprob, nearer = update.constraint_logprob.gather(1, index), update.nearer.gather(1, index)
        state.stopping.commit(selection.going, logprob, nearer, num_met, state.scorer_bias, update.clock)
        if state.rank_bonus is not None and self._allocation is not None:
            costs = torch.where(state.without_source, state.stopping.costs.so_far, 0.0)
            state.rank_bonus.copy_(self._allocation.rank_bonus(num_met, costs))

    def _forbid(self, step: Step, prepared: BankPrepared) -> Tensor:
        """Keep hypotheses (B, K) that lack something from ending; what they would score at an end."""
        scores, avoid = step.scores, self.state.tracker.avoid
        ends = scores.of(self._eos_id)
        if avoid is not None:
            avoid.forbid(scores)
        scores.forbid_one(self._eos_id, prepared.unfinished)
        return ends

    def _end(self, step: Step, end_scores: Tensor) -> Candidates:
        """Every hypothesis (B, K) with an end of sentence."""
        rows = step.scores.rows
        bias = None if self.state.bias is None else self.state.bias[:, :rows]
        constant = None if self._scorer is None else self._scorer.score_end(rows)
        end_bias = self.state.stopping.costs.end_bias(end_scores, bias, step.clock, constant)
        return list_ends(end_scores, self._eos_id, end_bias)

    def _list_natively(self, step: Step) -> tuple[Tensor, Listed] | None:
        """As `_list`, by a kernel, where there is one that knows what is asked for."""
        found = None if self._kernels is None else self._kernels.list(step)
        if found is None:
            return None
        free = Candidates(scores=found.free_scores, beam_index=found.free_rows, token_ids=found.free_tokens)
        pairs = None
        if found.pair_rows is not None and found.pair_tokens is not None:
            pairs = found.pair_rows, found.pair_tokens
        listed = Listed(
            best_tokens=found.best_tokens,
            best_scores=found.best_scores,
            free=free,
            serving=found.serving,
            known_shares=found.shares,
            known_pairs=pairs,
        )
        return found.end_scores, listed

    def _list(self, step: Step, prepared: BankPrepared) -> tuple[Tensor, Listed]:
        """The scores of hypotheses (B, K) that end, and what else is considered: the best of the beam, the
        best of each hypothesis, and what serves constraints."""
        end_scores = self._forbid(step, prepared)
        scores, others = step.scores, []
        if self._continues_word is not None:
            others.append(self._other_words(step, prepared, self._continues_word))
        scores.prepare()
        with step.beside.fork():
            best_tokens, best_scores = scores.best(1 if self._scorer is None else self._scorer.num_best)
            best = torch.where(self.state.requires[:, None, None], best_tokens[:, :, :1], self._eos_id)
            others.append(list_tokens(best_scores[:, :, :1], best))
            if prepared.preferred_tokens is not None:
                tokens = prepared.preferred_tokens
                others.append(list_tokens(scores.at(tokens), tokens))
            serving = scores.alone(prepared.tokens)
        rank_bias = self.state.rank_bias
        top = scores.top(self._num_top, None if rank_bias is None else rank_bias[:, : scores.rows])
        step.beside.join()
        free = join_candidates([top, *others])
        listed = Listed(best_tokens=best_tokens, best_scores=best_scores, free=free, serving=serving)
        return end_scores, listed

    def _pool(
        self,
        step: Step,
        prepared: BankPrepared,
        ended: Candidates,
        listed: Listed,
        scored: ConstraintScores | None,
    ) -> Candidates:
        """What is listed, with what the scorer adds, each of it once."""
        free, tokens, size = listed.free, prepared.tokens, self._vocabulary_size
        scores = listed.serving + step.scores.hypotheses[:, :, None]
        if self._scorer is None or scored is None or prepared.urgent is None:
            return pool(ended, free, list_tokens(scores, tokens), size)
        is_serving = prepared.served != 0
        if self._scorer.threshold is not None:
            # Whoever would end if it could must be able to go on with a constraint.
            let_pass = prepared.urgent | (ended.scores >= listed.best_scores[:, :, 0])
            is_serving = is_serving & ((scored.serving >= self._scorer.threshold) | let_pass[:, :, None])
        serving = list_tokens(torch.where(is_serving, scores, _NEVER), tokens, scored.serving)
        if not self._scorer.joint:
            return pool(ended, free, serving, size)
        return pool_jointly(ended, replace(free, bias=scored.free), serving, size)

    def _other_words(self, step: Step, prepared: BankPrepared, continues_word: Tensor) -> Candidates:
        """For whoever has just met a constraint, the best token that makes its last word another.

        No other such token is tried, unless it serves a constraint. A model that would not have said this
        word often finds that it should go on where it ends, and no token that begins a word is among the
        best; nobody would be left who goes on with the constraint met.
        """
        where, preferred = prepared.just_met, prepared.preferred_tokens
        serving = [prepared.tokens] if preferred is None else [prepared.tokens, preferred]
        token_ids, best = step.scores.set_apart(continues_word, where, serving)
        token_ids = torch.where(where, token_ids, self._eos_id)
        return list_tokens(best[:, :, None], token_ids[:, :, None])

    def _bias(self, found: Candidates, after: CandidateState) -> tuple[Tensor | None, Tensor | None]:
        """What the scorer has added to candidates (B, C) so far, and what their ranks have in all."""
        scorer_bias = None
        if self.state.scorer_bias is not None and found.bias is not None:
            scorer_bias = self.state.scorer_bias.gather(1, found.beam_index) + found.bias
        if scorer_bias is None or after.bonus is None:
            return scorer_bias, after.bonus if scorer_bias is None else scorer_bias
        return scorer_bias, scorer_bias + after.bonus

    def _reserve(self, ranks: Tensor, after: CandidateState, num_needed: Tensor) -> Tensor:
        """Leave out who cannot meet everything any more, as long as there is someone who can."""
        unable = after.num_met_tokens < num_needed
        if after.may_end is not None:
            # With no token left, who must not end cannot go on either.
            unable = unable | ~after.may_end & (num_needed >= self.state.total[:, None])
        able = ranks.masked_fill(unable, _NEVER)
        return torch.where(able.amax(dim=1, keepdim=True) > _NEVER, able, ranks)

    def _may_end(
        self, ended: Candidates, prepared: BankPrepared, ranks: Tensor, after: CandidateState
    ) -> Tensor:
        """Ends (B, K) of those that meet everything, if fewer than K of their like are better."""
        rows, bias = prepared.may_not_end.shape[1], self.state.bias
        mine = ended.scores if bias is None else ended.scores + bias[:, :rows]
        mine = mine.masked_fill(prepared.may_not_end, _NEVER)
        rivals = torch.cat([mine, ranks.masked_fill(after.unfinished, _NEVER)], dim=1)
        better = (rivals[:, None] > mine[:, :, None]).sum(dim=2)
        return (mine > _NEVER) & (better < self._beam)

    def _constraint_logprob(self, found: Candidates, nearer: Tensor, hypotheses: Tensor) -> Tensor:
        """The log-probability of tokens (B, C), with their bias, where they bring constraints nearer."""
        before = hypotheses.gather(1, found.beam_index)
        logprob = torch.where(found.scores > _NEVER, found.scores - before, 0.0)
        logprob = logprob if found.bias is None else logprob + found.bias
        return torch.where(nearer, logprob, 0.0)

    def _allocate(self, ranks: Tensor, found: Candidates, after: CandidateState, logprob: Tensor) -> Tensor:
        """The candidates (B, K) that get the slots of the beam."""
        if self._allocation is None:
            return allocate(ranks, after.num_met_tokens, self._beam)
        costs = self.state.stopping.costs.so_far.gather(1, found.beam_index) + logprob
        costs = torch.where(self.state.without_source, costs, 0.0)
        return self._allocation.choose(ranks, after.num_met_tokens, costs, self._beam)

    def _commit_bias(self, update: BankUpdate) -> None:
        state, bias = self.state, None
        if state.scorer_bias is not None and update.scorer_bias is not None:
            state.scorer_bias.copy_(update.scorer_bias.gather(1, update.index))
            bias = state.scorer_bias
        if update.state.kept_bonus is not None:
            kept = update.state.kept_bonus.gather(1, update.index)
            bias = kept if bias is None else bias + kept
        if state.bias is not None and bias is not None:
            state.bias.copy_(bias)
