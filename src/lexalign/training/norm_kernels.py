"""The end of a sub-layer in Triton: bias, dropout by random bytes, residual and layer norm in one pass.

    total = residual + dropout(x + added)
    normed = (total - mean(total)) * rstd(total) * weight + bias

A program walks through many rows with a stride and holds the sums that it needs of them in registers: those
of the gradients of `weight`, `bias` and `added` leave it once, so that the backward pass reads and writes
each row once too. A compiler's own code takes five times as long for it. `total` is rounded to the dtype of
its tensor before the norm, so that the backward pass sees what the forward pass saw.
"""

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor


class Settings(NamedTuple):
    rows: int  # that a program has on chip at a time
    warps: int  # of a program, for every 512 columns
    programs: int  # for each multiprocessor
    stages: int = 1  # rows are loaded so many steps ahead


# A warp has a row to itself, so that its sums need no other warp.
FORWARD = Settings(rows=1, warps=1, programs=16, stages=2)
BACKWARD = Settings(rows=1, warps=1, programs=12, stages=2)
_INTERPRETED_PROGRAMS = 3
_BYTES = 256  # values of a byte


@triton.jit  # type: ignore[untyped-decorator]
def _forward(  # type: ignore[no-untyped-def]
    x,  # (N, D)
    residual,  # (N, D)
    noise,  # (N, D) bytes
    added,  # (D,)
    weight,  # (D,)
    bias,  # (D,)
    normed,  # (N, D)
    total,  # (N, D)
    means,  # (N,)
    rstds,  # (N,)
    num_rows,
    limit,
    scale,
    epsilon,
    width: tl.constexpr,
    columns_size: tl.constexpr,  # the power of two from `width` on
    drops: tl.constexpr,
    adds: tl.constexpr,
    rows_size: tl.constexpr,
    stages: tl.constexpr,
):
    columns = tl.arange(0, columns_size)
    inside = columns < width
    w = tl.load(weight + columns, mask=inside, other=0.0).to(tl.float32)[None, :]
    b = tl.load(bias + columns, mask=inside, other=0.0).to(tl.float32)[None, :]
    if adds:
        more = tl.load(added + columns, mask=inside, other=0.0).to(tl.float32)[None, :]
    step = tl.num_programs(0) * rows_size
    for first in tl.range(tl.program_id(0) * rows_size, num_rows, step, num_stages=stages):
        rows = first + tl.arange(0, rows_size)
        live = (rows < num_rows)[:, None] & inside[None, :]
        places = rows[:, None] * width + columns[None, :]
        value = tl.load(x + places, mask=live, other=0.0).to(tl.float32)
        kept = tl.load(residual + places, mask=live, other=0.0).to(tl.float32)
        if adds:
            value += more
        if drops:
            byte = tl.load(noise + tl.max_contiguous(places, [1, 8]), mask=live, other=0)
            value = tl.where(byte >= limit, value * scale, 0.0)
        rounded = (kept + value).to(total.dtype.element_ty)
        tl.store(total + places, rounded, mask=live)
        exact = tl.where(inside[None, :], rounded.to(tl.float32), 0.0)
        mean = tl.sum(exact, 1) / width
        centred = tl.where(inside[None, :], exact - mean[:, None], 0.0)
        rstd = tl.rsqrt(tl.sum(centred * centred, 1) / width + epsilon)
        result = centred * rstd[:, None] * w + b
        tl.store(normed + places, result.to(normed.dtype.element_ty), mask=live)
        tl.store(means + rows, mean, mask=rows < num_rows)
        tl.store(rstds + rows, rstd, mask=rows < num_rows)


@triton.jit  # type: ignore[untyped-decorator]
def _backward(  # type: ignore[no-untyped-def]
    gradient,  # (N, D), of `normed`
    total_gradient,  # (N, D), of `total`
    total,
    means,
    rstds,
    noise,
    weight,
    residual_gradient,  # (N, D)
    x_gradient,  # (N, D)
    sums,  # (programs, 3, D): of the gradients of `weight`, `bias` and `added`
    num_rows,
    limit,
    scale,
    width: tl.constexpr,
    columns_size: tl.constexpr,
    both: tl.constexpr,
    drops: tl.constexpr,
    adds: tl.constexpr,
    rows_size: tl.constexpr,
    stages: tl.constexpr,
):
    columns = tl.arange(0, columns_size)
    inside = columns < width
    w = tl.load(weight + columns, mask=inside, other=0.0).to(tl.float32)[None, :]
    weight_sum = tl.zeros([rows_size, columns_size], tl.float32)
    bias_sum = tl.zeros([rows_size, columns_size], tl.float32)
    added_sum = tl.zeros([rows_size, columns_size], tl.float32)
    step = tl.num_programs(0) * rows_size
    for first in tl.range(tl.program_id(0) * rows_size, num_rows, step, num_stages=stages):
        rows = first + tl.arange(0, rows_size)
        live = (rows < num_rows)[:, None] & inside[None, :]
        places = rows[:, None] * width + columns[None, :]
        g = tl.load(gradient + places, mask=live, other=0.0).to(tl.float32)
        value = tl.load(total + places, mask=live, other=0.0).to(tl.float32)
        mean = tl.load(means + rows, mask=rows < num_rows, other=0.0)[:, None]
        rstd = tl.load(rstds + rows, mask=rows < num_rows, other=0.0)[:, None]
        unit = tl.where(live, (value - mean) * rstd, 0.0)
        weight_sum += g * unit
        bias_sum += g
        weighted = g * w
        along = tl.sum(weighted * unit, 1)[:, None] / width
        change = (weighted - unit * along - tl.sum(weighted, 1)[:, None] / width) * rstd
        if both:
            change += tl.load(total_gradient + places, mask=live, other=0.0).to(tl.float32)
        tl.store(residual_gradient + places, change.to(residual_gradient.dtype.element_ty), mask=live)
        if drops:
            byte = tl.load(noise + tl.max_contiguous(places, [1, 8]), mask=live, other=0)
            change = tl.where(byte >= limit, change * scale, 0.0)
        tl.store(x_gradient + places, change.to(x_gradient.dtype.element_ty), mask=live)
        if adds:
            added_sum += tl.where(live, change, 0.0)
    own = sums + tl.program_id(0) * 3 * width + columns
    tl.store(own, tl.sum(weight_sum, 0), mask=inside)
    tl.store(own + width, tl.sum(bias_sum, 0), mask=inside)
    if adds:
        tl.store(own + 2 * width, tl.sum(added_sum, 0), mask=inside)


@torch.library.custom_op("lexalign::add_norm", mutates_args=())
def add_norm(
    x: Tensor,
    residual: Tensor,
    noise: Tensor | None,
    added: Tensor | None,
    weight: Tensor,
    bias: Tensor,
    rate: float,
    epsilon: float,
    both: bool,  # noqa: ARG001
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The norm (N, D) of the sum, the sum (N, D), and its rows' means and reciprocal deviations (N,).

    Without `noise` nothing is dropped. The sum has a gradient of its own only if `both` are to be used.
    """
    normed, total = torch.empty_like(x), torch.empty_like(x)
    means, rstds = (x.new_empty(len(x), dtype=torch.float32) for _ in range(2))
    limit, scale = _limit(rate)
    _forward[(_num_programs(x, FORWARD),)](
        x,
        residual,
        x if noise is None else noise,
        weight if added is None else added,
        weight,
        bias,
        normed,
        total,
        means,
        rstds,
        len(x),
        limit,
        scale,
        epsilon,
        width=x.shape[1],
        columns_size=_columns_size(x),
        drops=noise is not None,
        adds=added is not None,
        rows_size=FORWARD.rows,
        stages=FORWARD.stages,
        num_warps=FORWARD.warps * max(1, _columns_size(x) // 512),
    )
    return normed, total, means, rstds


@torch.library.custom_op("lexalign::add_norm_backward", mutates_args=())
def add_norm_backward(
    gradient: Tensor,
    total_gradient: Tensor | None,
    total: Tensor,
    means: Tensor,
    rstds: Tensor,
    noise: Tensor | None,
    weight: Tensor,
    rate: float,
    adds: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients (N, D) of `residual` and of `x`, and (3, D) of `weight`, `bias` and `added`."""
    gradient = gradient.contiguous()
    total_gradient = None if total_gradient is None else total_gradient.contiguous()
    residual_gradient, x_gradient = torch.empty_like(total), torch.empty_like(total)
    num_programs = _num_programs(total, BACKWARD)
    sums = total.new_empty(num_programs, 3, total.shape[1], dtype=torch.float32)
    limit, scale = _limit(rate)
    _backward[(num_programs,)](
        gradient,
        gradient if total_gradient is None else total_gradient,
        total,
        means,
        rstds,
        total if noise is None else noise,
        weight,
        residual_gradient,
        x_gradient,
        sums,
        len(total),
        limit,
        scale,
        width=total.shape[1],
        columns_size=_columns_size(total),
        both=total_gradient is not None,
        drops=noise is not None,
        adds=adds,
        rows_size=BACKWARD.rows,
        stages=BACKWARD.stages,
        num_warps=BACKWARD.warps * max(1, _columns_size(total) // 512),
    )
    return residual_gradient, x_gradient, sums.sum(0)


def _limit(rate: float) -> tuple[int, float]:
    """Bytes from which on a value is kept, and what it is multiplied by then; see `drop_by_bytes`."""
    limit = round(_BYTES * rate)
    return limit, _BYTES / (_BYTES - limit)


def _columns_size(x: Tensor) -> int:
    return int(triton.next_power_of_2(x.shape[1]))


def _num_programs(x: Tensor, settings: Settings) -> int:
    if not x.is_cuda:
        return _INTERPRETED_PROGRAMS
    processors = torch.cuda.get_device_properties(x.device).multi_processor_count
    return int(min(settings.programs * processors, triton.cdiv(len(x), settings.rows)))


@add_norm.register_fake
def _(x: Tensor, *_: object) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    means, rstds = (x.new_empty(x.shape[0], dtype=torch.float32) for _ in range(2))
    return torch.empty_like(x), torch.empty_like(x), means, rstds


@add_norm_backward.register_fake
def _(_: Tensor, __: Tensor | None, total: Tensor, *___: object) -> tuple[Tensor, Tensor, Tensor]:
    sums = total.new_empty(3, total.shape[1], dtype=torch.float32)
    return torch.empty_like(total), torch.empty_like(total), sums


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    _, _, noise, added, weight, _, ctx.rate, _, ctx.both = inputs
    ctx.adds = added is not None
    ctx.save_for_backward(*output[1:], noise, weight)


def _differentiate(
    ctx: Any, gradient: Tensor, total_gradient: Tensor, *_: Tensor
) -> tuple[Tensor | None, ...]:
    own = total_gradient if ctx.both else None
    residual, x, sums = add_norm_backward(gradient, own, *ctx.saved_tensors, ctx.rate, ctx.adds)
    weight, bias, added = sums.unbind()
    return x, residual, None, added if ctx.adds else None, weight, bias, None, None, None


add_norm.register_autograd(_differentiate, setup_context=_keep)
