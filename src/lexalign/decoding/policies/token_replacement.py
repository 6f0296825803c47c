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
from typing import cast

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from lexalign.contracts.alignment import Aligner, OnlineAligner
from lexalign.contracts.sentence_tensors import SentenceTensors, upload
from lexalign.decoding.candidates import Candidates, list_ends, list_tokens
from lexalign.decoding.constraints.automaton import ranks_within
from lexalign.decoding.constraints.sentence_constraints import Matching, SentenceConstraints
from lexalign.decoding.constraints.tracker import AvoidedPhrases
from lexalign.decoding.policies.replacement_kernels import ReplacementKernels
from lexalign.decoding.policies.source_alignment import AlignedSource, DelayedSource
from lexalign.decoding.policies.unconstrained import PlainSelector
from lexalign.decoding.policy import AnySelector, SearchBatch, Selection, Step
from lexalign.decoding.scores import TokenScores
from lexalign.decoding.stopping import StoppingBound

_NEVER = float("-inf")


@dataclass(frozen=True, kw_only=True)
class TokenReplacement:
    aligner: Aligner | OnlineAligner
    matching: Matching = field(default_factory=Matching)
    guarantees_constraints: bool = False

    @property
    def attention_layer(self) -> int:
        return self.aligner.layer

    @property
    def recordable(self) -> bool:
        return self.aligner.delay == 0

    def begin(self, batch: SearchBatch) -> AnySelector:
        constraints = batch.sort_constraints(self.matching)
        if not any(ours.constraints for ours in constraints):
            return PlainSelector(batch)
        return ReplacementSelector(self, batch, constraints)


@dataclass(kw_only=True)
class FormTable(SentenceTensors):
    """All forms of a sentence's constraints: E of them, of up to L tokens."""

    tokens: Tensor  # (B, E, L)
    lengths: Tensor  # (B, E)
    constraint: Tensor  # (B, E), masks
    source: Tensor  # (B, S, E), whether a source token is the form's
    asks: Tensor  # (B,), whether there is any


@dataclass(kw_only=True)
class Replacing(SentenceTensors):
    """The form that hypotheses (B, C) are in the middle of."""

    form: Tensor  # (B, C), -1 for none
    position: Tensor  # (B, C), of the form's next token
    used: Tensor  # (B, C), masks of constraints

    def gather(self, index: Tensor) -> "Replacing":
        return Replacing(
            form=self.form.gather(1, index),
            position=self.position.gather(1, index),
            used=self.used.gather(1, index),
        )


@dataclass(kw_only=True)
class ReplacementState(SentenceTensors):
    forms: FormTable
    source: AlignedSource | DelayedSource
    replacing: Replacing  # (B, K)
    bias: Tensor  # (B, K), what the proposed tokens scored beyond those that replaced them
    avoid: AvoidedPhrases | None


@dataclass(frozen=True, kw_only=True)
class ReplacementUpdate:
    replacing: Replacing | None  # (B, K), of those that go on; None: native code knows
    ends: Candidates  # (B, K), every hypothesis with an end of sentence


class ReplacementSelector:
    def __init__(
        self, policy: TokenReplacement, batch: SearchBatch, constraints: Sequence[SentenceConstraints]
    ) -> None:
        self.constraints = constraints
        self._beam, self._num_top, self._eos_id = batch.beam, batch.num_top, batch.vocabulary.eos_id
        device, beam = batch.source_ids.device, batch.beam
        words = policy.matching.continues_word
        words = None if words is None else words.to(device)
        none = torch.full((len(constraints), beam), -1, device=device)
        self.state = ReplacementState(
            forms=form_table(constraints, batch.source_ids.shape[1], device, static=batch.static),
            source=DelayedSource.start(policy.aligner, batch)
            if policy.aligner.delay
            else _remember(cast(OnlineAligner, policy.aligner), batch),
            replacing=Replacing(form=none, position=torch.zeros_like(none), used=torch.zeros_like(none)),
            bias=torch.zeros(len(constraints), beam, device=device),
            avoid=AvoidedPhrases.start(constraints, beam, words, device, static=batch.static),
        )
        self.may_stall = self.state.avoid is not None
        self._kernels = ReplacementKernels.start(batch, self.state)

    @property
    def stopping_bound(self) -> StoppingBound:
        """Scores of replaced tokens only fall, too."""
        return StoppingBound(bias=self.state.bias)

    def prepare(self, rows: int, clock: Tensor) -> None: ...

    def select(self, step: Step, prepared: None) -> Selection[ReplacementUpdate]:  # noqa: ARG002
        if self._kernels is not None and (found := self._kernels.select(step)) is not None:
            update = ReplacementUpdate(replacing=None, ends=found.update)
            return Selection(going=found.going, ended=found.ended, ends=found.ends, update=update)
        bias = self.state.bias[:, : step.scores.rows].clone()
        last = list_ends(step.scores.of(self._eos_id), self._eos_id, bias)
        if self.state.avoid is not None:
            self.state.avoid.forbid(step.scores)
        taken, after = self._replace(step.scores, *self._propose(step))
        ranks = taken.ranks()
        is_end = taken.token_ids == self._eos_id
        going_ranks, index = _best(ranks.masked_fill(is_end, _NEVER), self._beam)
        going = taken.gather(index)
        going.scores.masked_fill_(going_ranks == _NEVER, _NEVER)
        best_ranks, first = _best(ranks, self._beam)
        ends = is_end.gather(1, first) & (best_ranks > _NEVER)
        update = ReplacementUpdate(replacing=after.gather(index), ends=last)
        return Selection(going=going, ended=taken.gather(first), ends=ends, update=update)

    def force_finish(
        self,
        step: Step,  # noqa: ARG002
        prepared: None,  # noqa: ARG002
        selection: Selection[ReplacementUpdate],
        any_finished: Tensor,  # noqa: ARG002
    ) -> Candidates:
        return selection.update.ends

    def commit(self, selection: Selection[ReplacementUpdate]) -> None:
        state, going, replacing = self.state, selection.going, selection.update.replacing
        if replacing is None and self._kernels is not None:
            self._kernels.commit()
            return
        assert going.bias is not None
        assert replacing is not None
        if state.avoid is not None:
            state.avoid.commit(state.avoid.follow(going.beam_index, going.token_ids))
        state.replacing.copy_(replacing)
        state.bias.copy_(going.bias)

    def _propose(self, step: Step) -> tuple[Candidates, Tensor, Tensor]:
        """The two best tokens of each hypothesis, where they are aligned to, and scores of forms (B, K, E).

        For sentences that ask for nothing, the best of all, wherever they are aligned to.
        """
        forms, size = self.state.forms, 2 * self._beam
        step.scores.prepare()
        with step.beside.fork():
            tokens, scores = step.scores.best(2)  # (B, K, 2)
            aligned = self.state.source.most_probable(step, tokens)
            firsts = forms.tokens[:, None, :, 0].expand(-1, step.scores.rows, -1).clamp(min=0)
            first_scores = step.scores.at(firsts)
        top = step.scores.top(self._num_top)
        step.beside.join()
        two, asks = list_tokens(scores, tokens), forms.asks[:, None]
        proposed = Candidates(
            scores=torch.where(asks, _fill(two.scores, size, _NEVER), _fill(top.scores, size, _NEVER)),
            beam_index=torch.where(asks, _fill(two.beam_index, size, 0), _fill(top.beam_index, size, 0)),
            token_ids=torch.where(asks, _fill(two.token_ids, size, 0), _fill(top.token_ids, size, 0)),
        )
        return proposed, _fill(aligned.flatten(1), size, 0), first_scores

    def _replace(
        self, scores: TokenScores, proposed: Candidates, aligned: Tensor, first_scores: Tensor
    ) -> tuple[Candidates, Replacing]:
        """The candidates (B, C) as they are generated, and what they are then in the middle of."""
        forms, rows = self.state.forms, proposed.beam_index
        sentence = torch.arange(len(rows), device=rows.device)[:, None]
        now = self.state.replacing.gather(rows)
        begins = forms.source[sentence, aligned] & ((now.used[:, :, None] & forms.constraint[:, None]) == 0)
        likely = first_scores[sentence, rows].masked_fill(~begins, _NEVER)  # (B, C, E)
        found = torch.where(likely.amax(dim=2) > _NEVER, likely.argmax(dim=2), -1)
        form = torch.where(now.form >= 0, now.form, found)
        inside, form = form >= 0, form.clamp(min=0)
        position = torch.where(now.form >= 0, now.position, 0)
        replacement = forms.tokens[sentence, form, position].clamp(min=0)
        token_ids = torch.where(inside, replacement, proposed.token_ids)
        unfinished = inside & (position + 1 < forms.lengths[sentence, form])
        after = Replacing(
            form=torch.where(unfinished, form, -1),
            position=torch.where(unfinished, position + 1, 0),
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
            bias=self.state.bias.gather(1, rows) + change,
        )


def _remember(aligner: OnlineAligner, batch: SearchBatch) -> AlignedSource:
    return AlignedSource(aligner=aligner, memory=aligner.remember(batch.source))


def form_table(
    constraints: Sequence[SentenceConstraints], source_length: int, device: torch.device, *, static: bool
) -> FormTable:
    """The forms of constraints that have a source; a preferred one is used like any other."""
    listed = [
        [
            (1 << index, form, one.source or ())
            for index, one in enumerate(one for one in (*ours.must, *ours.prefer) if one.source)
            for form in one.forms
        ]
        for ours in constraints
    ]
    flat = [form for forms in listed for form in forms]
    counts = np.array([len(forms) for forms in listed], dtype=np.int64)
    sizes = np.array([len(form) for _, form, _ in flat], dtype=np.int64)
    most, longest = max(1, int(counts.max(initial=0))), max(1, int(sizes.max(initial=0)))
    if static:
        most, longest = -(-most // 4) * 4, -(-longest // 8) * 8
    num_sentences = len(constraints)
    tokens = np.full((num_sentences, most, longest), -1)
    lengths, masks = np.zeros((2, num_sentences, most), dtype=np.int64)
    source = np.zeros((num_sentences, source_length, most), dtype=bool)
    at = np.repeat(np.arange(num_sentences), counts), ranks_within(counts)
    lengths[at] = sizes
    masks[at] = [bit for bit, _, _ in flat]
    tokens[np.repeat(at[0], sizes), np.repeat(at[1], sizes), ranks_within(sizes)] = [
        token for _, form, _ in flat for token in form
    ]
    widths = np.array([len(places) for _, _, places in flat], dtype=np.int64)
    places = np.array([place for _, _, places in flat for place in places], dtype=np.int64)
    source[np.repeat(at[0], widths), places, np.repeat(at[1], widths)] = True
    tensors = upload((tokens, lengths, masks, source, counts > 0), device)
    return FormTable(
        tokens=tensors[0], lengths=tensors[1], constraint=tensors[2], source=tensors[3], asks=tensors[4]
    )


def _best(ranks: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The best ranks (B, count) and where they stand, the first of equals first."""
    ranks, index = ranks.sort(dim=1, descending=True, stable=True)
    return ranks[:, :count], index[:, :count]


def _fill(values: Tensor, size: int, filler: float) -> Tensor:
    missing = size - values.shape[1]
    return F.pad(values, (0, missing), value=filler) if missing else values
