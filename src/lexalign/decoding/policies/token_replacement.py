"""Token replacement (Song et al. 2020, Chen et al. 2021; Chatterjee et al. 2022, Algorithm 2).

Plain beam search proposes the two best tokens of each hypothesis. Where a token is aligned to the source of a
constraint, it is replaced by the constraint's first token, and the tokens of the next steps by the others.
The score stays that of the token that was replaced. With `Gesetz -> law also`:

    proposed          before    the    court     .       </s>
    aligned to        vor       dem    Gesetz    (whatever)
    generated         before    the    law       also    </s>

A constraint is used once. If it is not used, because nothing was aligned to its source or it has none,
nothing is done about it. Of several forms of a constraint, the one whose first token is the most probable is
used; a constraint that is only preferred is used like any other. An aligner of delay 1 knows the alignment of
a token only from the step after it: then every step is decoded once more for each of the two tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from lexalign.contracts.alignment import Aligner, OnlineAligner
from lexalign.decoding.constraints.avoidance import Avoidance
from lexalign.decoding.constraints.forms import list_forms
from lexalign.decoding.constraints.records import SentenceTensors
from lexalign.decoding.constraints.requests import Matching, Request
from lexalign.decoding.policies.proposal_alignment import DelayedAlignment, OnlineAlignment
from lexalign.decoding.policies.unconstrained import PlainSelector
from lexalign.decoding.policies.vdba import read_requests
from lexalign.decoding.policy import Choice, SearchBatch, Selector, Step
from lexalign.decoding.prospects import Prospects
from lexalign.decoding.scores import Candidates, TokenScores

_NEVER = float("-inf")


@dataclass(frozen=True, kw_only=True)
class TokenReplacement:
    aligner: Aligner | OnlineAligner
    matching: Matching = field(default_factory=Matching)
    passive: bool = True

    @property
    def attention_layer(self) -> int:
        return self.aligner.layer

    @property
    def recordable(self) -> bool:
        return self.aligner.delay == 0

    def begin(self, batch: SearchBatch) -> Selector:
        requests = read_requests(batch, self.matching)
        if not any(request.constraints for request in requests):
            return PlainSelector(batch)
        return ReplacementSelector(self, batch, requests)


@dataclass(kw_only=True)
class Replacing(SentenceTensors):
    """What hypotheses (B, C) are in the middle of."""

    form: Tensor  # (B, C), -1 for none
    place: Tensor  # (B, C), of the form's next token
    used: Tensor  # (B, C), masks of constraints

    def of(self, rows: Tensor) -> "Replacing":
        return Replacing(
            form=self.form.gather(1, rows), place=self.place.gather(1, rows), used=self.used.gather(1, rows)
        )


class ReplacementSelector:
    advantage: Tensor | None = None

    def __init__(self, policy: TokenReplacement, batch: SearchBatch, requests: Sequence[Request]) -> None:
        self.requests = requests
        self._beam, self._eos_id = batch.beam, batch.vocabulary.eos_id
        device, beam = batch.source_ids.device, batch.beam
        self._alignment: OnlineAlignment | DelayedAlignment = (
            DelayedAlignment(policy.aligner, batch)
            if policy.aligner.delay
            else OnlineAlignment(policy.aligner, batch)  # type: ignore[arg-type]
        )
        num_source = batch.source_ids.shape[1]
        self._forms = list_forms(requests, num_source, device, static=batch.static)
        none = torch.full((len(requests), beam), -1, device=device)
        self._now = Replacing(form=none, place=torch.zeros_like(none), used=torch.zeros_like(none))
        self.bias: Tensor = torch.zeros(len(requests), beam, device=device)
        self._avoid: Avoidance | None = None
        if any(request.avoid for request in requests):
            words = policy.matching.continues_word
            words = None if words is None else words.to(device)
            avoid = [request.avoid for request in requests]
            self._avoid = Avoidance(avoid, beam, words, device, static=batch.static)
        self._ended: Candidates | None = None
        self._chosen: tuple[Candidates, Replacing] | None = None

    @property
    def prospects(self) -> Prospects:
        """Scores of replaced tokens only fall, too."""
        return Prospects(bias=self.bias)

    @property
    def may_stall(self) -> bool:
        return self._avoid is not None

    @property
    def layout(self) -> object:
        return self._forms.layout, None if self._avoid is None else self._avoid.layout

    def foresee(self, rows: int, clock: Tensor) -> None: ...

    def choose(self, step: Step) -> Choice:
        self._end(step.scores)
        if self._avoid is not None:
            self._avoid.forbid(step.scores)
        taken, after = self._replace(step.scores, *self._propose(step))
        ranks = taken.ranks()
        is_end = taken.token_ids == self._eos_id
        going_ranks, index = ranks.masked_fill(is_end, _NEVER).topk(self._beam, dim=1)
        going = _choose(taken, index)
        going.scores.masked_fill_(going_ranks == _NEVER, _NEVER)
        self._chosen = going, after.of(index)
        best_ranks, first = ranks.topk(self._beam, dim=1)
        ends = is_end.gather(1, first) & (best_ranks > _NEVER)
        return Choice(going=going, ended=_choose(taken, first), ends=ends)

    def close(self, step: Step, any_finished: Tensor) -> Candidates:  # noqa: ARG002
        assert self._ended is not None
        return self._ended

    def keep(self, sentence_index: Tensor) -> None:
        self._forms.keep(sentence_index)
        self._now.keep(sentence_index)
        self._alignment.keep(sentence_index)
        self.bias = self.bias[sentence_index]
        if self._avoid is not None:
            self._avoid.keep(sentence_index)

    def restart(self, other: Selector) -> None:
        assert isinstance(other, ReplacementSelector)
        self.requests = other.requests
        self._forms.copy_(other._forms)
        self._now.copy_(other._now)
        self.bias.copy_(other.bias)
        if isinstance(self._alignment, OnlineAlignment) and isinstance(other._alignment, OnlineAlignment):
            self._alignment.restart(other._alignment)
        if self._avoid is not None and other._avoid is not None:
            self._avoid.restart(other._avoid)

    def _end(self, scores: TokenScores) -> None:
        ends = scores.of(self._eos_id)
        rows = torch.arange(scores.rows, device=ends.device).expand_as(ends)
        self._ended = Candidates(
            scores=ends,
            beam_index=rows,
            token_ids=torch.full_like(rows, self._eos_id),
            extra=self.bias[:, : scores.rows].clone(),
        )

    def _propose(self, step: Step) -> tuple[Candidates, Tensor, Tensor]:
        """The two best tokens of each hypothesis, where they are aligned to, and scores of forms (B, K, E).

        For sentences that ask for nothing, the best of all, wherever they are aligned to.
        """
        step.scores.prepare()
        with step.beside.fork():
            tokens, two = step.scores.best(2)  # (B, K, 2)
            aligned = self._alignment.of(step, tokens)
            firsts = self._forms.tokens[:, None, :, 0].expand(-1, step.scores.rows, -1).clamp(min=0)
            first_scores = step.scores.at(firsts)
        top = step.scores.top(2 * self._beam if self._beam > 1 else 1)
        step.beside.join()
        rows = torch.arange(step.scores.rows, device=two.device)[None, :, None].expand_as(tokens)
        size = 2 * self._beam
        asks = self._forms.asks[:, None]
        proposed = Candidates(
            scores=torch.where(asks, _fill(two.flatten(1), size, _NEVER), _fill(top.scores, size, _NEVER)),
            beam_index=torch.where(asks, _fill(rows.flatten(1), size, 0), _fill(top.beam_index, size, 0)),
            token_ids=torch.where(asks, _fill(tokens.flatten(1), size, 0), _fill(top.token_ids, size, 0)),
        )
        return proposed, _fill(aligned.flatten(1), size, 0), first_scores

    def _replace(
        self, scores: TokenScores, proposed: Candidates, aligned: Tensor, first_scores: Tensor
    ) -> tuple[Candidates, Replacing]:
        """The candidates (B, C) as they are generated, and what they are then in the middle of."""
        forms, rows = self._forms, proposed.beam_index
        sentence = torch.arange(len(rows), device=rows.device)[:, None]
        now = self._now.of(rows)
        begins = forms.source[sentence, aligned] & ((now.used[:, :, None] & forms.constraint[:, None]) == 0)
        likely = first_scores[sentence, rows].masked_fill(~begins, _NEVER)  # (B, C, E)
        found = torch.where(likely.amax(dim=2) > _NEVER, likely.argmax(dim=2), -1)
        form = torch.where(now.form >= 0, now.form, found)
        inside, form = form >= 0, form.clamp(min=0)
        place = torch.where(now.form >= 0, now.place, 0)
        token_ids = torch.where(inside, forms.tokens[sentence, form, place].clamp(min=0), proposed.token_ids)
        goes_on = inside & (place + 1 < forms.lengths[sentence, form])
        after = Replacing(
            form=torch.where(goes_on, form, -1),
            place=torch.where(goes_on, place + 1, 0),
            used=torch.where(inside, now.used | forms.constraint[sentence, form], now.used),
        )
        return self._score(scores, proposed, token_ids), after

    def _score(self, scores: TokenScores, proposed: Candidates, token_ids: Tensor) -> Candidates:
        """Log-probabilities are those of the tokens that are generated, ranks those of the proposed."""
        rows = proposed.beam_index
        actual = scores.pairs(rows, token_ids)
        there = torch.isfinite(actual) & torch.isfinite(proposed.scores)
        again = (rows[:, :, None] == rows[:, None]) & (token_ids[:, :, None] == token_ids[:, None])
        there = there & ~(again & there[:, None]).tril(-1).any(dim=2)
        change = torch.where(there, proposed.scores - actual, 0.0)
        return Candidates(
            scores=actual.masked_fill(~there, _NEVER),
            beam_index=rows,
            token_ids=token_ids,
            extra=self.bias.gather(1, rows) + change,
        )

    def take(self) -> None:
        assert self._chosen is not None
        going, after = self._chosen
        assert going.extra is not None
        if self._avoid is not None:
            self._avoid.take(self._avoid.follow(going.beam_index, going.token_ids))
        self._now.copy_(after)
        self.bias.copy_(going.extra)


def _choose(candidates: Candidates, index: Tensor) -> Candidates:
    return Candidates(
        scores=candidates.scores.gather(1, index),
        beam_index=candidates.beam_index.gather(1, index),
        token_ids=candidates.token_ids.gather(1, index),
        extra=None if candidates.extra is None else candidates.extra.gather(1, index),
    )


def _fill(values: Tensor, size: int, filler: float) -> Tensor:
    missing = size - values.shape[1]
    return torch.nn.functional.pad(values, (0, missing), value=filler) if missing else values
