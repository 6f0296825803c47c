"""The contract of a translation model: all that decoding and alignment may use of it.

Shapes, for the whole codebase: B sentences, K beam, N = B·K rows, S source length, T target length,
V vocabulary, D width, H heads, C candidates, W slots of a decoder cache.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar

from torch import Tensor

from lexalign.contracts.shortlist import Shortlist
from lexalign.kernel_shapes import mean_of_heads


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The special entries of a model's vocabulary."""

    size: int
    pad_id: int
    eos_id: int
    target_prefix: tuple[int, ...]  # fed to the decoder before the first generated token
    never_generated: tuple[int, ...] = ()
    unlinked: tuple[int, ...] = ()  # never aligned to, beside padding and end of sentence: language codes

    def can_generate(self, token_ids: Sequence[int]) -> bool:
        """Whether all of these tokens, at least one, can occur in a translation."""
        return self._never.isdisjoint(token_ids) and min(token_ids) >= 0 and max(token_ids) < self.size

    @cached_property
    def _never(self) -> frozenset[int]:
        return frozenset((self.eos_id, self.pad_id, *self.never_generated))


@dataclass(frozen=True, kw_only=True)
class EncodedSource:
    """The encoder's states (B, S, D), and the mask (B, S) of real tokens."""

    states: Tensor
    mask: Tensor


@dataclass(frozen=True, kw_only=True)
class DecoderOutput:
    """The logits of the next token, and the attention and query of the attention layer.

    The middle dimension is the beam K in a step, and the target length T in forced decoding. With a shortlist
    the last one is C, and its columns are those of the shortlist.
    """

    logits: Tensor  # (B, K | T, V)
    shortlist: Shortlist | None = None
    head_attention: Tensor | None = None  # (B, H, K | T, S), of each head of the attention layer
    query: Tensor | None = None  # (B, K | T, D), the input of the attention layer's cross-attention

    @cached_property
    def attention(self) -> Tensor | None:
        """The mean (B, K | T, S) over the heads of the attention layer."""
        return None if self.head_attention is None else mean_of_heads(self.head_attention)


@dataclass(frozen=True, kw_only=True)
class LayerView:
    """The cross-attention of one decoder layer in forced decoding."""

    attention: Tensor  # (B, H, T, S), of each head
    query: Tensor  # (B, T, D), the input of its cross-attention


class DecoderState(Protocol):
    """The decoder state of all hypotheses of a beam: the key/value cache.

    Between two calls of `reserve`, a static state keeps its tensors and their shapes and changes them in
    place, so that a step can be recorded once as a CUDA graph and replayed.
    """

    @property
    def layout(self) -> object:
        """Identifies the tensors of a static state: while it is the same, a recorded step may be replayed."""

    def reserve(self, steps: int) -> None:
        """Make room for this many further steps."""

    def reorder(self, beam_index: Tensor) -> None:
        """Let hypothesis k of sentence b continue hypothesis beam_index[b, k] of the same sentence."""

    def keep(self, sentence_index: Tensor) -> None:
        """Keep the state of these sentences only."""


State = TypeVar("State", bound=DecoderState)


class TranslationModel(Protocol[State]):
    """An encoder-decoder model. Decoding step by step and forced decoding give the same logits."""

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
        shortlist: Shortlist | None = None,
    ) -> State:
        """A state for up to `beam` hypotheses per sentence, in the tensors of `into` if given.

        With a `shortlist`, tokens that are not on it have no column in the logits, or -inf in a static state.
        """

    def step(self, state: State, token_ids: Tensor) -> DecoderOutput:
        """Feed the latest token of every hypothesis (B, K)."""

    def force(
        self, source: EncodedSource, token_ids: Tensor, attention_layer: int | None = None
    ) -> DecoderOutput:
        """Decode whole targets (B, T), the prefix first; outputs behind the end of a target are undefined."""


class AlignableModel(TranslationModel[State], Protocol[State]):
    """A translation model with what aligners need of it."""

    @property
    def decoder_layers(self) -> int: ...

    @property
    def target_embedding(self) -> Tensor:
        """The vectors (V, D) of target tokens as the decoder is fed them, before positions are added."""

    def observe(self, source: EncodedSource, token_ids: Tensor, layers: Sequence[int]) -> list[LayerView]:
        """The views of these layers on whole targets (B, T), the prefix first; no layer above is computed."""
