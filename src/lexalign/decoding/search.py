"""Beam search over any model of the contract.

Each step takes the 2K best continuations of a sentence's K hypotheses. Those among the first K that end the
sentence are finished; the K best others go on. A sentence is done when nothing that could still come of its
running hypotheses would enter its n best: a log-probability only falls, so a running one of score s can
reach at most s / limit**penalty. The search therefore loses nothing to an early stop.
"""

from collections.abc import Sequence
from typing import Generic

import torch
from torch import Tensor

from lexalign.contracts.hypothesis import Hypothesis
from lexalign.contracts.model import State, TranslationModel
from lexalign.decoding.beam import Beam, Finished, read_hypotheses
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.unconstrained import Unconstrained
from lexalign.decoding.policy import Policy
from lexalign.decoding.scores import Candidates, TokenScores

# How many steps pass before the decoder drops what no hypothesis can see any more.
STEPS_PER_RESERVE = 8
# Sentences that are done leave when they are at least this share of the batch: leaving costs a copy.
_DONE_SHARE = 0.2


@torch.inference_mode()
def search(
    model: TranslationModel[State],
    source_ids: Tensor,
    options: SearchOptions,
    policy: Policy | None = None,
) -> list[list[Hypothesis]]:
    """Translate padded sentences (B, S): for each, its n best hypotheses, best first."""
    lengths = (source_ids != model.vocabulary.pad_id).sum(dim=1).tolist()
    limits = [options.limit(length) for length in lengths]
    state = model.start(model.encode(source_ids), beam=options.beam)
    return BeamSearch(model, state, limits, options, policy or Unconstrained(), source_ids.device).run()


class BeamSearch(Generic[State]):
    """The search of one batch."""

    def __init__(
        self,
        model: TranslationModel[State],
        state: State,
        limits: Sequence[int],
        options: SearchOptions,
        policy: Policy,
        device: torch.device,
        static: bool = False,
    ) -> None:
        self.model, self.state, self.options, self.policy = model, state, options, policy
        self.static = static  # every step does the same operations on the same tensors
        batch, longest = len(limits), max(limits)
        self.beam = Beam(batch, options.beam, longest, device)
        self.finished = Finished(batch, options.n_best, device)
        self.limits = torch.tensor(limits, device=device)
        self._first_limit = min(limits)
        self._any_finished = False  # until then nothing can be done
        self._rows = torch.arange(options.beam, device=device)[None]
        self._forbidden = torch.tensor(model.vocabulary.never_generated, dtype=torch.int64, device=device)

    def run(self) -> list[list[Hypothesis]]:
        sentences = torch.arange(len(self.limits), device=self.limits.device)
        results: list[list[Hypothesis]] = [[] for _ in sentences]
        self.begin()
        step = 0
        while len(sentences):
            if step % STEPS_PER_RESERVE == 0:
                self.state.reserve(STEPS_PER_RESERVE)
            self.advance(step)
            step += 1
            if not self._any_finished:
                continue
            done = self.done()
            if int(done.sum()) >= max(1.0, _DONE_SHARE * len(done)) or step >= len(self.beam.past_rows):
                for index, ranked in zip(
                    sentences[done].tolist(), self.read(done.nonzero()[:, 0]), strict=True
                ):
                    results[index] = ranked
                sentences = sentences[~done]
                self.keep((~done).nonzero()[:, 0])
        return results

    def restart(self, state: State, limits: Sequence[int]) -> None:
        """Take up another batch of the same shape, in the same tensors."""
        self.state = state
        self.limits.copy_(torch.tensor(limits))
        self.finished.reset()

    def begin(self) -> None:
        """Feed the target prefix up to its last token, which the first step takes."""
        *prefix, last = self.model.vocabulary.target_prefix
        rows = self.options.beam if self.static else 1
        if prefix:
            self.state.reserve(len(prefix))
        for token_id in prefix:
            tokens = torch.full((len(self.limits), rows), token_id, device=self.limits.device)
            self.model.step(self.state, tokens)
        self.beam.reset(rows, last)

    def advance(self, step: int) -> None:
        rows = self.options.beam if self.static or step else 1
        output = self.model.step(self.state, self.beam.token_ids[:, :rows])
        scores = TokenScores(self._allowed(output.logits), self.beam.scores[:, :rows])
        size = self.options.beam
        candidates = self.policy.propose(scores, 2 * size if size > 1 else 1)
        ends = candidates.token_ids == self.model.vocabulary.eos_id
        self._retire(candidates, ends)
        if self.static or step + 1 >= self._first_limit:
            self._close(scores, candidates)
        self._continue(candidates, ends)

    def done(self) -> Tensor:
        """Sentences (B,) of which nothing better can come."""
        reachable = self.beam.scores.amax(dim=1) / self.limits.float() ** self.options.length_penalty
        return self.finished.scores[:, -1] >= reachable

    def read(self, sentences: Tensor) -> list[list[Hypothesis]]:
        return read_hypotheses(self.beam, self.finished, sentences, self.limits)

    def keep(self, sentence_index: Tensor) -> None:
        if not len(sentence_index):
            return
        self.limits = self.limits[sentence_index]
        self.beam.keep(sentence_index)
        self.finished.keep(sentence_index)
        self.state.keep(sentence_index)

    def _allowed(self, logits: Tensor) -> Tensor:
        logits.index_fill_(2, self._forbidden, float("-inf"))
        if self.options.min_length:
            too_short = self.beam.clock < self.options.min_length
            logits[:, :, self.model.vocabulary.eos_id].masked_fill_(too_short, float("-inf"))
        return logits

    def _retire(self, candidates: Candidates, ends: Tensor) -> None:
        """Ends among the first K candidates are finished, unless the sentence is at its limit."""
        ends = ends[:, : self.options.beam]
        if not self.static and not bool(ends.any()):
            return
        ends = ends & (self.beam.clock + 1 < self.limits)[:, None]
        scores = candidates.scores[:, : self.options.beam].masked_fill(~ends, float("-inf"))
        self._finish(scores, candidates.beam_index[:, : self.options.beam])

    def _close(self, scores: TokenScores, candidates: Candidates) -> None:
        """At its limit a sentence ends all its hypotheses and continues none."""
        at_limit = (self.beam.clock + 1 >= self.limits)[:, None]
        ends = scores.of(self.model.vocabulary.eos_id)
        self._finish(
            ends.masked_fill(~at_limit, float("-inf")), self._rows[:, : ends.shape[1]].expand_as(ends)
        )
        candidates.scores.masked_fill_(at_limit, float("-inf"))

    def _finish(self, scores: Tensor, rows: Tensor) -> None:
        self._any_finished = True
        self.finished.add(scores, rows, self.beam.clock, self.options.length_penalty)

    def _continue(self, candidates: Candidates, ends: Tensor) -> None:
        """The K best candidates that do not end go on."""
        going = candidates.scores.masked_fill(ends, float("-inf"))
        scores, index = going.topk(self.options.beam, dim=1)
        rows = candidates.beam_index.gather(1, index)
        self.state.reorder(rows)
        self.beam.advance(scores, rows, candidates.token_ids.gather(1, index))
