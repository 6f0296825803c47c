"""Which source tokens nothing has come from yet, and what a hypothesis pays that ends with many of them.

The alignments of all tokens that a hypothesis has generated, added up, tell how far each source token is
covered. A tenth of the words of most sentences is translated by nothing, and what is a little less covered
may be said in other words; so a share is free, and what goes beyond it is charged, at so many nats of the
final score for the whole source:

    source       Wir    begrüßen    die    vorgeschlagenen    Maßnahmen    uncovered    charged
    covered      1.0    0.9         0.4    1.0                1.0          0.14         0
                 0.1    0.0         0.1    0.0                1.3          0.76         3 * (0.76 - 0.3)

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

FREE_SHARE = 0.3
CHARGE = 3.0


@dataclass(kw_only=True)
class Coverage(SentenceTensors):
    """How far the hypotheses (B, K) of a beam cover their source."""

    share: Tensor  # (B, 1, S), of each source token in what is to be covered
    mass: Tensor  # (B, K, S), the alignments so far, added up

    @classmethod
    def start(cls, batch: SearchBatch, constraints: Sequence[SentenceConstraints]) -> "Coverage":
        """Sentences without constraints that must be met are searched as ever: nothing is to be covered."""
        must = np.array([bool(ours.must) for ours in constraints])
        counts = upload((must,), batch.source_ids.device)[0][:, None]  # (B, 1)
        content = batch.source.mask & (batch.source_ids != batch.vocabulary.eos_id) & counts  # (B, S)
        share = content / content.sum(dim=1, keepdim=True).clamp(min=1)
        mass = share.new_zeros(len(share), batch.beam, share.shape[1])
        return cls(share=share[:, None], mass=mass)

    def penalty(self, rows: int) -> Tensor:
        """What comes to the final scores (B, K) of hypotheses that end now."""
        missing = (1.0 - self.mass[:, :rows]).clamp(min=0.0) * self.share
        # In float64, in which the order does not matter that a kernel takes for the length of the batch.
        uncovered = missing.sum(dim=2, dtype=torch.float64).float()
        return -CHARGE * (uncovered - FREE_SHARE).clamp(min=0.0)

    def commit(self, going: Candidates, alignments: Tensor) -> None:
        """Hypotheses (B, K) go on with tokens that are aligned so (B, K, S)."""
        before = self.mass.gather(1, going.beam_index[:, :, None].expand_as(self.mass))
        self.mass.copy_(before + alignments)
