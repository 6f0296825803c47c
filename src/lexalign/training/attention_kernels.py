"""Attention over packed sentences as short as those of translation, in Triton.

General kernels share a sentence's queries out to blocks of 64 or 128 and prepare for thousands of keys. Here
a sentence's head is one program, which holds all of its few dozen queries and keys on chip; longer sentences
are walked through in blocks with a running softmax (FlashAttention-2, Dao 2023). The backward pass computes
all three gradients in one go where the keys fit into one block. Sentences come longest first, and the blocks
of the first ones are shared out to several programs, or all would wait for the longest; in another order the
result is the same.

Tensors are rows of tokens: queries at column 0 of `query`, keys and values at `key_column` and
`value_column` of `memory`, which for self-attention is the same tensor (N, 3D).
"""

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor


class Settings(NamedTuple):
    block: int  # of queries, and of keys
    warps: int  # of a program
    registers: int | None = None  # of a thread, at most


FORWARD = Settings(block=32, warps=4)
BACKWARD = Settings(block=32, warps=4, registers=168)
SHARED = 128  # so many sentences have several programs
PROGRAMS = 8  # each
_LOG2_E = 1.4426950408889634


@triton.jit
def _share(shared, programs):  # type: ignore[no-untyped-def]
    """The sentence of a program, which of the sentence's programs it is, and how many it has."""
    number = tl.program_id(0)
    several = number < shared * programs
    sentence = tl.where(several, number // programs, number - shared * (programs - 1))
    return sentence, tl.where(several, number % programs, 0), tl.where(several, programs, 1)


@triton.jit  # type: ignore[untyped-decorator]
def _forward(  # type: ignore[no-untyped-def]
    query,  # (N, query_stride)
    memory,  # (M, memory_stride)
    out,  # (N, D)
    log_sums,  # (H, N), base 2
    query_starts,
    memory_starts,
    scale,  # in base 2
    num_queries,
    query_stride,
    memory_stride,
    width,
    key_column,
    value_column,
    shared,
    programs,
    causal: tl.constexpr,
    size: tl.constexpr,
    block: tl.constexpr,
):
    sentence, part, parts = _share(shared, programs)
    head = tl.program_id(1)
    query_start, query_end = tl.load(query_starts + sentence), tl.load(query_starts + sentence + 1)
    key_start, key_end = tl.load(memory_starts + sentence), tl.load(memory_starts + sentence + 1)
    columns = head * size + tl.arange(0, size)
    for first in range(query_start + part * block, query_end, parts * block):
        rows = first + tl.arange(0, block)
        live = (rows < query_end)[:, None]
        q = tl.load(query + rows[:, None] * query_stride + columns[None, :], mask=live, other=0.0)
        highest = tl.full([block], float("-inf"), tl.float32)
        total = tl.zeros([block], tl.float32)
        weighted = tl.zeros([block, size], tl.float32)
        last = tl.minimum(key_end, key_start + first - query_start + block) if causal else key_end
        for start in range(key_start, last, block):
            keys = start + tl.arange(0, block)
            real = (keys < key_end)[:, None]
            places = memory + keys[:, None] * memory_stride + columns[None, :]
            k = tl.load(places + key_column, mask=real, other=0.0)
            v = tl.load(places + value_column, mask=real, other=0.0)
            scores = tl.dot(q, tl.trans(k)) * scale
            seen = (keys < key_end)[None, :]
            if causal:
                seen = seen & ((keys - key_start)[None, :] <= (rows - query_start)[:, None])
            scores = tl.where(seen, scores, float("-inf"))
            new = tl.maximum(highest, tl.max(scores, 1))
            weights = tl.exp2(scores - new[:, None])
            shrink = tl.exp2(highest - new)
            total = total * shrink + tl.sum(weights, 1)
            weighted = weighted * shrink[:, None] + tl.dot(weights.to(v.dtype), v)
            highest = new
        result = weighted / total[:, None]
        tl.store(out + rows[:, None] * width + columns[None, :], result.to(out.dtype.element_ty), mask=live)
        tl.store(log_sums + head * num_queries + rows, highest + tl.log2(total), mask=rows < query_end)


@triton.jit  # type: ignore[untyped-decorator]
def _backward(  # type: ignore[no-untyped-def]
    query,
    memory,
    out,
    log_sums,
    gradient,  # (N, D), of `out`
    query_gradient,  # as `query`
    memory_gradient,  # as `memory`
    query_starts,
    memory_starts,
    scale,
    plain_scale,
    num_queries,
    query_stride,
    memory_stride,
    width,
    key_column,
    value_column,
    shared,
    programs,
    causal: tl.constexpr,
    size: tl.constexpr,
    block: tl.constexpr,
):
    sentence, part, parts = _share(shared, programs)
    head = tl.program_id(1)
    query_start, query_end = tl.load(query_starts + sentence), tl.load(query_starts + sentence + 1)
    key_start, key_end = tl.load(memory_starts + sentence), tl.load(memory_starts + sentence + 1)
    if tl.maximum(key_end - key_start, query_end - query_start) == 0:
        return
    columns = head * size + tl.arange(0, size)
    single = key_end - key_start <= block
    for start in range(key_start + part * block, key_end, parts * block):
        keys = start + tl.arange(0, block)
        real = (keys < key_end)[:, None]
        places = keys[:, None] * memory_stride + columns[None, :]
        k = tl.load(memory + places + key_column, mask=real, other=0.0)
        v = tl.load(memory + places + value_column, mask=real, other=0.0)
        key_sum = tl.zeros([block, size], tl.float32)
        value_sum = tl.zeros([block, size], tl.float32)
        begin = query_start + start - key_start if causal else query_start
        for first in range(begin, query_end, block):
            rows = first + tl.arange(0, block)
            live = (rows < query_end)[:, None]
            q = tl.load(query + rows[:, None] * query_stride + columns[None, :], mask=live, other=0.0)
            own = rows[:, None] * width + columns[None, :]
            g = tl.load(gradient + own, mask=live, other=0.0)
            sums = tl.load(log_sums + head * num_queries + rows, mask=rows < query_end, other=0.0)
            seen = (keys < key_end)[None, :] & live
            if causal:
                seen = seen & ((keys - key_start)[None, :] <= (rows - query_start)[:, None])
            scores = tl.where(seen, tl.dot(q, tl.trans(k)) * scale, float("-inf"))
            weights = tl.exp2(scores - sums[:, None])
            value_sum += tl.dot(tl.trans(weights.to(g.dtype)), g)
            slope = tl.dot(g, tl.trans(v))
            if single:
                mean = tl.sum(weights * slope, 1)
            else:
                o = tl.load(out + own, mask=live, other=0.0)
                mean = tl.sum(g.to(tl.float32) * o.to(tl.float32), 1)
            change = (weights * (slope - mean[:, None]) * plain_scale).to(q.dtype)
            key_sum += tl.dot(tl.trans(change), q)
            if single:
                found = tl.dot(change, k).to(query_gradient.dtype.element_ty)
                tl.store(query_gradient + rows[:, None] * query_stride + columns[None, :], found, mask=live)
        kind = memory_gradient.dtype.element_ty
        tl.store(memory_gradient + places + key_column, key_sum.to(kind), mask=real)
        tl.store(memory_gradient + places + value_column, value_sum.to(kind), mask=real)
    if single:
        return
    for first in range(query_start + part * block, query_end, parts * block):
        rows = first + tl.arange(0, block)
        live = (rows < query_end)[:, None]
        q = tl.load(query + rows[:, None] * query_stride + columns[None, :], mask=live, other=0.0)
        own = rows[:, None] * width + columns[None, :]
        g = tl.load(gradient + own, mask=live, other=0.0)
        o = tl.load(out + own, mask=live, other=0.0)
        sums = tl.load(log_sums + head * num_queries + rows, mask=rows < query_end, other=0.0)
        mean = tl.sum(g.to(tl.float32) * o.to(tl.float32), 1)
        query_sum = tl.zeros([block, size], tl.float32)
        last = tl.minimum(key_end, key_start + first - query_start + block) if causal else key_end
        for start in range(key_start, last, block):
            keys = start + tl.arange(0, block)
            real = (keys < key_end)[:, None]
            places = memory + keys[:, None] * memory_stride + columns[None, :]
            k = tl.load(places + key_column, mask=real, other=0.0)
            v = tl.load(places + value_column, mask=real, other=0.0)
            seen = (keys < key_end)[None, :] & live
            if causal:
                seen = seen & ((keys - key_start)[None, :] <= (rows - query_start)[:, None])
            scores = tl.where(seen, tl.dot(q, tl.trans(k)) * scale, float("-inf"))
            weights = tl.exp2(scores - sums[:, None])
            change = weights * (tl.dot(g, tl.trans(v)) - mean[:, None]) * plain_scale
            query_sum += tl.dot(change.to(k.dtype), k)
        kind = query_gradient.dtype.element_ty
        tl.store(
            query_gradient + rows[:, None] * query_stride + columns[None, :], query_sum.to(kind), mask=live
        )


@torch.library.custom_op("lexalign::packed_attention", mutates_args=())
def packed_attention(
    query: Tensor, memory: Tensor, query_starts: Tensor, memory_starts: Tensor, heads: int, causal: bool
) -> tuple[Tensor, Tensor]:
    """Heads' outputs (N, D), and the logarithms (H, N) of their softmax's sums.

    In cross-attention `query` is (N, D) and `memory` (M, 2D); in self-attention `query` is all (N, 3D) and
    `memory` is empty.
    """
    own = memory.numel() == 0
    width = query.shape[1] // 3 if own else query.shape[1]
    out = query.new_empty(len(query), width)
    log_sums = query.new_empty(heads, len(query), dtype=torch.float32)
    _launch(_forward, query, memory, out, log_sums, (), query_starts, memory_starts, heads, causal)
    return out, log_sums


@torch.library.custom_op("lexalign::packed_attention_backward", mutates_args=())
def packed_attention_backward(
    gradient: Tensor,
    query: Tensor,
    memory: Tensor,
    out: Tensor,
    log_sums: Tensor,
    query_starts: Tensor,
    memory_starts: Tensor,
    heads: int,
    causal: bool,
) -> tuple[Tensor, Tensor]:
    """The gradients of `query` and of `memory`."""
    found = torch.empty_like(query), torch.empty_like(memory)
    own = found[0], found[0] if memory.numel() == 0 else found[1]
    gradients = (gradient.contiguous(), *own)
    _launch(_backward, query, memory, out, log_sums, gradients, query_starts, memory_starts, heads, causal)
    return found


def _launch(
    kernel: Any,
    query: Tensor,
    memory: Tensor,
    out: Tensor,
    log_sums: Tensor,
    gradients: tuple[Tensor, ...],
    query_starts: Tensor,
    memory_starts: Tensor,
    heads: int,
    causal: bool,
) -> None:
    own, width = memory.numel() == 0, out.shape[1]
    memory = query if own else memory
    first = width if own else 0
    size = width // heads
    scale = size**-0.5
    num_sentences = len(query_starts) - 1
    shared = min(SHARED, num_sentences)
    rest = (
        *gradients,
        query_starts,
        memory_starts,
        scale * _LOG2_E,
        *([scale] if gradients else []),
        len(query),
        query.stride(0),
        memory.stride(0),
        width,
        first,
        first + width,
    )
    kernel[(num_sentences + shared * (PROGRAMS - 1), heads)](
        query,
        memory,
        out,
        log_sums,
        *rest,
        shared,
        PROGRAMS,
        **_options(BACKWARD if gradients else FORWARD, causal, size),
    )


def _options(settings: Settings, causal: bool, size: int) -> dict[str, Any]:
    return {
        "causal": causal,
        "size": size,
        "block": settings.block,
        "num_warps": settings.warps,
        "maxnreg": settings.registers,
        "num_stages": 1,
    }


@packed_attention.register_fake
def _(query: Tensor, memory: Tensor, _: Tensor, __: Tensor, heads: int, ___: bool) -> tuple[Tensor, Tensor]:
    width = query.shape[1] // 3 if memory.numel() == 0 else query.shape[1]
    out = query.new_empty(query.shape[0], width)
    return out, query.new_empty(heads, query.shape[0], dtype=torch.float32)


@packed_attention_backward.register_fake
def _(_: Tensor, query: Tensor, memory: Tensor, *__: object) -> tuple[Tensor, Tensor]:
    return torch.empty_like(query), torch.empty_like(memory)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    query, memory, query_starts, memory_starts, ctx.heads, ctx.causal = inputs
    ctx.save_for_backward(query, memory, *output, query_starts, memory_starts)


def _differentiate(ctx: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
    found = packed_attention_backward(gradient, *ctx.saved_tensors, ctx.heads, ctx.causal)
    return *found, None, None, None, None


packed_attention.register_autograd(_differentiate, setup_context=_keep)
