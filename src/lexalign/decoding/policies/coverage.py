"""Which source tokens nothing has come from yet, and what a hypothesis pays that ends with many of them.

The alignments of the tokens that a hypothesis has generated freely, added up, tell how far each source token
is covered; what constraints translate is covered by theirs. Of the rest, some is translated by nothing, and
some is said in other words; so half of it is free, and only what goes beyond that is charged: a sentence that
is said in a few words of its own pays nothing, one of which nothing but the terms is left pays. At 4 nats of
the final score for the whole source:

    source     Wir    begrüßen    die    vorgeschlagenen    Maßnahmen    uncovered    charged
    covered    1.0    0.9         0.4    1.0                1.0          0.14         0
               0.1    0.0         0.1    0.0                1.3          0.76         4 * (0.76 - 0.5) = 1.04

Being covered more than once costs nothing: a word may become several tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lexalign.contracts.sentence_tensors import SentenceTensors, upload
from lexalign.decoding.candidates import Candidates
from lexalign.decoding.constraints.sentence_constraints import SentenceConstraints
from lexalign.decoding.policy import SearchBatch

FREE_SHARE = 0.5
CHARGE = 4.0


@dataclass(kw_only=True)
class Coverage(SentenceTensors):
    """How far the hypotheses (B, K) of a beam cover their source."""

    share: Tensor  # (B, 1, S), of each source token in what is to be covered
    mass: Tensor  # (B, K, S), the alignments so far, added up

    @classmethod
    def start(cls, batch: SearchBatch, constraints: Sequence[SentenceConstraints]) -> "Coverage":
        """What constraints translate is covered by them, however the aligner sees it.

        Sentences without constraints that must be met are searched as ever: nothing is to be covered.
        """
        uncertain = np.zeros(batch.source_ids.shape, dtype=bool)
        for sentence, ours in enumerate(constraints):
            uncertain[sentence] = bool(ours.must)
            uncertain[sentence, [place for one in ours.must for place in one.source or ()]] = False
        content = batch.source.mask & (batch.source_ids != batch.vocabulary.eos_id)
        content = content & upload((uncertain,), content.device)[0]  # (B, S)
        share = content / content.sum(dim=1, keepdim=True).clamp(min=1)
        mass = share.new_zeros(len(share), batch.beam, share.shape[1])
        return cls(share=share[:, None], mass=mass)

    def penalty(self, rows: int) -> Tensor:
        """What comes to the final scores (B, K) of hypotheses that end now."""
        missing = (1.0 - self.mass[:, :rows]).clamp(min=0.0) * self.share
        # In float64, in which the order does not matter that a kernel takes for the length of the batch.
        uncovered = missing.sum(dim=2, dtype=torch.float64).float()
        return -CHARGE * (uncovered - FREE_SHARE).clamp(min=0.0)

    def commit(self, going: Candidates, index: Tensor, alignments: Tensor) -> None:
        """Hypotheses (B, K) go on with those of the candidates that an index names.

        The first candidates are aligned so (B, F, S); the others serve constraints, and cover nothing else.
        """
        num_aligned = alignments.shape[1]
        last = index.clamp(max=num_aligned - 1)[:, :, None].expand_as(self.mass)
        before = self.mass.gather(1, going.beam_index[:, :, None].expand_as(self.mass))
        added = alignments.gather(1, last).masked_fill((index >= num_aligned)[:, :, None], 0.0)
        self.mass.copy_(before + added)
