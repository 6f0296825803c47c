"""Which source a target comes from: links between subwords, words and characters, and who finds them.

Indexes count from 0, the source stands first.
"""

from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from lexalign.contracts.model import DecoderOutput, EncodedSource

Span = tuple[int, int]  # of characters: first, last + 1
Delay = Literal[0, 1]


def spans_overlap(first: Span, second: Span) -> bool:
    return first[0] < second[1] and second[0] < first[1]


def shift_span(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


@dataclass(frozen=True, order=True, slots=True)
class Link:
    """A source and a target unit that translate each other.

    Gold alignments call a link sure, or only possible; `probability` is an aligner's.
    """

    source: int
    target: int
    probability: float | None = None
    sure: bool = True


@dataclass(frozen=True, order=True, slots=True)
class SpanLink:
    """A link between two stretches of text."""

    source: Span
    target: Span
    probability: float | None = None

    def shifted(self, source: int, target: int) -> "SpanLink":
        """The same link in texts in which both sides begin so many characters later."""
        return SpanLink(shift_span(self.source, source), shift_span(self.target, target), self.probability)


@dataclass(frozen=True, kw_only=True, eq=False)
class SubwordAlignment:
    """A sentence's distribution over source subwords (T, S), a row for each target subword, and its links."""

    probabilities: Tensor
    links: tuple[Link, ...]


@dataclass(frozen=True, kw_only=True)
class WordAlignment:
    """`probabilities` (target words, source words), where known, are those of all pairs, linked or not."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[Link, ...]
    probabilities: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class TextAlignment:
    """Links between character offsets of two texts."""

    source: str
    target: str
    links: tuple[SpanLink, ...]


@dataclass(frozen=True, kw_only=True)
class ForcedTarget:
    """What the watched layer of a model saw while given targets (B, T) were forced.

    Row t of `attention` and `query` belongs to the step that predicts token t, without having seen it; row
    t + 1 to the step that was fed token t.
    """

    source: EncodedSource
    source_ids: Tensor  # (B, S)
    token_ids: Tensor  # (B, T)
    source_content: Tensor  # (B, S), tokens that may be linked: neither padding nor an end of sentence
    target_content: Tensor  # (B, T)
    attention: Tensor  # (B, T + 1, S), mean over the heads
    query: Tensor  # (B, T + 1, D)
    head_attention: Tensor | None = None  # (B, H, T + 1, S), of each; a search does not know it


@dataclass(frozen=True, kw_only=True)
class AlignmentMemory:
    """What an aligner knows of a batch's sources while they are translated."""

    mask: Tensor  # (B, S), real source tokens
    keys: Tensor | None = None  # (B, H, S, D/H)

    def keep(self, sentence_index: Tensor) -> "AlignmentMemory":
        """Forget all sentences but these."""
        keys = None if self.keys is None else self.keys[sentence_index]
        return AlignmentMemory(mask=self.mask[sentence_index], keys=keys)


class Aligner(Protocol):
    """Tells for every target token how probable each source token is as its origin."""

    @property
    def delay(self) -> Delay:
        """0 if the alignment of a token is known with the token, 1 if only one step later."""

    @property
    def layer(self) -> int:
        """The decoder layer that must be watched, from 0."""

    @property
    def threshold(self) -> float:
        """Words that it links less probably are better not linked."""

    @property
    def signature(self) -> str:
        """All that its numbers depend on, but the model."""

    def align(self, forced: ForcedTarget) -> Tensor:
        """Distributions (B, T, S) of forced targets; what stands at padded targets means nothing."""


class OnlineAligner(Aligner, Protocol):
    """An aligner of delay 0, which can also be asked about tokens that a search has not chosen yet."""

    def remember(self, source: EncodedSource) -> AlignmentMemory: ...

    def align_candidates(self, memory: AlignmentMemory, output: DecoderOutput, token_ids: Tensor) -> Tensor:
        """Distributions (B, K, C, S) if a hypothesis went on with any of its candidates (B, K, C)."""

    def align_pairs(
        self, memory: AlignmentMemory, output: DecoderOutput, rows: Tensor, token_ids: Tensor
    ) -> Tensor:
        """The same (B, C, S) for single pairs of a hypothesis (B, C) and a token (B, C)."""
