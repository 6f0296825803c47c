"""Beam search over any model of the contract.

At each step a policy selects which continuations of a sentence's K hypotheses end and which go on, in the
stages that `policy.py` names. A sentence is done when nothing that could still come of its running
hypotheses, or is expected to, would enter its n best (`stopping.py`).
"""

import copy
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic

import torch
from torch import Tensor

from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.contracts.model import DecoderOutput, EncodedSource, State, TranslationModel
from lexalign.cuda_graphs import SideWork
from lexalign.decoding.beam import Beam, Finished, read_hypotheses
from lexalign.decoding.beam_kernels import BeamKernels, forbid_columns
from lexalign.decoding.candidates import Candidates, join_candidates
from lexalign.decoding.constraints.results import add_constraint_results
from lexalign.decoding.lexical_shortlist import LexicalShortlist
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.unconstrained import Unconstrained
from lexalign.decoding.policy import AnySelector, Policy, SearchBatch, Selection, Step
from lexalign.decoding.scores import TokenScores

# How many steps pass before the decoder drops what no hypothesis can see any more.
STEPS_PER_RESERVE = 8
# Sentences that are done leave when they are at least this share of the batch: leaving costs a copy.
_DONE_SHARE = 0.2
_NEVER = float("-inf")

Part = tuple[list[int], list[list[Hypothesis]]]  # some places of a batch, and what was found for each


@torch.inference_mode()
def search(
    model: TranslationModel[State],
    source_ids: Tensor,
    options: SearchOptions,
    policy: Policy | None = None,
    constraints: Sequence[Sequence[TokenConstraint]] | None = None,
    shortlist: LexicalShortlist | None = None,
) -> list[list[Hypothesis]]:
    """Translate padded sentences (B, S): for each, its n best hypotheses, best first.

    Each sentence has its constraints, if there are any, and each hypothesis then says what became of them.
    With a shortlist, only tokens on it and those of constraints can be generated.
    """
    results: list[list[Hypothesis]] = [[] for _ in source_ids]
    for places, found in search_parts(
        model, source_ids, model.encode(source_ids), options, policy, constraints, shortlist
    ):
        for place, ranked in zip(places, found, strict=True):
            results[place] = ranked
    return results


@torch.inference_mode()
def search_parts(
    model: TranslationModel[State],
    source_ids: Tensor,
    source: EncodedSource,
    options: SearchOptions,
    policy: Policy | None = None,
    constraints: Sequence[Sequence[TokenConstraint]] | None = None,
    shortlist: LexicalShortlist | None = None,
    listed: Sequence[Sequence[TokenConstraint]] | None = None,
) -> Iterator[Part]:
    """As `search`, of a source that is encoded already: sentences come as they are done, some at a time.

    What must be on the shortlist of each sentence may be more than its constraints: `listed`.
    """
    policy = policy or Unconstrained()
    lengths = (source_ids != model.vocabulary.pad_id).sum(dim=1).tolist()
    batch = SearchBatch(
        constraints=constraints or [()] * len(lengths),
        source_ids=source_ids,
        source=source,
        limits=[options.limit(length) for length in lengths],
        vocabulary=model.vocabulary,
        beam=options.beam,
        length_penalty=options.length_penalty,
        exact=options.exact,
        listed=listed,
    )
    selector = policy.begin(batch)
    state = model.start(
        batch.source,
        beam=options.beam,
        attention_layer=policy.attention_layer,
        shortlist=batch.select(shortlist),
    )
    for places, found in BeamSearch(model, state, batch.limits, options, selector, source_ids.device).run():
        ours = [selector.constraints[place] for place in places] if selector.constraints else ()
        yield places, add_constraint_results(found, ours, guaranteed=policy.guarantees_constraints)


def join_parts(parts: Iterable[Part], size: int, total: int) -> Iterator[Part]:
    """Parts of at least `size` sentences, but for the last of `total`."""
    places: list[int] = []
    found: list[list[Hypothesis]] = []
    for more_places, more_found in parts:
        places, found = places + more_places, found + more_found
        total -= len(more_places)
        if len(places) >= size or not total:
            yield places, found
            places, found = [], []


class BeamSearch(Generic[State]):
    """The search of one batch."""

    def __init__(
        self,
        model: TranslationModel[State],
        state: State,
        limits: Sequence[int],
        options: SearchOptions,
        selector: AnySelector,
        device: torch.device,
        static: bool = False,
    ) -> None:
        self.model, self.state, self.options, self.selector = model, state, options, selector
        self._vocabulary = model.vocabulary
        self._beside = SideWork(device)
        self.static = static  # every step does the same operations on the same tensors
        batch, longest = len(limits), max(limits)
        self.beam = Beam(batch, options.beam, longest, device)
        self.finished = Finished.start(batch, options.n_best, device)
        self.limits = torch.tensor(limits, device=device)
        self._first_limit = min(limits)
        self._any_finished = False  # until then nothing can be done
        self._num_over: int | None = None  # None: to be counted
        self._over = torch.zeros(batch, dtype=torch.bool, device=device)  # sentences that are done for good
        self._forbidden = torch.tensor(self._vocabulary.never_generated, dtype=torch.int64, device=device)
        self._kernels = BeamKernels.start(self.beam, self.finished, options, static=static)

    def run(self) -> Iterator[Part]:
        sentences = torch.arange(len(self.limits), device=self.limits.device)
        self.begin()
        step = 0
        while len(sentences):
            if step % STEPS_PER_RESERVE == 0:
                self.state.reserve(STEPS_PER_RESERVE)
            self.advance(step)
            step += 1
            if not self._any_finished:
                continue
            enough = max(1.0, _DONE_SHARE * len(sentences))
            if self._num_over is not None and self._num_over < enough and step < len(self.beam.past_rows):
                continue
            done = self.done()
            if int(done.sum()) >= enough or step >= len(self.beam.past_rows):
                yield sentences[done].tolist(), self.read(done.nonzero()[:, 0])
                sentences = sentences[~done]
                self.keep((~done).nonzero()[:, 0])

    def restart(self, state: State, limits: Sequence[int], selector: AnySelector) -> None:
        """Take up another batch of the same shape, in the same tensors."""
        self.state = state
        self.selector.state.copy_(selector.state)
        self.limits.copy_(torch.tensor(limits))
        self.finished.reset()
        self._over.zero_()

    def begin(self) -> None:
        """Feed the target prefix up to its last token, which the first step takes."""
        *prefix, last = self._vocabulary.target_prefix
        rows = self.options.beam if self.static else 1
        if prefix:
            self.state.reserve(len(prefix))
        for token_id in prefix:
            tokens = torch.full((len(self.limits), rows), token_id, device=self.limits.device)
            self.model.step(self.state, tokens)
        self.beam.reset(rows, last)

    def advance(self, step: int) -> None:
        """One step: prepare, score, select, commit."""
        selector, beam = self.selector, self.beam
        rows = self.options.beam if self.static or step else 1
        with self._beside.fork():
            prepared = selector.prepare(rows, beam.clock)
        output = self.model.step(self.state, beam.token_ids[:, :rows])
        self._beside.join()
        scored = Step(
            scores=TokenScores(self._allowed(output), beam.scores[:, :rows], output.shortlist),
            output=output,
            clock=beam.clock,
            look_ahead=self._look_ahead,
            beside=self._beside,
        )
        selection = selector.select(scored, prepared)
        with self._beside.fork():
            selector.commit(selection)
        if self.static or selector.may_stall or step + 1 >= self._first_limit:
            last = selector.force_finish(scored, prepared, selection, self.finished.any)
            self._force_finish(selection, last)
        elif self._kernels is not None:
            self._any_finished |= self._kernels.finish(selection.ended, selection.ends, self._over, step)
        elif bool(selection.ends.any()):
            self._finish(selection.ended, selection.ends)
        going = selection.going
        self.state.reorder(going.beam_index)
        self._beside.join()
        if self._kernels is not None:
            self._kernels.advance(going, self._over)
        else:
            beam.advance(going.scores, going.beam_index, going.token_ids)
        if not self.options.exact and (self._any_finished or self.static):
            self._see_what_is_over(step + 1)

    def done(self) -> Tensor:
        """Sentences (B,) of which nothing better can come, or is expected to."""
        return self._nothing_better() if self.options.exact else self._over

    def _see_what_is_over(self, clock: int) -> None:
        self._num_over = None
        if self._kernels is not None:
            self._num_over = self._kernels.see_what_is_over(self.selector.stopping_bound, self._over, clock)
        if self._num_over is None:
            self._over |= self._nothing_better()

    def _nothing_better(self) -> Tensor:
        options, beam = self.options, self.beam
        best = self.selector.stopping_bound.best_reachable(
            beam.scores, beam.clock, self.limits, options.length_penalty, exact=options.exact
        )
        return self.finished.scores[:, -1] >= best

    def read(self, sentences: Tensor) -> list[list[Hypothesis]]:
        way = self.beam if self._kernels is None else self._kernels
        return read_hypotheses(self.finished, sentences, self.limits, way.walk_back)

    def keep(self, sentence_index: Tensor) -> None:
        if not len(sentence_index):
            return
        self.limits, self._over = self.limits[sentence_index], self._over[sentence_index]
        self.beam.keep(sentence_index)
        self.finished.keep(sentence_index)
        self.state.keep(sentence_index)
        self.selector.state.keep(sentence_index)

    def _allowed(self, output: DecoderOutput) -> Tensor:
        logits, eos_column = output.logits, 0
        if output.shortlist is None:
            self._forbid(logits)
            eos_column = self._vocabulary.eos_id
        if self.options.min_length:
            too_short = self.beam.clock < self.options.min_length
            logits[:, :, eos_column].masked_fill_(too_short, float("-inf"))
        return logits

    def _forbid(self, logits: Tensor) -> None:
        """Let no token win that is never generated."""
        if not forbid_columns(logits, self._forbidden):
            logits.index_fill_(2, self._forbidden, _NEVER)

    def _look_ahead(self, rows: Tensor, token_ids: Tensor) -> DecoderOutput:
        """One step further, without having gone there."""
        state = copy.deepcopy(self.state)
        state.reorder(rows)
        state.reserve(1)
        return self.model.step(state, token_ids)

    def _force_finish(self, selection: Selection[Any], last: Candidates) -> None:
        """What ends is finished; at its limit, or with no way to go on, a sentence ends all its hypotheses.

        At its limit it continues none.
        """
        at_limit = (self.beam.clock + 1 >= self.limits)[:, None]
        ends, forced = selection.ends & ~at_limit, at_limit
        if self.selector.may_stall:
            stalled = (selection.going.scores == _NEVER).all(dim=1)
            stalled = stalled & ~self.finished.any & ~ends.any(dim=1)
            forced = at_limit | stalled[:, None]
        self._finish(
            join_candidates([selection.ended, last]),
            torch.cat([ends, forced.expand_as(last.scores)], dim=1),
        )
        selection.going.scores.masked_fill_(at_limit, _NEVER)

    def _finish(self, ended: Candidates, ends: Tensor) -> None:
        self._any_finished = True
        if not self.options.exact:
            # Else the result would depend on how long the other sentences take.
            ends = ends & ~self._over[:, None]
        self.finished.add(ended, ends, self.beam.clock, self.options.length_penalty)
