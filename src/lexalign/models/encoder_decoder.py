"""The encoder and the decoder: embeddings, a stack of layers, and an optional final layer norm."""

from collections.abc import Sequence
from typing import cast

from torch import Tensor, nn

from lexalign.contracts.model import LayerView
from lexalign.kernel_shapes import mean_of_heads
from lexalign.models.cache import DecoderCache, Memory
from lexalign.models.config import ModelConfig
from lexalign.models.embedding import Embedding, TokenTable
from lexalign.models.layers import DecoderLayer, EncoderLayer


class Encoder(nn.Module):
    def __init__(self, config: ModelConfig, tokens: TokenTable) -> None:
        super().__init__()
        self.embedding = Embedding(config, tokens)
        layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.encoder_layers))
        self.layers = cast(Sequence[EncoderLayer], layers)
        self.final_norm = nn.LayerNorm(config.width) if config.final_norm else nn.Identity()

    def forward(self, source_ids: Tensor, mask: Tensor | None) -> Tensor:
        x = self.embedding(source_ids)
        for layer in self.layers:
            x = layer(x, mask)
        out: Tensor = self.final_norm(x)
        return out


class Decoder(nn.Module):
    def __init__(self, config: ModelConfig, tokens: TokenTable) -> None:
        super().__init__()
        self.embedding = Embedding(config, tokens)
        layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.decoder_layers))
        self.layers = cast(Sequence[DecoderLayer], layers)
        self.final_norm = nn.LayerNorm(config.width) if config.final_norm else nn.Identity()

    def remember(self, states: Tensor) -> Memory:
        return [layer.cross_attention.attention.remember(states) for layer in self.layers]

    def forward(
        self, token_ids: Tensor, memory: Memory, mask: Tensor | None, attention_layer: int | None = None
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """All positions at once: the last layer's output, the watched layer's attention, mean over its heads,
        and its query."""
        x, attention, query = self.embedding(token_ids), None, None
        for index, layer in enumerate(self.layers):
            if index == attention_layer:
                x, attention, query = layer.watched(x, memory[index], mask)
            else:
                x = layer(x, memory[index], mask)
        return self.final_norm(x), _mean_of_heads(attention), query

    def observe(
        self, token_ids: Tensor, states: Tensor, mask: Tensor | None, layers: Sequence[int]
    ) -> list[LayerView]:
        """What some layers see; those above the last of them are left out."""
        x, views = self.embedding(token_ids), {}
        for index, layer in enumerate(self.layers[: max(layers) + 1]):
            memory = layer.cross_attention.attention.remember(states)
            if index in layers:
                x, attention, query = layer.watched(x, memory, mask)
                views[index] = LayerView(attention=attention, query=query)
            else:
                x = layer(x, memory, mask)
        return [views[index] for index in layers]

    def step(self, token_ids: Tensor, cache: DecoderCache) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """One position of all hypotheses (B, K), as `forward` gives it."""
        rows = token_ids.shape[1]
        x, attention, query = self.embedding.at(token_ids, cache.position), None, None
        cache.open(rows)
        for index, layer in enumerate(self.layers):
            x, seen, state = layer.step(x, cache, index)
            if index == cache.attention_layer:
                attention, query = seen, state
        cache.close(rows)
        if attention is not None:
            attention = attention[..., : cache.source_length]
        return self.final_norm(x), _mean_of_heads(attention), query


def _mean_of_heads(attention: Tensor | None) -> Tensor | None:
    """(B, T, S) of (B, H, T, S)"""
    return None if attention is None else mean_of_heads(attention)
