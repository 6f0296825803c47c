"""The end of a sub-layer in a packed batch: by kernels of our own where there are some, or by the model."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lexalign.models.layers import SubLayer
from lexalign.models.projection import Projection
from lexalign.models.transformer import Transformer

_MAX_WIDTH = 4096  # of a row that a program can hold


def fused_norm_available(model: Transformer) -> bool:
    """Whether there are kernels for a model where it is; if so they are loaded, as attention's are."""
    fits = not model.config.rms_norm and model.config.width <= _MAX_WIDTH
    if model.device.type != "cuda" or not fits:
        return False
    import lexalign.training.norm_kernels  # noqa: F401

    return True


def end_sublayer(
    block: SubLayer,
    following: SubLayer | None,
    x: Tensor,
    hidden: Tensor,
    out: Projection,
    noise: Tensor | None,
    *,
    fused: bool,
) -> tuple[Tensor, Tensor]:
    """What the following sub-layer has for its residual, and what it has for its input, both (N, D).

    Without one, at the end of a layer, both are the residual.
    """
    norm = block if not block.pre else following
    drops = block.training and block.rate > 0
    if not fused or norm is None or (drops and noise is None):
        x = block.add_residual(x, hidden, out, noise)
        return x, x if following is None else following.normalise_input(x)
    weights = norm.norm
    assert isinstance(weights, nn.LayerNorm)
    normed, total, _, _ = torch.ops.lexalign.add_norm(
        F.linear(hidden, out.weight),
        x,
        noise if drops else None,
        out.bias,
        weights.weight,
        weights.bias,
        block.rate,
        weights.eps,
        block.pre,
    )
    return (total, normed) if block.pre else (normed, normed)
