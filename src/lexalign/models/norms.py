"""Normalisation: layer norms, and norms by the root mean square alone (Zhang and Sennrich 2019)."""

import torch
from torch import Tensor, nn

from lexalign.models.config import ModelConfig


class DtypePreservingLayerNorm(nn.LayerNorm):
    """A layer norm whose output has the dtype of its input, also where autocast computes in float32."""

    def forward(self, x: Tensor) -> Tensor:
        normed = torch.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
        return normed if normed.dtype == x.dtype else normed.to(x.dtype)


class RmsNorm(nn.Module):
    """`weight · x / sqrt(mean(x²) + epsilon)`; the mean is computed in float32."""

    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        mean_square = x.float().square().mean(dim=-1, keepdim=True)
        return self.weight * (x * torch.rsqrt(mean_square + self.epsilon)).to(x.dtype)


def new_norm(config: ModelConfig) -> nn.Module:
    """The norm of embeddings, or after the last layer."""
    if config.rms_norm:
        return RmsNorm(config.width, config.norm_epsilon)
    return nn.LayerNorm(config.width, config.norm_epsilon)


def new_layer_norm(config: ModelConfig) -> nn.Module:
    """The norm of a sub-layer."""
    if config.rms_norm:
        return RmsNorm(config.width, config.norm_epsilon)
    return DtypePreservingLayerNorm(config.width, config.norm_epsilon)
