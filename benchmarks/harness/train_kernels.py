"""What a GPU's kernels take: those of attention on packed sentences, and the slowest of a training."""

from collections.abc import Callable

import torch

from lexalign.cuda_graphs import GraphRecorder
from lexalign.data.collate import TensorBatch
from lexalign.models.config import ModelConfig
from lexalign.training.packed_attention import PackedKernel, self_attention

# The sides of a block of queries and keys, and warps.
_BLOCKS = [(16, 2), (32, 2), (32, 4), (64, 4), (64, 8)]
_REPEATS = 20


def fastest_blocks(batch: TensorBatch, config: ModelConfig) -> dict[str, float]:
    """Microseconds of self-attention, forward and backward; the fastest block is set for what follows."""
    from lexalign.training import attention_kernels as kernels

    found = {"flash": _attention_microseconds(batch, config, "flash")}
    for kernels.BLOCK, kernels.NUM_WARPS in _BLOCKS:
        try:
            name = f"triton, blocks of {kernels.BLOCK}, {kernels.NUM_WARPS} warps"
            found[name] = _attention_microseconds(batch, config, "triton")
        except Exception as failure:
            print(name, type(failure).__name__, str(failure)[:300])
    times = [found.get(f"triton, blocks of {block}, {warps} warps", float("inf")) for block, warps in _BLOCKS]
    kernels.BLOCK, kernels.NUM_WARPS = _BLOCKS[times.index(min(times))]
    print({name: round(time) for name, time in found.items()}, flush=True)
    return found


def _attention_microseconds(batch: TensorBatch, config: ModelConfig, kernel: PackedKernel) -> float:
    starts = batch.tensors["target_starts"]
    size = len(batch.tensors["target_input_ids"])
    longest = int(starts.diff().max())
    qkv = torch.randn(size, 3 * config.width, device=starts.device, dtype=torch.bfloat16, requires_grad=True)

    gradient = torch.randn(size, config.width, device=starts.device, dtype=torch.bfloat16)

    def compute() -> None:
        out = self_attention(qkv, starts, longest, config.decoder_heads, causal=True, kernel=kernel)
        torch.autograd.grad(out, qkv, gradient)

    return _microseconds(compute)


def _microseconds(compute: Callable[[], None]) -> float:
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
