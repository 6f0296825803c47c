"""T5's relative positions (Raffel et al. 2020): attention scores with a bias for the distance of two tokens.

Near distances have a bucket each, farther ones share wider and wider buckets. A decoder, which looks back
only, with 8 buckets up to a distance of 16:

    distance   0  1  2  3  4  5  6 .. 7  8 .. 11  12 ..
    bucket     0  1  2  3  4  4  5       6        7

An encoder has half of the buckets for each direction. All layers of a side share one table.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lexalign.models.config import ModelConfig


class RelativeBias(nn.Module):
    """The bias of each head for each bucket (buckets, H)."""

    buckets: Tensor  # by the position of a key before (negative) or behind the query, plus the distance limit

    def __init__(self, config: ModelConfig, heads: int, *, causal: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(config.relative_buckets, heads))
        self.limit, self.causal = config.relative_distance, causal
        self.register_buffer("buckets", torch.empty(2 * self.limit + 1, dtype=torch.int64), persistent=False)
        if not self.weight.is_meta:
            nn.init.normal_(self.weight)
            self.reset_buckets()

    def reset_buckets(self) -> None:
        """Compute the buckets, also of a module that was made on the meta device."""
        positions = torch.arange(-self.limit, self.limit + 1, device=self.weight.device)
        self.buckets = _buckets(positions, len(self.weight), self.limit, self.causal)

    def forward(self, length: int, mask: Tensor | None) -> Tensor:
        """The term (B, H, T, T) of whole sentences, together with an additive mask (B, 1, 1, T)."""
        places = torch.arange(length, device=self.weight.device)
        bias = self._look_up(places - places[:, None]).permute(2, 0, 1)[None]
        if self.causal:
            future = torch.ones(length, length, dtype=torch.bool, device=bias.device).triu_(1)
            bias = bias.masked_fill(future, float("-inf"))
        return bias if mask is None else bias + mask

    def of_slots(self, mask: Tensor) -> Tensor:
        """The term (B, H, K, W) of a decoding step, from the mask (B, 1, K, W) of a decoder cache.

        The slots that a hypothesis sees are its tokens in their order, so the number of slots that it sees
        behind a slot is the distance of that token.
        """
        seen = (mask[:, 0] == 0).cumsum(dim=-1)  # (B, K, W)
        return self._look_up(seen - seen[..., -1:]).permute(0, 3, 1, 2) + mask

    def _look_up(self, positions: Tensor) -> Tensor:
        """The biases (..., H) for positions of keys relative to the query."""
        index = positions.clamp(-self.limit, self.limit) + self.limit
        return F.embedding(self.buckets[index], self.weight)


def _buckets(positions: Tensor, number: int, limit: int, causal: bool) -> Tensor:
    """The bucket of each relative position; in float32, whose rounding decides at the bounds of buckets."""
    distances, offset = (-positions).clamp(min=0), torch.zeros_like(positions)
    if not causal:
        number //= 2
        distances, offset = positions.abs(), (positions > 0) * number
    exact = number // 2
    far = torch.log(distances.clamp(min=1).float() / exact) / math.log(limit / exact) * (number - exact)
    wide = (exact + far.to(torch.int64)).clamp(max=number - 1)
    return offset + torch.where(distances < exact, distances, wide)
