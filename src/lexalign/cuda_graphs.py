"""Operations recorded once and replayed, where launching them one by one would take the host too long."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import torch

Operations = Callable[[], None]


class Recorder(Protocol):
    def rehearse(self, operations: Operations) -> None:
        """Do the operations, and set up whatever libraries set up at their first call."""

    def record(self, operations: Operations) -> Operations:
        """Something to call in place of the operations, as often as wanted.

        They must have been rehearsed, and work on the same tensors every time. Recording does not do them.
        """


class GraphRecorder:
    """Records CUDA graphs, without doing what it records.

    All graphs share their temporary memory, so only one may run at a time.
    """

    def __init__(self) -> None:
        self._pool = torch.cuda.graph_pool_handle()
        self._stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]

    def rehearse(self, operations: Operations) -> None:
        """On a stream of their own, as a graph will be recorded."""
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            operations()
        torch.cuda.current_stream().wait_stream(self._stream)

    def record(self, operations: Operations) -> Operations:
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        # Other threads may go on with their own work on the GPU: one brings the next batches there.
        with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
            operations()
        return graph.replay


class PlainRecorder:
    """On a CPU, operations are simply done again."""

    def rehearse(self, operations: Operations) -> None:
        operations()

    def record(self, operations: Operations) -> Operations:
        return operations


class SideWork:
    """Operations that a GPU does beside those that follow, until they are joined; a CPU does them at once.

    Many small operations then cost little next to large ones, also in a graph. Tensors that they read must
    stay as they are, and those that are made for them or by them must not be given up, before they are
    joined: their memory would be used again.
    """

    def __init__(self, device: torch.device) -> None:
        self._stream = (
            torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
            if device.type == "cuda"
            else None
        )

    @contextmanager
    def fork(self) -> Iterator[None]:
        """What is done inside goes on beside what is done after it."""
        if self._stream is None:
            yield
            return
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            yield

    def join(self) -> None:
        if self._stream is not None:
            torch.cuda.current_stream().wait_stream(self._stream)


def recorder_for(device: torch.device) -> Recorder:
    return GraphRecorder() if device.type == "cuda" else PlainRecorder()
