"""Self-attention with relative position vectors (Shaw et al. 2018), as OpenNMT's models may have it.

A layer has a key and a value for each distance up to a limit, in both directions; they are added to the keys
and values of tokens at that distance:

    a token     two or more before   one before   itself   one behind   two or more behind
    limit 2     r0                   r1           r2       r3           r4
"""

import torch
from torch import Tensor, nn

from lexalign.kernel_shapes import row_products, row_sums
from lexalign.models.attention import SelfAttention, merge_heads, split_heads
from lexalign.models.config import ModelConfig


class RelativeSelfAttention(SelfAttention):
    def __init__(self, config: ModelConfig, heads: int) -> None:
        super().__init__(config, heads)
        self.limit = config.relative_distance
        shape = 2 * self.limit + 1, self.out.in_features // heads
        self.relative_keys = nn.Parameter(torch.empty(shape))  # (distances, D/H)
        self.relative_values = nn.Parameter(torch.empty(shape))
        for table in (self.relative_keys, self.relative_values):
            if not table.is_meta:
                nn.init.normal_(table, std=shape[1] ** -0.5)

    def forward(self, x: Tensor, *, mask: Tensor | None = None, causal: bool = False) -> Tensor:
        query, key, value = (split_heads(part, self.heads) for part in self.qkv(x).chunk(3, dim=-1))
        places = torch.arange(x.shape[1], device=x.device)
        positions = places - places[:, None]  # (T, T)
        if causal:
            mask = torch.zeros(positions.shape, dtype=x.dtype, device=x.device)
            mask = mask.masked_fill_(positions > 0, float("-inf"))
        return merge_heads(self._attend(query, key, value, mask, positions))

    def step(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        # The slots that a hypothesis sees are its tokens in their order, see `relative_bias.py`.
        seen = (mask == 0).cumsum(dim=-1)  # (B, 1, K, W)
        return merge_heads(self._attend(query, keys, values, mask, seen - seen[..., -1:]))

    def _attend(
        self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, positions: Tensor
    ) -> Tensor:
        """`positions` (..., T, S) are those of keys relative to queries."""
        scores = row_products(query, keys)  # (B, H, T, S)
        index = (positions.clamp(-self.limit, self.limit) + self.limit).expand_as(scores)
        by_distance = row_products(query, self.relative_keys)  # (B, H, T, distances)
        scores = (scores + by_distance.gather(-1, index)) * self.scale
        weights = torch.softmax(scores if mask is None else scores + mask, dim=-1)
        at_distance = torch.zeros_like(by_distance).scatter_add_(-1, index, weights)
        return row_sums(weights, values) + row_sums(at_distance, self.relative_values)
