"""What decoding and alignment may know of a translation model, and nothing more.

Shapes, for the whole codebase: B sentences, K beam, N = B·K rows, S source length, T target length,
V vocabulary, D width, H heads, C candidates, W slots of a decoder cache.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar

from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The entries of a model's vocabulary that a search must know about."""

    size: int
    pad_id: int
    eos_id: int
    target_prefix: tuple[int, ...]  # fed to the decoder before the first generated token
    never_generated: tuple[int, ...] = ()
    unlinked: tuple[int, ...] = ()  # what no word comes from, beside padding and end: language codes

    def can_generate(self, token_ids: Sequence[int]) -> bool:
        """Whether all of them, one or more, can be tokens of a translation."""
        return self._never.isdisjoint(token_ids) and min(token_ids) >= 0 and max(token_ids) < self.size

    @cached_property
    def _never(self) -> frozenset[int]:
        return frozenset((self.eos_id, self.pad_id, *self.never_generated))


@dataclass(frozen=True, kw_only=True)
class EncodedSource:
    """The encoder's states (B, S, D) and which of them are real tokens (B, S)."""

    states: Tensor
    mask: Tensor


@dataclass(frozen=True, kw_only=True)
class DecoderOutput:
    """Scores of the next token, and what the watched layer saw.

    The middle dimension is the beam K in a step and the target length T when a target is forced.
    """

    logits: Tensor  # (B, K | T, V)
    attention: Tensor | None = None  # (B, K | T, S), mean over the heads of the watched layer
    query: Tensor | None = None  # (B, K | T, D), the input of the watched layer's cross-attention


@dataclass(frozen=True, kw_only=True)
class LayerView:
    """What one decoder layer saw while a target was forced."""

    attention: Tensor  # (B, H, T, S), of each head
    query: Tensor  # (B, T, D), the input of its cross-attention


class DecoderState(Protocol):
    """What a model remembers of every hypothesis of a beam.

    Between two calls of `reserve`, a static state keeps its tensors and their shapes and changes them in
    place, so that a step can be recorded once as a CUDA graph and replayed.
    """

    @property
    def layout(self) -> object:
        """Names the tensors of a static state: while it stays the same, a recorded step may be replayed."""

    def reserve(self, steps: int) -> None:
        """Make room for so many further steps."""

    def reorder(self, beam_index: Tensor) -> None:
        """Let hypothesis k of sentence b continue hypothesis beam_index[b, k] of the same sentence."""

    def keep(self, sentence_index: Tensor) -> None:
        """Forget all sentences but these."""


State = TypeVar("State", bound=DecoderState)


class TranslationModel(Protocol[State]):
    """An encoder-decoder. Stepping through a target and forcing it give the same logits."""

    @property
    def vocabulary(self) -> Vocabulary: ...

    def encode(self, source_ids: Tensor) -> EncodedSource:
        """Encode padded source sentences (B, S)."""

    def start(
        self,
        source: EncodedSource,
        *,
        beam: int,
        attention_layer: int | None = None,
        static: bool = False,
        into: State | None = None,
    ) -> State:
        """Begin decoding with up to `beam` hypotheses per sentence, in the tensors of `into` if given."""

    def step(self, state: State, token_ids: Tensor) -> DecoderOutput:
        """Feed the latest token of every hypothesis (B, K)."""

    def force(
        self, source: EncodedSource, token_ids: Tensor, attention_layer: int | None = None
    ) -> DecoderOutput:
        """Feed whole targets (B, T), the prefix first; what comes behind a target's end means nothing."""


class AlignableModel(TranslationModel[State], Protocol[State]):
    """What aligners may know beyond a search."""

    @property
    def decoder_layers(self) -> int: ...

    @property
    def target_embedding(self) -> Tensor:
        """The vectors (V, D) of target tokens as the decoder is fed them, before positions are added."""

    def observe(self, source: EncodedSource, token_ids: Tensor, layers: Sequence[int]) -> list[LayerView]:
        """What these layers see of whole targets (B, T), the prefix first; no layer above is computed."""
