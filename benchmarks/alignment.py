"""What it costs to know where every word comes from: a step with an aligner over a plain one.

    python benchmarks/alignment.py --quick
    python benchmarks/alignment.py --beams 10 --json alignment.json
    python benchmarks/alignment.py --device cuda --beams 10 --batches 512

Every hypothesis that goes on is aligned as it is chosen. ShiftATT and ShiftAET, which know the alignment one
step later, do the work of NaiveATT and PriorATT at that step.
"""

from dataclasses import dataclass

from torch import Tensor

from harness.steps import compare
from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.attention import NaiveAttention
from lexalign.alignment.learned import AlignmentHead, PosteriorHead, PriorHead
from lexalign.contracts.alignment import AlignmentMemory, OnlineAligner
from lexalign.decoding.policies.unconstrained import PlainSelector, Unconstrained
from lexalign.decoding.policy import Policy, SearchBatch, Selection, Step
from lexalign.models.transformer import Transformer


@dataclass(frozen=True, kw_only=True)
class PlainAligned:
    """Plain beam search whose hypotheses are aligned."""

    aligner: OnlineAligner
    recordable: bool = True
    guarantees_constraints: bool = True

    @property
    def attention_layer(self) -> int:
        return self.aligner.layer

    def begin(self, batch: SearchBatch) -> "AlignedSelector":
        return AlignedSelector(batch, self.aligner)


class AlignedSelector(PlainSelector):
    def __init__(self, batch: SearchBatch, aligner: OnlineAligner) -> None:
        super().__init__(batch)
        self._aligner = aligner
        self.state: AlignmentMemory = aligner.remember(batch.source)  # type: ignore[assignment]
        self.alignment: Tensor | None = None  # (B, K, S), of the step at hand

    def select(self, step: Step, prepared: None) -> Selection[Tensor | None]:
        selection = super().select(step, prepared)
        going = selection.going
        self.alignment = self._aligner.align_pairs(self.state, step.output, going.beam_index, going.token_ids)
        return selection


def make_policies(model: Transformer) -> dict[str, Policy]:
    config = model.config
    layer = config.decoder_layers - 2

    def learned(kind: type[AlignmentHead]) -> PlainAligned:
        head = kind(config.width, config.decoder_heads).requires_grad_(False).to(model.device)
        return PlainAligned(aligner=LearnedAligner(head, model.target_embedding, layer=layer))

    return {
        "plain": Unconstrained(),
        "naive-att, shift-att": PlainAligned(aligner=NaiveAttention(layer=layer)),
        "prior-att, shift-aet": learned(PriorHead),
        "post-aln": learned(PosteriorHead),
    }


if __name__ == "__main__":
    compare(__doc__, "A step that aligns", make_policies)
