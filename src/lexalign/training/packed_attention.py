"""Attention within the sentences of a packed batch, by one of several kernels."""

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

PackedKernel = Literal["masked", "flash", "triton"]


def available_kernel(wanted: PackedKernel, device: torch.device) -> PackedKernel:
    """On a CPU there is only the one that masks; Triton's are loaded, as not every torch has Triton."""
    if device.type != "cuda":
        return "masked"
    if wanted == "triton":
        import lexalign.training.attention_kernels  # noqa: F401
    return wanted


def self_attention(
    qkv: Tensor, starts: Tensor, longest: int, heads: int, *, causal: bool, kernel: PackedKernel
) -> Tensor:
    """Heads' outputs (N, D) for queries, keys and values (N, 3D) of sentences that begin at `starts`."""
    if kernel == "triton":
        memory = qkv.new_empty(0, 0)
        out: Tensor = torch.ops.lexalign.packed_attention(qkv, memory, starts, starts, heads, causal)[0]
        return out
    query, key, value = qkv.view(len(qkv), 3, heads, -1).unbind(1)
    return _attention(query, key, value, starts, starts, longest, causal, kernel)


def cross_attention(
    query: Tensor,
    memory: Tensor,
    starts: Tensor,
    memory_starts: Tensor,
    longest: int,
    heads: int,
    *,
    kernel: PackedKernel,
) -> Tensor:
    """Heads' outputs (N, D) for queries (N, D), and keys and values (M, 2D) of as many sentences."""
    if kernel == "triton":
        out: Tensor = torch.ops.lexalign.packed_attention(query, memory, starts, memory_starts, heads, False)[
            0
        ]
        return out
    key, value = memory.view(len(memory), 2, heads, -1).unbind(1)
    query = query.view(len(query), heads, -1)
    return _attention(query, key, value, starts, memory_starts, longest, False, kernel)


def _attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    starts: Tensor,
    memory_starts: Tensor,
    longest: int,
    causal: bool,
    kernel: PackedKernel,
) -> Tensor:
    """(N, D), from (N, H, D/H) and (M, H, D/H)."""
    if kernel == "flash":
        # What torch.nn.attention.varlen wraps, whose arguments differ between versions.
        out: Tensor = torch.ops.aten._flash_attention_forward(
            query, key, value, starts, memory_starts, longest, longest, 0.0, causal, False
        )[0]
        return out.flatten(1)
    mask = _mask(starts, memory_starts, len(query), len(key), causal)
    query, key, value = (part.transpose(0, 1)[None] for part in (query, key, value))
    dense = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    return dense[0].transpose(0, 1).flatten(1)


def _mask(starts: Tensor, memory_starts: Tensor, num_queries: int, num_keys: int, causal: bool) -> Tensor:
    """(N, M): which keys a query sees. It is the square of a batch, which only small ones can afford."""
    queries = torch.arange(num_queries, device=starts.device)
    keys = torch.arange(num_keys, device=starts.device)
    of_query = torch.searchsorted(starts, queries, right=True)
    of_key = torch.searchsorted(memory_starts, keys, right=True)
    mask = of_query[:, None] == of_key[None, :]
    return mask & (keys[None, :] <= queries[:, None]) if causal else mask
