"""What a GPU's kernels take: our own for packed sentences, and the slowest of a training."""

from collections.abc import Callable, Sequence
from types import ModuleType

import torch

from lexalign.cuda_graphs import GraphRecorder
from lexalign.data.collate import TensorBatch
from lexalign.models.config import ModelConfig
from lexalign.training.packed_attention import PackedKernel, self_attention

_ATTENTION_FORWARD = [(32, 4), (32, 4, 160), (32, 8, 128), (64, 8)]
_ATTENTION_BACKWARD = [(32, 4), (32, 4, 168), (32, 8), (32, 8, 128), (64, 8)]
_NORM_FORWARD = [(1, 1, 20), (1, 1, 30), (2, 2, 8), (4, 4, 4), (1, 1, 16, 2)]
_NORM_BACKWARD = [(1, 1, 16), (2, 2, 8), (4, 4, 4), (2, 4, 4), (1, 1, 12, 2)]
_REPEATS = 20
Times = dict[str, float]
Work = Callable[[], None]
Candidate = tuple[int, ...]


def fastest_settings(batch: TensorBatch, config: ModelConfig) -> Times:
    """Microseconds of kernels, forward, and forward and backward; the fastest are set for what follows."""
    from lexalign.training import attention_kernels, norm_kernels

    found = {"attention, flash": _microseconds(_attention(batch, config, "flash", backward=True))}
    work = [_attention(batch, config, "triton", backward=backward) for backward in (False, True)]
    _choose(found, attention_kernels, "FORWARD", _ATTENTION_FORWARD, work[0])
    _choose(found, attention_kernels, "BACKWARD", _ATTENTION_BACKWARD, work[1])
    work = [_norm(batch, config, backward=backward) for backward in (False, True)]
    _choose(found, norm_kernels, "FORWARD", _NORM_FORWARD, work[0])
    _choose(found, norm_kernels, "BACKWARD", _NORM_BACKWARD, work[1])
    return found


def _choose(
    found: Times, kernels: ModuleType, direction: str, candidates: Sequence[Candidate], work: Work
) -> None:
    times = []
    choices = [kernels.Settings(*candidate) for candidate in candidates]
    for settings in choices:
        setattr(kernels, direction, settings)
        name = f"{kernels.__name__.rpartition('.')[2]}, {direction}, {settings}"
        try:
            found[name] = round(_microseconds(work), 1)
            print(name, found[name], flush=True)
        except Exception as failure:
            print(name, type(failure).__name__, str(failure)[:300], flush=True)
        times.append(found.get(name, float("inf")))
    setattr(kernels, direction, choices[times.index(min(times))])


def _attention(batch: TensorBatch, config: ModelConfig, kernel: PackedKernel, *, backward: bool) -> Work:
    starts = batch.tensors["target_starts"]
    size = len(batch.tensors["target_input_ids"])
    longest = int(starts.diff().max())
    qkv = torch.randn(size, 3 * config.width, device=starts.device, dtype=torch.bfloat16, requires_grad=True)
    gradient = torch.randn(size, config.width, device=starts.device, dtype=torch.bfloat16)

    def compute() -> None:
        out = self_attention(qkv, starts, longest, config.decoder_heads, causal=True, kernel=kernel)
        if backward:
            torch.autograd.grad(out, qkv, gradient)

    return compute


def _norm(batch: TensorBatch, config: ModelConfig, *, backward: bool) -> Work:
    device = batch.tensors["target_starts"].device
    shape = len(batch.tensors["target_input_ids"]), config.width
    x, residual, gradient = (torch.randn(shape, device=device, dtype=torch.bfloat16) for _ in range(3))
    noise = torch.randint(0, 256, shape, device=device, dtype=torch.uint8)
    weights = [torch.randn(config.width, device=device, requires_grad=True) for _ in range(3)]
    inputs = [x.requires_grad_(), residual.requires_grad_(), *weights]

    def compute() -> None:
        out = torch.ops.lexalign.add_norm(x, residual, noise, *weights, 0.3, 1e-5, False)[0]
        if backward:
            torch.autograd.grad(out, inputs, gradient)

    return compute


def _microseconds(compute: Work) -> float:
    """As a graph, since the host takes longer to launch some kernels than the GPU to run them."""
    recorder = GraphRecorder()
    recorder.rehearse(compute)
    replay = recorder.record(compute)
    replay()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
    start.record()
    for _ in range(_REPEATS):
        replay()
    end.record()
    torch.cuda.synchronize()
    return float(1000 * start.elapsed_time(end) / _REPEATS)


def slowest_kernels(compute: Callable[[], object], num_kernels: int = 25) -> list[dict[str, object]]:
    """Names, and microseconds and calls in all, of the kernels that take longest."""
    activities = [torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        compute()
    events = sorted(profile.key_averages(), key=lambda event: -event.self_device_time_total)
    return [
        {"name": event.key[:120], "microseconds": round(event.self_device_time_total), "calls": event.count}
        for event in events[:num_kernels]
    ]
