"""What an aligner tells a policy: where candidates come from, and how much of that constraints translate."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from lexalign.contracts.alignment import Aligner, AlignmentMemory, ForcedTarget, OnlineAligner
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.model import EncodedSource
from lexalign.contracts.sentence_tensors import SHARED, SentenceTensors, upload
from lexalign.decoding.constraints.automaton import ranks_within
from lexalign.decoding.constraints.sentence_constraints import SentenceConstraints
from lexalign.decoding.policy import SearchBatch, Step
from lexalign.kernel_shapes import pad_places, row_sums, summable
from lexalign.native.alignment import sum_spans


@dataclass(kw_only=True)
class AlignedSource(SentenceTensors):
    """A batch's sources, and an aligner that knows where a token comes from with the token."""

    aligner: OnlineAligner = field(metadata=SHARED)
    memory: AlignmentMemory

    def most_probable(self, step: Step, token_ids: Tensor) -> Tensor:
        """The source positions (B, K, C) of tokens (B, K, C) of each hypothesis."""
        return self.aligner.align_candidates(self.memory, step.output, token_ids).argmax(dim=3)


@dataclass(kw_only=True)
class DelayedSource(SentenceTensors):
    """The same with an aligner that knows it one step later: the tokens are fed to the decoder."""

    aligner: Aligner = field(metadata=SHARED)
    states: Tensor  # (B, S, D)
    mask: Tensor  # (B, S)
    source_ids: Tensor  # (B, S)
    content: Tensor  # (B, S), tokens that may be linked

    @classmethod
    def start(cls, aligner: Aligner, batch: SearchBatch) -> "DelayedSource":
        states, mask = batch.source.states, batch.source.mask
        content = mask & (batch.source_ids != batch.vocabulary.eos_id)
        return cls(aligner=aligner, states=states, mask=mask, source_ids=batch.source_ids, content=content)

    def most_probable(self, step: Step, token_ids: Tensor) -> Tensor:
        return torch.stack([self._look(step, tokens) for tokens in token_ids.unbind(dim=2)], dim=2)

    def _look(self, step: Step, token_ids: Tensor) -> Tensor:
        """The tokens of a beam are aligned as if they were those of a forced target."""
        rows = torch.arange(token_ids.shape[1], device=token_ids.device).expand_as(token_ids)
        output = step.look_ahead(rows, token_ids)
        if output.head_attention is None or output.query is None:
            raise LexalignError(
                f"start the search with attention_layer={self.aligner.layer}; what that layer sees is "
                "needed to align"
            )
        forced = ForcedTarget(
            source=EncodedSource(states=self.states, mask=self.mask),
            source_ids=self.source_ids,
            token_ids=token_ids,
            source_content=self.content,
            target_content=torch.zeros_like(token_ids, dtype=torch.bool),
            # With a row before the first, which belongs to no token.
            head_attention=F.pad(output.head_attention, (0, 0, 1, 0)),
            query=F.pad(output.query, (0, 0, 1, 0)),
        )
        return self.aligner.align(forced).argmax(dim=2)


@dataclass(frozen=True, kw_only=True)
class AlignedPairs:
    """Where pairs (B, C) of a hypothesis and a token come from."""

    alignments: Tensor  # (B, C, S)
    sums: Tensor  # (B, C, G + 1), on the source of each constraint, and on those of all together

    @property
    def mass(self) -> Tensor:
        """(B, C, G)"""
        return self.sums[..., :-1]

    @property
    def any_mass(self) -> Tensor:
        """(B, C)"""
        return self.sums[..., -1]


@dataclass(kw_only=True)
class ConstraintMass(SentenceTensors):
    """The alignment mass of tokens on the source of each constraint, G of them in a sentence."""

    aligner: OnlineAligner = field(metadata=SHARED)
    memory: AlignmentMemory
    # (B, S, G + 1), which source tokens a constraint translates, and which any of them does, padded for sums
    spans: Tensor
    anywhere: Tensor  # (B, 1, G): constraints without a source have a mass of 1 everywhere

    @classmethod
    def start(
        cls, aligner: OnlineAligner, batch: SearchBatch, constraints: Sequence[SentenceConstraints]
    ) -> "ConstraintMass":
        spans = _source_spans(constraints, batch)  # (B, S, G)
        return cls(
            aligner=aligner,
            memory=aligner.remember(batch.source),
            spans=summable(torch.cat([spans, spans.amax(dim=2, keepdim=True)], dim=2)),
            anywhere=1.0 - spans.amax(dim=1, keepdim=True),
        )

    @property
    def has_source(self) -> Tensor:
        """Which constraints (B, 1, 1, G) have a source."""
        return self.anywhere[:, None] == 0

    def of_candidates(self, step: Step, token_ids: Tensor) -> AlignedPairs:
        """Of tokens (B, K, C) of each hypothesis."""
        found = self.aligner.align_candidates(self.memory, step.output, token_ids).float()  # (B, K, C, S)
        return self._sum(found.flatten(1, 2))

    def of_pairs(self, step: Step, rows: Tensor, token_ids: Tensor) -> AlignedPairs:
        """Of pairs (B, C) of a hypothesis and a token."""
        return self._sum(self.aligner.align_pairs(self.memory, step.output, rows, token_ids).float())

    def _sum(self, found: Tensor) -> AlignedPairs:
        """What distributions (B, C, S) have on the sources of constraints."""
        count = self.anywhere.shape[2] + 1
        sums = sum_spans(found, self.spans, count)
        if sums is None:
            sums = row_sums(pad_places(found, self.spans.shape[1]), self.spans)[..., :count]
        return AlignedPairs(alignments=found, sums=sums)


def _source_spans(constraints: Sequence[SentenceConstraints], batch: SearchBatch) -> Tensor:
    """Which source tokens a constraint translates (B, S, G), as 0 or 1."""
    num_sentences, length = batch.source_ids.shape
    most = max(len(ours.must) for ours in constraints)
    most = max(1, -(-most // 4) * 4 if batch.static else most)
    spans = np.zeros((num_sentences, length, most), dtype=np.float32)
    sources = [_sources(ours) for ours in constraints]
    flat = [source for ours in sources for source in ours]
    counts = np.array([len(ours) for ours in sources], dtype=np.int64)
    widths = np.array([len(source) for source in flat], dtype=np.int64)
    places = np.array([place for source in flat for place in source], dtype=np.int64)
    if len(places) and not 0 <= places.min() <= places.max() < length:
        _refuse(constraints, length)
    sentence = np.repeat(np.repeat(np.arange(num_sentences), counts), widths)
    spans[sentence, places, np.repeat(ranks_within(counts), widths)] = 1.0
    return upload((spans,), batch.source_ids.device)[0]


def _sources(ours: SentenceConstraints) -> Sequence[Collection[int]]:
    """Of each constraint that has one; any of the occurrences of a repeated constraint may come first."""
    required = ours.must
    forms = {frozenset(one.forms) for one in required} if len(required) > 1 else ()
    if len(required) < 2 or len(forms) == len(required):
        return [one.source or () for one in required]
    return [
        {
            place
            for other in required
            if one.source and set(other.forms) == set(one.forms)
            for place in other.source or ()
        }
        for one in required
    ]


def _refuse(constraints: Sequence[SentenceConstraints], length: int) -> None:
    for one in (one for ours in constraints for one in ours.must if one.source):
        if not all(0 <= place < length for place in one.source or ()):
            raise LexalignError(f"a constraint's source tokens {one.source} are outside of the sentence")
