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
from lexalign.contracts.alignment import OnlineAligner
from lexalign.decoding.policies.unconstrained import PlainSelector, Unconstrained
from lexalign.decoding.policy import Choice, Policy, SearchBatch, Selector, Step
from lexalign.models.transformer import Transformer


@dataclass(frozen=True, kw_only=True)
class Watched:
    """Plain beam search whose hypotheses are aligned."""

    aligner: OnlineAligner
    recordable: bool = True
    passive: bool = False

    @property
    def attention_layer(self) -> int:
        return self.aligner.layer

    def begin(self, batch: SearchBatch) -> "WatchedSelector":
        return WatchedSelector(batch, self.aligner)


class WatchedSelector(PlainSelector):
    def __init__(self, batch: SearchBatch, aligner: OnlineAligner) -> None:
        super().__init__(batch)
        self._aligner, self._memory = aligner, aligner.remember(batch.source)
        self.alignment: Tensor | None = None  # (B, K, S), of the step at hand

    def choose(self, step: Step) -> Choice:
        choice = super().choose(step)
        rows, token_ids = choice.going.beam_index, choice.going.token_ids
        self.alignment = self._aligner.align_pairs(self._memory, step.output, rows, token_ids)
        return choice

    def keep(self, sentence_index: Tensor) -> None:
        self._memory = self._memory.keep(sentence_index)

    def restart(self, other: Selector) -> None:
        assert isinstance(other, WatchedSelector)
        self._memory.mask.copy_(other._memory.mask)
        if self._memory.keys is not None and other._memory.keys is not None:
            self._memory.keys.copy_(other._memory.keys)


def make_policies(model: Transformer) -> dict[str, Policy]:
    config = model.config
    layer = config.decoder_layers - 2

    def learned(kind: type[AlignmentHead]) -> Watched:
        head = kind(config.width, config.decoder_heads).requires_grad_(False).to(model.device)
        return Watched(aligner=LearnedAligner(head, model.target_embedding, layer=layer))

    return {
        "plain": Unconstrained(),
        "naive-att, shift-att": Watched(aligner=NaiveAttention(layer=layer)),
        "prior-att, shift-aet": learned(PriorHead),
        "post-aln": learned(PosteriorHead),
    }


if __name__ == "__main__":
    compare(__doc__, "A step that aligns", make_policies)
