"""Alignment from a model's own cross-attention: the mean over the heads of a layer, or a single head.

NaiveATT (Garg et al. 2019) reads it at the step that predicts a token, ShiftATT (Chen et al. 2020) at the
next step, which is fed the token and so knows it:

    step            0        1         2       3
    fed             <s>      We        do      not
    predicts        We       do        not     ...
    NaiveATT of     We       do        not
    ShiftATT of              We        do      not
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.contracts.alignment import AlignmentMemory, Delay, ForcedTarget
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.model import DecoderOutput, EncodedSource
from lexalign.text.subwords import SubwordTokenizer

_SENTENCE_FINAL = frozenset(".!?。！？।")


@dataclass(frozen=True, kw_only=True)
class NaiveAttention:
    """NaiveATT. Implements `OnlineAligner`; all candidates of a hypothesis get the same distribution."""

    layer: int
    head: int | None = None  # None: the mean over all heads

    @property
    def delay(self) -> Delay:
        return 0

    @property
    def threshold(self) -> float:
        return 0.0

    @property
    def signature(self) -> str:
        return f"naive-att|layer:{self.layer + 1}{_head_signature(self.head)}"

    def align(self, forced: ForcedTarget) -> Tensor:
        return _attention(forced, self.head)[:, :-1]

    def remember(self, source: EncodedSource) -> AlignmentMemory:
        return AlignmentMemory(mask=source.mask)

    def align_candidates(self, memory: AlignmentMemory, output: DecoderOutput, token_ids: Tensor) -> Tensor:  # noqa: ARG002
        if output.head_attention is None:
            raise LexalignError(
                f"start the search with attention_layer={self.layer}; its attention is needed to align"
            )
        attention = _attention(output, self.head)  # (B, K, S)
        return attention[:, :, None].expand(-1, -1, token_ids.shape[2], -1)

    def align_pairs(
        self,
        memory: AlignmentMemory,
        output: DecoderOutput,
        rows: Tensor,
        token_ids: Tensor,
    ) -> Tensor:
        attention = self.align_candidates(memory, output, token_ids[:, None])[:, :, 0]  # (B, K, S)
        return attention.gather(1, rows[:, :, None].expand(-1, -1, attention.shape[2]))


@dataclass(frozen=True, kw_only=True)
class ShiftedAttention:
    """ShiftATT. Implements `Aligner`.

    With `sentence_final_ids`, the token ids of sentence-final punctuation, the final mark of the source is
    treated as in the published code: only the final mark of the target is aligned to it, with probability 1.
    """

    layer: int
    head: int | None = None  # None: the mean over all heads
    sentence_final_ids: tuple[int, ...] = ()
    source_final_ids: tuple[int, ...] | None = None  # where the source has a vocabulary of its own

    @property
    def delay(self) -> Delay:
        return 1

    @property
    def threshold(self) -> float:
        return 0.0

    @property
    def signature(self) -> str:
        marks = "pinned" if self.sentence_final_ids else "free"
        return f"shift-att|layer:{self.layer + 1}{_head_signature(self.head)}|final-marks:{marks}"

    def align(self, forced: ForcedTarget) -> Tensor:
        shifted = _attention(forced, self.head)[:, 1:]
        if not self.sentence_final_ids:
            return shifted
        source_final_ids = self.sentence_final_ids if self.source_final_ids is None else self.source_final_ids
        source_mark = _sentence_final_tokens(
            forced.source_ids, forced.source_content, source_final_ids
        )  # (B, S)
        target_mark = _sentence_final_tokens(
            forced.token_ids, forced.target_content, self.sentence_final_ids
        )  # (B, T)
        return _pin(shifted, source_mark, target_mark)


def _attention(read: ForcedTarget | DecoderOutput, head: int | None) -> Tensor:
    """The attention (B, T | K, S) of a head, or the mean over all heads."""
    assert read.head_attention is not None
    if head is None:
        mean = read.attention
        assert mean is not None
        return mean
    num_heads = read.head_attention.shape[1]
    if not 0 <= head < num_heads:
        raise LexalignError(f"there is no attention head {head + 1}; there are {num_heads}")
    return read.head_attention[:, head]


def _head_signature(head: int | None) -> str:
    return "" if head is None else f"|head:{head + 1}"


def sentence_final_ids(side: SubwordTokenizer) -> tuple[int, ...]:
    """The vocabulary entries of punctuation that ends a sentence.

    Attention rests on the final mark of a source when it has nothing to say.
    """
    return tuple(
        index for index in range(side.vocabulary_size) if side.piece(index).lstrip("▁") in _SENTENCE_FINAL
    )


def _sentence_final_tokens(token_ids: Tensor, content: Tensor, final_ids: tuple[int, ...]) -> Tensor:
    """A mask (B, T) of the last token with content of each sentence, if it is sentence-final punctuation."""
    position = torch.arange(token_ids.shape[1], device=token_ids.device)
    last = torch.where(content, position, -1).amax(dim=1, keepdim=True)
    return (position == last) & torch.isin(token_ids, torch.tensor(final_ids, device=token_ids.device))


def _pin(probabilities: Tensor, source_mark: Tensor, target_mark: Tensor) -> Tensor:
    """Align the final mark of the target to that of the source alone, and no other token to it."""
    without_mark = probabilities.masked_fill(source_mark[:, None], 0.0)
    pinned = target_mark[:, :, None] & source_mark.any(dim=1)[:, None, None]
    return torch.where(pinned, source_mark[:, None].to(without_mark.dtype), without_mark)
