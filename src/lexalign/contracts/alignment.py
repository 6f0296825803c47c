"""Word alignment: links between subwords, words and characters, and the contract of aligners.

Indexes count from 0, the source comes first.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from lexalign.contracts.model import DecoderOutput, EncodedSource
from lexalign.contracts.sentence_tensors import SentenceTensors
from lexalign.kernel_shapes import mean_of_heads

Span = tuple[int, int]  # of characters: first, last + 1
Delay = Literal[0, 1]


def spans_overlap(first: Span, second: Span) -> bool:
    return first[0] < second[1] and second[0] < first[1]


def shift_span(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


@dataclass(frozen=True, order=True, slots=True)
class Link:
    """A link between a source and a target token, by their indexes.

    A gold link is sure or only possible; a link of an aligner may have a probability.
    """

    source: int
    target: int
    probability: float | None = None
    sure: bool = True


@dataclass(frozen=True, order=True, slots=True)
class SpanLink:
    """A link between two character spans."""

    source: Span
    target: Span
    probability: float | None = None

    def shifted(self, source: int, target: int) -> "SpanLink":
        """The same link in texts in which both sides begin so many characters later."""
        return SpanLink(shift_span(self.source, source), shift_span(self.target, target), self.probability)


@dataclass(frozen=True, kw_only=True, eq=False)
class SubwordAlignment:
    """The distributions (T, S) of a sentence's target subwords over source subwords, and the links."""

    probabilities: Tensor
    links: tuple[Link, ...]


@dataclass(frozen=True, kw_only=True)
class WordAlignment:
    """Words and their links; `probabilities` (target words, source words), if known, are of all pairs."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[Link, ...]
    probabilities: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class TextAlignment:
    """Links between character spans of two texts; `mutual` where both directions were asked."""

    source: str
    target: str
    links: tuple[SpanLink, ...]
    mutual: bool = False


@dataclass(frozen=True, kw_only=True)
class ForcedTarget:
    """The attention and the queries of the attention layer in forced decoding of targets (B, T).

    Row t of `attention` and `query` belongs to the step that predicts token t, and row t + 1 to the step that
    is fed token t.
    """

    source: EncodedSource
    source_ids: Tensor  # (B, S)
    token_ids: Tensor  # (B, T)
    source_content: Tensor  # (B, S), tokens that may be linked: neither padding nor end of sentence
    target_content: Tensor  # (B, T)
    head_attention: Tensor  # (B, H, T + 1, S)
    query: Tensor  # (B, T + 1, D)

    @cached_property
    def attention(self) -> Tensor:
        """The mean (B, T + 1, S) over the heads."""
        return mean_of_heads(self.head_attention)


@dataclass(kw_only=True)
class AlignmentMemory(SentenceTensors):
    """What an aligner precomputes of a batch's sources for a search."""

    mask: Tensor  # (B, S), real source tokens
    keys: Tensor | None = None  # (B, H, S, D/H)
    columns: Tensor | None = None  # the same (B, H, D/H, S) for native code, where there is any


class Aligner(Protocol):
    """Gives each target token a probability distribution over the source tokens."""

    @property
    def delay(self) -> Delay:
        """0 if a token is aligned at the step that predicts it, 1 if at the next step."""

    @property
    def layer(self) -> int:
        """The decoder layer whose attention or query is read, counted from 0."""

    @property
    def threshold(self) -> float:
        """The probability below which words are better not linked."""

    @property
    def signature(self) -> str:
        """Everything that its results depend on, except the model."""

    def align(self, forced: ForcedTarget) -> Tensor:
        """The distributions (B, T, S) of forced targets; rows of padding are undefined."""


class OnlineAligner(Aligner, Protocol):
    """An aligner of delay 0, which also aligns the candidates of a search."""

    def remember(self, source: EncodedSource) -> AlignmentMemory:
        """Precompute what depends on the sources alone."""

    def align_candidates(self, memory: AlignmentMemory, output: DecoderOutput, token_ids: Tensor) -> Tensor:
        """The distributions (B, K, C, S) of candidate tokens (B, K, C) of each hypothesis."""

    def align_pairs(
        self, memory: AlignmentMemory, output: DecoderOutput, rows: Tensor, token_ids: Tensor
    ) -> Tensor:
        """The distributions (B, C, S) of pairs of a hypothesis (B, C) and a candidate token (B, C)."""
