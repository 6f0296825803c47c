"""The encoder and the decoder: embeddings, a stack of layers, and an optional final layer norm."""

from collections.abc import Sequence
from typing import cast

from torch import Tensor, nn

from lexalign.contracts.model import LayerView
from lexalign.models.cache import DecoderCache, Memory
from lexalign.models.config import ModelConfig
from lexalign.models.embedding import Embedding, TokenEmbedding
from lexalign.models.layers import DecoderLayer, EncoderLayer
from lexalign.models.norms import new_norm
from lexalign.models.relative_bias import RelativeBias


class Encoder(nn.Module):
    def __init__(self, config: ModelConfig, tokens: TokenEmbedding) -> None:
        super().__init__()
        self.embedding = Embedding(config, tokens)
        layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.encoder_layers))
        self.layers = cast(Sequence[EncoderLayer], layers)
        self.final_norm = new_norm(config) if config.final_norm else nn.Identity()
        self.relative_bias = _relative_bias(config, config.encoder_heads, causal=False)

    def forward(self, source_ids: Tensor, mask: Tensor | None) -> Tensor:
        x = self.embedding(source_ids)
        if self.relative_bias is not None:
            mask = self.relative_bias(x.shape[1], mask)
        for layer in self.layers:
            x = layer(x, mask)
        out: Tensor = self.final_norm(x)
        return out


class Decoder(nn.Module):
    def __init__(self, config: ModelConfig, tokens: TokenEmbedding) -> None:
        super().__init__()
        self.embedding = Embedding(config, tokens)
        layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.decoder_layers))
        self.layers = cast(Sequence[DecoderLayer], layers)
        self.final_norm = new_norm(config) if config.final_norm else nn.Identity()
        self.relative_bias = _relative_bias(config, config.decoder_heads, causal=True)

    def project_source(self, states: Tensor) -> list[Tensor]:
        """What each layer has of the source: keys, then values, (B, S, 2D)."""
        return [layer.cross_attention.attention.memory(states) for layer in self.layers]

    def project_memory(self, states: Tensor) -> Memory:
        return [layer.cross_attention.attention.project_memory(states) for layer in self.layers]

    def forward(
        self, token_ids: Tensor, memory: Memory, mask: Tensor | None, attention_layer: int | None = None
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """All positions at once: the output of the last layer, and the attention (B, H, T, S) and the query
        of the attention layer."""
        x, attention, query = self.embedding(token_ids), None, None
        self_mask = self._self_mask(x)
        for index, layer in enumerate(self.layers):
            if index == attention_layer:
                x, attention, query = layer.forward_with_attention(x, memory[index], mask, self_mask)
            else:
                x = layer(x, memory[index], mask, self_mask)
        return self.final_norm(x), attention, query

    def observe(
        self, token_ids: Tensor, states: Tensor, mask: Tensor | None, layers: Sequence[int]
    ) -> list[LayerView]:
        """The views of some layers; layers above the last of them are not computed."""
        x, views = self.embedding(token_ids), {}
        self_mask = self._self_mask(x)
        for index, layer in enumerate(self.layers[: max(layers) + 1]):
            memory = layer.cross_attention.attention.project_memory(states)
            if index in layers:
                x, attention, query = layer.forward_with_attention(x, memory, mask, self_mask)
                views[index] = LayerView(attention=attention, query=query)
            else:
                x = layer(x, memory, mask, self_mask)
        return [views[index] for index in layers]

    def step(self, token_ids: Tensor, cache: DecoderCache) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """One position of all hypotheses (B, K), with the same results as `forward`."""
        rows = token_ids.shape[1]
        x, attention, query = self.embedding.embed_at(token_ids, cache.position), None, None
        cache.begin_step(rows)
        if self.relative_bias is not None:
            cache.mask = self.relative_bias.of_slots(cache.mask)
        for index, layer in enumerate(self.layers):
            x, layer_attention, layer_query = layer.step(x, cache, index)
            if index == cache.attention_layer:
                attention, query = layer_attention, layer_query
        cache.end_step(rows)
        if attention is not None:
            attention = attention[..., : cache.source_length]
        return self.final_norm(x), attention, query

    def _self_mask(self, x: Tensor) -> Tensor | None:
        """The term of self-attention of all positions (B, T, D), or None where it is only causal."""
        return None if self.relative_bias is None else self.relative_bias(x.shape[1], None)


def _relative_bias(config: ModelConfig, heads: int, *, causal: bool) -> RelativeBias | None:
    return RelativeBias(config, heads, causal=causal) if config.positions == "relative-bias" else None
