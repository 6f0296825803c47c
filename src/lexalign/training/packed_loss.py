"""The loss of packed batches: the model's own layers, with attention within sentences."""

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.models.layers import DecoderLayer, EncoderLayer
from lexalign.models.transformer import Transformer
from lexalign.training.chunked_loss import ChunkedCrossEntropy
from lexalign.training.loss import SmoothedCrossEntropy, TrainingLoss
from lexalign.training.packed_attention import (
    PackedKernel,
    available_kernel,
    cross_attention,
    self_attention,
)
from lexalign.training.packed_norm import end_sublayer, fused_norm_available


class PackedTranslationLoss(TrainingLoss):
    """Of batches whose sentences have up to `longest` tokens.

    With `chunk_rows`, the output's logits and their gradients are computed so many rows at a time and never
    kept. With `byte_dropout`, all random numbers of the layers' dropout are drawn together, a byte each,
    where compiled code would draw 128 bits for each. With `fused_norm`, the end of a sub-layer is one kernel
    on a GPU.
    """

    def __init__(
        self,
        model: Transformer,
        label_smoothing: float,
        *,
        longest: int,
        kernel: PackedKernel = "flash",
        chunk_rows: int = 0,
        byte_dropout: bool = False,
        fused_norm: bool = False,
    ) -> None:
        super().__init__()
        if model.config.decoder_autoregression != "self-attention":
            raise LexalignError("packed batches are for decoders with self-attention; set packed = false")
        self.model = model
        self.longest, self.byte_dropout = longest, byte_dropout
        self.kernel = available_kernel(kernel, model.device)
        self.fused_norm = fused_norm and fused_norm_available(model)
        pad_id = model.config.pad_id
        self.cross_entropy = SmoothedCrossEntropy(pad_id, label_smoothing)
        self.chunked = ChunkedCrossEntropy(pad_id, label_smoothing, chunk_rows) if chunk_rows else None
        self._encode: Callable[..., Tensor] = _encoder_layer
        self._decode: Callable[..., Tensor] = _decoder_layer

    def forward(
        self,
        source_ids: Tensor,
        source_positions: Tensor,
        source_starts: Tensor,
        target_input_ids: Tensor,
        target_output_ids: Tensor,
        target_positions: Tensor,
        target_starts: Tensor,
    ) -> tuple[Tensor, Tensor]:
        encoder, decoder = self.model.encoder, self.model.decoder
        x = encoder.embedding.embed_at(source_ids, source_positions)  # (N, D)
        for layer, noise in zip(encoder.layers, self._noise(x, len(encoder.layers), 2), strict=True):
            x = self._encode(layer, x, source_starts, self.longest, self.kernel, self.fused_norm, *noise)
        states = encoder.final_norm(x)
        x = decoder.embedding.embed_at(target_input_ids, target_positions)  # (M, D)
        for below, noise in zip(decoder.layers, self._noise(x, len(decoder.layers), 3), strict=True):
            starts = target_starts, source_starts
            x = self._decode(below, x, states, *starts, self.longest, self.kernel, self.fused_norm, *noise)
        x = decoder.final_norm(x)
        if self.chunked is not None:
            return self.chunked(x, self.model.output, target_output_ids)
        losses: tuple[Tensor, Tensor] = self.cross_entropy(self.model.output(x), target_output_ids)
        return losses

    def _noise(self, x: Tensor, num_layers: int, blocks: int) -> Iterable[Sequence[Tensor | None]]:
        """Random bytes like `x` for each block of each layer."""
        if not self.byte_dropout or not self.training:
            return [[None] * blocks] * num_layers
        size = num_layers * blocks * x.numel()
        words = torch.empty(-(-size // 8), dtype=torch.int64, device=x.device).random_(-(2**63), None)
        return [list(layer) for layer in words.view(torch.uint8)[:size].view(num_layers, blocks, *x.shape)]

    def compile_once(self) -> None:
        """All batches have the same shapes, for which the code is made."""
        self._encode = torch.compile(_encoder_layer, dynamic=False)
        self._decode = torch.compile(_decoder_layer, dynamic=False)
        self.cross_entropy.compile(dynamic=False)
        if self.chunked is not None:
            self.chunked.compile_once()


def _encoder_layer(
    layer: EncoderLayer,
    x: Tensor,
    starts: Tensor,
    longest: int,
    kernel: PackedKernel,
    fused: bool,
    attention_noise: Tensor | None,
    noise: Tensor | None,
) -> Tensor:
    block, last = layer.self_attention, layer.feedforward
    attention = block.attention
    qkv = attention.qkv(block.normalise_input(x))
    hidden = self_attention(qkv, starts, longest, attention.heads, causal=False, kernel=kernel)
    x, given = end_sublayer(block, last, x, hidden, attention.out, attention_noise, fused=fused)
    return end_sublayer(last, None, x, last.hidden(given), last.outer, noise, fused=fused)[0]


def _decoder_layer(
    layer: DecoderLayer,
    x: Tensor,
    states: Tensor,
    starts: Tensor,
    source_starts: Tensor,
    longest: int,
    kernel: PackedKernel,
    fused: bool,
    attention_noise: Tensor | None,
    cross_noise: Tensor | None,
    noise: Tensor | None,
) -> Tensor:
    block, cross, last = layer.self_attention, layer.cross_attention, layer.feedforward
    qkv = block.attention.qkv(block.normalise_input(x))
    hidden = self_attention(qkv, starts, longest, block.attention.heads, causal=True, kernel=kernel)
    x, given = end_sublayer(block, cross, x, hidden, block.attention.out, attention_noise, fused=fused)
    query, memory = cross.attention.query(given), cross.attention.memory(states)
    heads = cross.attention.heads
    hidden = cross_attention(query, memory, starts, source_starts, longest, heads, kernel=kernel)
    x, given = end_sublayer(cross, last, x, hidden, cross.attention.out, cross_noise, fused=fused)
    return end_sublayer(last, None, x, last.hidden(given), last.outer, noise, fused=fused)[0]
