"""A decoder's step as one call of a kernel, for the models of which the kernels know all parts.

It gives what `Decoder.step` gives: in float32 to the last bit, in int8 but for the rounding of sums.
"""

import ctypes
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from lexalign.models.config import ModelConfig
from lexalign.models.encoder_decoder import Decoder
from lexalign.models.layers import DecoderLayer
from lexalign.models.native_cache import NativeCache
from lexalign.models.projection import Projection
from lexalign.models.shortlisted_output import ShortlistedOutput
from lexalign.native import structures
from lexalign.native.library import kernels

_LANES = 16  # floats of a vector
_MAX_HEAD_SIZE = 192  # a longer sum would be split, see `kernel_shapes`


class NativeDecoder:
    """Made by `of`; holds addresses, so the decoder must be there as long as it is."""

    def __init__(self, config: ModelConfig, decoder: Decoder, output: Projection) -> None:
        library = kernels()
        assert library is not None
        self._step = library.decoder_step
        self._width, self._heads = config.width, config.decoder_heads
        self._kept: list[Any] = []
        described = self._describe(config, decoder)
        described.output = ctypes.addressof(self._keep(_product(output)))
        self._columns = output.out_features
        self._described = self._keep(described)
        self._decoder = ctypes.byref(described)

    @classmethod
    def of(cls, config: ModelConfig, decoder: Decoder, output: Projection) -> "NativeDecoder | None":
        """None where the kernels do not know the model, or there are no kernels."""
        known = kernels() is not None and output.native is not None and _known(config, decoder)
        return cls(config, decoder, output) if known else None

    def start(
        self,
        memory: Sequence[Tensor],
        mask: Tensor,
        *,
        beam: int,
        attention_layer: int | None,
        output: ShortlistedOutput | None,
    ) -> NativeCache:
        """The decoder's memory, of what each layer has of the source (B, S, 2D)."""
        return NativeCache(
            self._described, memory, mask, beam=beam, attention_layer=attention_layer, output=output
        )

    def step(
        self, token_ids: Tensor, cache: NativeCache
    ) -> tuple[Tensor, Tensor | None, Tensor | None, Tensor | None]:
        """As `Decoder.step`, and the logits (B, K, V) unless the cache has an output of its own."""
        batch, rows = token_ids.shape
        cache.begin_step(rows)
        step = cache.step
        hidden = torch.empty(batch, rows, self._width)
        step.token_ids, step.token_stride = token_ids.data_ptr(), token_ids.stride(0)
        step.hidden = hidden.data_ptr()
        attention = query = logits = None
        if cache.output is None:
            logits = torch.empty(batch, rows, self._columns)
            step.logits = logits.data_ptr()
        if cache.attention_layer is not None:
            attention = torch.empty(batch, self._heads, rows, cache.source_length)
            query = torch.empty(batch, rows, self._width)
            step.attention, step.attention_query = attention.data_ptr(), query.data_ptr()
        self._step(self._decoder, ctypes.byref(step))
        return hidden, attention, query, logits

    def _describe(self, config: ModelConfig, decoder: Decoder) -> structures.Decoder:
        embedding, layers = decoder.embedding, (structures.Layer * len(decoder.layers))()
        for described, layer in zip(layers, decoder.layers, strict=True):
            self._describe_layer(described, layer)
        found = structures.Decoder(
            num_layers=config.decoder_layers,
            width=config.width,
            heads=config.decoder_heads,
            head_size=config.head_width or config.width // config.decoder_heads,
            norm_first=config.norm == "pre",
            swish=config.activation == "swish",
            positions=self._keep(embedding.positions[embedding.offset :].contiguous()).data_ptr(),
            embedding_scale=embedding.scale,
            embedding_norm=self._norm_address(embedding.norm),
            final_norm=self._norm_address(decoder.final_norm if config.final_norm else None),
            layers=ctypes.addressof(self._keep(layers)),
        )
        stored = self._keep(embedding.tokens.stored)
        if isinstance(stored, Tensor):
            found.embedding = stored.data_ptr()
        else:
            found.int8_embedding, found.embedding_scales = stored.values.data_ptr(), stored.scales.data_ptr()
        return found

    def _describe_layer(self, described: structures.Layer, layer: DecoderLayer) -> None:
        past, cross, feedforward = layer.self_attention, layer.cross_attention, layer.feedforward
        described.qkv, described.self_out = _product(past.attention.qkv), _product(past.attention.out)
        described.query, described.cross_out = _product(cross.attention.query), _product(cross.attention.out)
        described.inner, described.outer = _product(feedforward.inner), _product(feedforward.outer)
        described.self_norm, described.cross_norm = self._norm(past.norm), self._norm(cross.norm)
        described.feedforward_norm = self._norm(feedforward.norm)

    def _norm(self, norm: nn.Module) -> structures.Norm:
        assert isinstance(norm, nn.LayerNorm)
        weight, bias = self._keep(norm.weight.detach()), self._keep(norm.bias.detach())
        return structures.Norm(weight=weight.data_ptr(), bias=bias.data_ptr(), epsilon=norm.eps)

    def _norm_address(self, norm: nn.Module | None) -> int:
        return 0 if norm is None else ctypes.addressof(self._keep(self._norm(norm)))

    def _keep(self, value: Any) -> Any:
        self._kept.append(value)
        return value


def _known(config: ModelConfig, decoder: Decoder) -> bool:
    size = config.head_width or config.width // config.decoder_heads
    return (
        config.decoder_autoregression == "self-attention"
        and config.positions not in ("relative-bias", "relative-vectors")
        and not config.rms_norm
        and not config.gated_feedforward
        and config.activation in ("relu", "swish")
        and config.width % _LANES == 0
        and size % _LANES == 0
        and size <= _MAX_HEAD_SIZE
        and all(module.native is not None for module in decoder.modules() if isinstance(module, Projection))
    )


def _product(projection: Projection) -> structures.Product:
    assert projection.native is not None
    return projection.native.structure
