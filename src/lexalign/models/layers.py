"""Encoder and decoder layers, with the norm before or after each sub-layer."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lexalign.models.attention import CrossAttention, SelfAttention
from lexalign.models.cache import DecoderCache
from lexalign.models.cells import RecurrentCache
from lexalign.models.config import ModelConfig
from lexalign.models.norms import new_layer_norm
from lexalign.models.projection import Precision, Projection
from lexalign.models.recurrence import RecurrentUnit
from lexalign.models.relative_attention import RelativeSelfAttention


class SubLayer(nn.Module):
    """Norm, residual and dropout around an attention or feed-forward block."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.pre = config.norm == "pre"
        self.rate = config.dropout
        self.norm = new_layer_norm(config)

    def normalise_input(self, x: Tensor) -> Tensor:
        normed: Tensor = self.norm(x) if self.pre else x
        return normed

    def add_residual(self, x: Tensor, hidden: Tensor, out: Projection, noise: Tensor | None = None) -> Tensor:
        """Dropout draws its own random numbers, or takes them from the bytes of `noise`, shaped as `x`."""
        y: Tensor
        if not self.training or self.rate == 0:
            y = out(hidden, residual=x)
        elif noise is None:
            y = x + F.dropout(out(hidden), self.rate)
        else:
            y = x + drop_by_bytes(out(hidden), self.rate, noise)
        normed: Tensor = y if self.pre else self.norm(y)
        return normed


def drop_by_bytes(x: Tensor, rate: float, noise: Tensor) -> Tensor:
    """Dropout by random bytes, at a rate rounded to 1/256, and scaled to keep the mean."""
    limit = round(256 * rate)
    return torch.where(noise >= limit, x * (256 / (256 - limit)), 0)


class FeedForward(SubLayer):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.activation, self.gated = config.activation, config.gated_feedforward
        inner_width = config.feedforward_width * (2 if self.gated else 1)
        self.inner = Projection(config.width, inner_width, bias=config.projection_bias)
        self.outer = Projection(config.feedforward_width, config.width, bias=config.projection_bias)

    def pack(self, precision: Precision) -> None:
        self.inner.pack(precision)
        self.outer.pack(precision, nonnegative=self.activation == "relu" and not self.gated)

    def forward(self, x: Tensor, noise: Tensor | None = None) -> Tensor:
        return self.add_residual(x, self.hidden(self.normalise_input(x)), self.outer, noise)

    def hidden(self, x: Tensor) -> Tensor:
        """What the outer projection is applied to, from an input that is normalised if it is to be."""
        if self.gated:
            gate, linear = self.inner(x).chunk(2, dim=-1)
            gated: Tensor = self._activate(gate) * linear
            return gated
        if self.activation == "relu":
            fused: Tensor = self.inner(x, relu=True)
            return fused
        return self._activate(self.inner(x))

    def _activate(self, x: Tensor) -> Tensor:
        if self.activation == "relu":
            return F.relu(x)
        if self.activation == "swish":
            return F.silu(x)
        return F.gelu(x, approximate="tanh" if self.activation == "gelu-tanh" else "none")


class SelfAttentionLayer(SubLayer):
    def __init__(self, config: ModelConfig, heads: int) -> None:
        super().__init__(config)
        relative = config.positions == "relative-vectors"
        self.attention = (RelativeSelfAttention if relative else SelfAttention)(config, heads)

    def forward(self, x: Tensor, *, mask: Tensor | None = None, causal: bool = False) -> Tensor:
        hidden = self.attention(self.normalise_input(x), mask=mask, causal=causal)
        return self.add_residual(x, hidden, self.attention.out)

    def step(self, x: Tensor, cache: DecoderCache, layer: int) -> Tensor:
        query, keys_values = self.attention.project(self.normalise_input(x))
        keys, values = cache.append(layer, keys_values)
        hidden = self.attention.step(query, keys, values, cache.mask)
        return self.add_residual(x, hidden, self.attention.out)


class RecurrentLayer(SubLayer):
    """Has the place of self-attention in a decoder; its output is added without a projection."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.unit = RecurrentUnit(config.width)

    def forward(self, x: Tensor, *, causal: bool = True) -> Tensor:  # noqa: ARG002
        return self._add(x, self.unit(self.normalise_input(x)))

    def step(self, x: Tensor, cache: DecoderCache, layer: int) -> Tensor:
        assert isinstance(cache, RecurrentCache)
        hidden, cell = self.unit.step(self.normalise_input(x), cache.cell(layer))
        cache.replace_cell(layer, cell)
        return self._add(x, hidden)

    def _add(self, x: Tensor, hidden: Tensor) -> Tensor:
        y = x + F.dropout(hidden, self.rate, self.training)
        normed: Tensor = y if self.pre else self.norm(y)
        return normed


class CrossAttentionLayer(SubLayer):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.attention = CrossAttention(config, config.decoder_heads)

    def forward(self, x: Tensor, memory: tuple[Tensor, Tensor], mask: Tensor | None) -> Tensor:
        return self.add_residual(x, self.attention(self.normalise_input(x), memory, mask), self.attention.out)

    def step(self, x: Tensor, memory: tuple[Tensor, Tensor], mask: Tensor | None) -> Tensor:
        return self.add_residual(
            x, self.attention.step(self.normalise_input(x), memory, mask), self.attention.out
        )

    def forward_with_attention(
        self, x: Tensor, memory: tuple[Tensor, Tensor], mask: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """The same as `forward`, and the heads' attention (B, H, T, S)."""
        hidden, attention = self.attention.forward_with_attention(self.normalise_input(x), memory, mask)
        return self.add_residual(x, hidden, self.attention.out), attention


class EncoderLayer(nn.Module):
    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.self_attention = SelfAttentionLayer(config, config.encoder_heads)
        self.feedforward = FeedForward(config)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        out: Tensor = self.feedforward(self.self_attention(x, mask=mask))
        return out


class DecoderLayer(nn.Module):
    """Has self-attention or a recurrent unit, as the config says."""

    self_attention: SelfAttentionLayer
    recurrence: RecurrentLayer

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.recurrent = config.decoder_autoregression == "ssru"
        if self.recurrent:
            self.recurrence = RecurrentLayer(config)
        else:
            self.self_attention = SelfAttentionLayer(config, config.decoder_heads)
        self.cross_attention = CrossAttentionLayer(config)
        self.feedforward = FeedForward(config)

    @property
    def past(self) -> SelfAttentionLayer | RecurrentLayer:
        """The sub-layer that sees the past tokens."""
        return self.recurrence if self.recurrent else self.self_attention

    def forward(
        self,
        x: Tensor,
        memory: tuple[Tensor, Tensor],
        mask: Tensor | None,
        self_mask: Tensor | None = None,
    ) -> Tensor:
        """`self_mask` is the term of self-attention, where it is more than causal: relative positions."""
        query = self._see_past(x, self_mask)
        out: Tensor = self.feedforward(self.cross_attention(query, memory, mask))
        return out

    def forward_with_attention(
        self,
        x: Tensor,
        memory: tuple[Tensor, Tensor],
        mask: Tensor | None,
        self_mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The same as `forward`, and the cross-attention (B, H, T, S) with its input (B, T, D)."""
        query = self._see_past(x, self_mask)
        x, attention = self.cross_attention.forward_with_attention(query, memory, mask)
        return self.feedforward(x), attention, query

    def _see_past(self, x: Tensor, self_mask: Tensor | None) -> Tensor:
        out: Tensor = (
            self.past(x, causal=True) if self_mask is None else self.self_attention(x, mask=self_mask)
        )
        return out

    def step(self, x: Tensor, cache: DecoderCache, layer: int) -> tuple[Tensor, Tensor | None, Tensor]:
        """One position of a beam (B, K, D), and the attention (B, H, K, S) if this is the attention layer."""
        query = self.past.step(x, cache, layer)
        memory, attention = cache.memory[layer], None
        if layer == cache.attention_layer:
            x, attention = self.cross_attention.forward_with_attention(query, memory, cache.source_mask)
        else:
            x = self.cross_attention.step(query, memory, cache.source_mask)
        return self.feedforward(x), attention, query
