"""Multi-head attention: self-attention, and cross-attention from the decoder to the source."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lexalign.kernel_shapes import LEAST_ROWS, row_products, row_sums
from lexalign.models.config import ModelConfig
from lexalign.models.projection import Precision, Projection


class SelfAttention(nn.Module):
    """Attention to tokens of the same side. It returns the heads' outputs before the output projection."""

    def __init__(self, config: ModelConfig, heads: int) -> None:
        super().__init__()
        size = config.head_width or config.width // heads
        self.heads = heads
        self.scale = size**-0.5 if config.attention_scale else 1.0
        self.qkv = Projection(config.width, 3 * heads * size, bias=config.projection_bias)
        self.out = Projection(heads * size, config.width, bias=config.projection_bias)

    def initialise(self) -> None:
        _initialise_small(self.qkv)

    def pack(self, precision: Precision) -> None:
        """Pack the weights for inference on a CPU, with the attention's scale in the query's weights."""
        scales = torch.tensor([self.scale, 1.0, 1.0]).repeat_interleave(self.out.in_features)
        self.qkv.pack(precision, scales)
        self.out.pack(precision)
        self.scale = 1.0

    def forward(self, x: Tensor, *, mask: Tensor | None = None, causal: bool = False) -> Tensor:
        query, key, value = (split_heads(part, self.heads) for part in self.qkv(x).chunk(3, dim=-1))
        hidden = F.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, is_causal=causal, scale=self.scale
        )
        return merge_heads(hidden)

    def step(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        return merge_heads(attend(query, keys, values, mask, self.scale))

    def project(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The query (B, H, K, D/H) and the new keys and values (2, B, H, K, D/H) of one step."""
        rows, beam, _ = x.shape
        qkv = self.qkv(x).view(rows, beam, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        return qkv[0], qkv[1:]


class CrossAttention(nn.Module):
    """Attention to the encoder's states. It returns the heads' outputs before the output projection."""

    def __init__(self, config: ModelConfig, heads: int) -> None:
        super().__init__()
        size = config.head_width or config.width // heads
        self.heads = heads
        self.scale = size**-0.5 if config.attention_scale else 1.0
        self.query = Projection(config.width, heads * size, bias=config.projection_bias)
        self.memory = Projection(config.width, 2 * heads * size, bias=config.projection_bias)
        self.out = Projection(heads * size, config.width, bias=config.projection_bias)

    def initialise(self) -> None:
        _initialise_small(self.query)
        _initialise_small(self.memory)

    def pack(self, precision: Precision) -> None:
        """Pack the weights for inference on a CPU, with the attention's scale in the query's weights."""
        self.query.pack(precision, torch.full((self.query.out_features,), self.scale))
        self.memory.pack(precision)
        self.out.pack(precision)
        self.scale = 1.0

    def project_memory(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values (B, H, S, D/H) of a source; all hypotheses of a sentence share them."""
        key, value = self.memory(states).chunk(2, dim=-1)
        return split_heads(key, self.heads), split_heads(value, self.heads)

    def step(self, x: Tensor, memory: tuple[Tensor, Tensor], mask: Tensor | None) -> Tensor:
        query = split_heads(self.query(x), self.heads)
        return merge_heads(attend(query, *memory, mask, self.scale))

    def forward(self, x: Tensor, memory: tuple[Tensor, Tensor], mask: Tensor | None) -> Tensor:
        query = split_heads(self.query(x), self.heads)
        return merge_heads(F.scaled_dot_product_attention(query, *memory, attn_mask=mask, scale=self.scale))

    def forward_with_attention(
        self, x: Tensor, memory: tuple[Tensor, Tensor], mask: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """The same as `forward`, and the attention distributions (B, H, T, S) of the heads."""
        query = split_heads(self.query(x), self.heads)
        key, value = memory
        scores = row_products(query, key)
        scores = scores * self.scale if mask is None else torch.add(mask, scores, alpha=self.scale)
        attention = torch.softmax(scores, dim=-1, dtype=torch.float32)
        return merge_heads(row_sums(attention.to(value.dtype), value)), attention


def _initialise_small(projection: Projection) -> None:
    """Use half of Xavier's variance, as fairseq does, so that attention starts nearly uniform."""
    bound = math.sqrt(1.5 / projection.in_features)
    nn.init.uniform_(projection.weight, -bound, bound)


def attend(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, scale: float) -> Tensor:
    """Attention of the few queries (B, H, K, D/H) of a decoding step.

    It uses plain batched products: fused kernels are for many queries, and cuDNN plans anew for every shape.
    """
    batch, heads, rows, size = query.shape
    if rows < LEAST_ROWS and not query.is_cuda:
        return _attend_few(query, keys, values, mask, scale)
    query = query.reshape(batch * heads, rows, size)
    keys, values = keys.flatten(0, 1), values.flatten(0, 1)
    scores = torch.bmm(query, keys.transpose(1, 2))
    if mask is not None:
        scores = torch.add(mask, scores.view(batch, heads, rows, -1), alpha=scale).flatten(0, 1)
    elif scale != 1.0:  # packed weights contain it
        scores *= scale
    weights = torch.softmax(scores, dim=-1)
    return torch.bmm(weights, values).view(batch, heads, rows, size)


def _attend_few(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, scale: float) -> Tensor:
    """The same as `attend`, padded with queries up to the number that the usual kernels need."""
    padding = (0, 0, 0, LEAST_ROWS - query.shape[2])
    if mask is not None and mask.shape[2] > 1:
        mask = F.pad(mask, padding)
    return attend(F.pad(query, padding), keys, values, mask, scale)[:, :, : query.shape[2]]


def split_heads(x: Tensor, heads: int) -> Tensor:
    """A view (B, H, T, D/H) of (B, T, D)."""
    return x.view(*x.shape[:-1], heads, -1).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """The heads (B, H, T, D/H) concatenated (B, T, D)."""
    return x.transpose(1, 2).flatten(2)


def additive_mask(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """A mask of real tokens (B, S) as the (B, 1, 1, S) term that attention adds to its scores."""
    zeros = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
    return zeros.masked_fill_(~mask, float("-inf"))[:, None, None, :]
