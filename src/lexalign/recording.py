"""Operations recorded once and replayed, where launching them one by one would take the host too long."""

from collections.abc import Callable
from typing import Protocol

import torch

Operations = Callable[[], None]


class Recorder(Protocol):
    def __call__(self, operations: Operations) -> Operations:
        """Something to call in place of `operations`, as often as wanted.

        The operations must work on the same tensors every time, and must have run before. Whether they run
        while they are recorded depends on the recorder: do not count on it.
        """


class GraphRecorder:
    """Records CUDA graphs, which share their temporary memory: only one may run at a time."""

    def __init__(self) -> None:
        self._pool = torch.cuda.graph_pool_handle()

    def __call__(self, operations: Operations) -> Operations:
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, pool=self._pool):
            operations()
        return graph.replay


def no_recorder(operations: Operations) -> Operations:
    """On a CPU, operations are simply done again."""
    return operations


def recorder_for(device: torch.device) -> Recorder:
    return GraphRecorder() if device.type == "cuda" else no_recorder
