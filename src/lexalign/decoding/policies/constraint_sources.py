"""How much of a token's alignment lies on what constraints translate."""

from collections.abc import Collection, Sequence

import numpy as np
import torch
from torch import Tensor

from lexalign.contracts.alignment import AlignmentMemory, OnlineAligner
from lexalign.contracts.errors import LexalignError
from lexalign.decoding.constraints.records import upload
from lexalign.decoding.constraints.requests import Request
from lexalign.decoding.constraints.trie import ranks_within
from lexalign.decoding.policy import SearchBatch, Step
from lexalign.kernel_shapes import pad_places, row_sums, summable


class ConstraintSources:
    """The source tokens of a batch's constraints, G of them in a sentence, and an aligner to ask."""

    def __init__(self, aligner: OnlineAligner, batch: SearchBatch, requests: Sequence[Request]) -> None:
        self._aligner = aligner
        self._memory: AlignmentMemory = aligner.remember(batch.source)
        spans = source_spans(requests, batch)  # (B, S, G)
        # (B, 1, G): constraints without a source have a mass of 1 everywhere.
        self._anywhere = 1.0 - spans.amax(dim=1, keepdim=True)
        self._any_span = summable(spans.amax(dim=2, keepdim=True))  # (B, S, 1)
        self._spans = summable(spans)

    @property
    def given(self) -> Tensor:
        """Which constraints (B, 1, 1, G) have a source."""
        return self._anywhere[:, None] == 0

    def of_candidates(self, step: Step, token_ids: Tensor) -> Tensor:
        """The mass (B, K, C, G) of tokens (B, K, C) on each constraint; 1 on one without a source."""
        found = self._aligner.align_candidates(self._memory, step.output, token_ids)  # (B, K, C, S)
        mass = self._sums(found.flatten(1, 2).float()) + self._anywhere
        return mass.view(*token_ids.shape, -1)

    def average(self, step: Step, token_ids: Tensor, shares: Tensor) -> Tensor:
        """The mass (B, K, 1, G) of tokens (B, K, C) that come with probabilities that sum to 1."""
        found = self._aligner.align_candidates(self._memory, step.output, token_ids).float()
        sums = self._sums(found.flatten(1, 2)).view(*token_ids.shape, -1)  # (B, K, C, G)
        # In float64, in which the order does not matter that a kernel takes for the number of constraints.
        mean = (sums * shares[..., None]).sum(dim=2, keepdim=True, dtype=torch.float64)
        return mean.float() + self._anywhere[:, None]

    def of_any(self, step: Step, rows: Tensor, token_ids: Tensor) -> Tensor:
        """The mass (B, C) of pairs of a hypothesis and a token on all constraints together."""
        found = self._aligner.align_pairs(self._memory, step.output, rows, token_ids)  # (B, C, S)
        return row_sums(pad_places(found.float(), self._any_span.shape[1]), self._any_span)[:, :, 0]

    def _sums(self, found: Tensor) -> Tensor:
        """What distributions (B, Q, S) have on each constraint's source (B, Q, G)."""
        sums = row_sums(pad_places(found, self._spans.shape[1]), self._spans)
        return sums[..., : self._anywhere.shape[2]]

    def best(self, mass: Tensor, serves: Tensor) -> Tensor:
        """The largest mass (B, K, C) on any of the constraints that are served (B, K, C, G)."""
        return torch.where(serves, mass, 0.0).amax(dim=3)

    def keep(self, sentence_index: Tensor) -> None:
        self._memory = self._memory.keep(sentence_index)
        self._spans, self._anywhere = self._spans[sentence_index], self._anywhere[sentence_index]
        self._any_span = self._any_span[sentence_index]

    def restart(self, other: "ConstraintSources") -> None:
        self._spans.copy_(other._spans)
        self._anywhere.copy_(other._anywhere)
        self._any_span.copy_(other._any_span)
        self._memory.mask.copy_(other._memory.mask)
        if self._memory.keys is not None and other._memory.keys is not None:
            self._memory.keys.copy_(other._memory.keys)


def source_spans(requests: Sequence[Request], batch: SearchBatch) -> Tensor:
    """Which source tokens a constraint translates (B, S, G), as 0 or 1."""
    num_sentences, length = batch.source_ids.shape
    most = max(len(request.must) for request in requests)
    most = max(1, -(-most // 4) * 4 if batch.static else most)
    spans = np.zeros((num_sentences, length, most), dtype=np.float32)
    sources = [_sources(request) for request in requests]
    flat = [source for ours in sources for source in ours]
    counts = np.array([len(ours) for ours in sources], dtype=np.int64)
    widths = np.array([len(source) for source in flat], dtype=np.int64)
    places = np.array([place for source in flat for place in source], dtype=np.int64)
    if len(places) and not 0 <= places.min() <= places.max() < length:
        _refuse(requests, length)
    sentence = np.repeat(np.repeat(np.arange(num_sentences), counts), widths)
    spans[sentence, places, np.repeat(ranks_within(counts), widths)] = 1.0
    return upload((spans,), batch.source_ids.device)[0]


def _sources(request: Request) -> Sequence[Collection[int]]:
    """Of each constraint that has one; any of the occurrences of a repeated constraint may come first."""
    goals = request.must
    forms = {frozenset(goal.forms) for goal in goals} if len(goals) > 1 else ()
    if len(goals) < 2 or len(forms) == len(goals):
        return [goal.source or () for goal in goals]
    return [
        {
            place
            for other in goals
            if goal.source and set(other.forms) == set(goal.forms)
            for place in other.source or ()
        }
        for goal in goals
    ]


def _refuse(requests: Sequence[Request], length: int) -> None:
    for goal in (goal for request in requests for goal in request.must if goal.source):
        if not all(0 <= place < length for place in goal.source or ()):
            raise LexalignError(f"a constraint's source tokens {goal.source} are outside of the sentence")
