"""CUDA graphs: operations that are recorded once and replayed, which saves the time of launching them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

import torch

Operations = Callable[[], None]

_AT_ONCE = nullcontext()


class Recorder(Protocol):
    def rehearse(self, operations: Operations) -> None:
        """Run the operations once, so that libraries are initialised before recording."""

    def record(self, operations: Operations) -> Operations:
        """Record the operations without running them, and return a function that replays them.

        They must have been rehearsed, and work on the same tensors every time.
        """


class GraphRecorder:
    """Records CUDA graphs. All graphs share their temporary memory, so only one may run at a time."""

    def __init__(self) -> None:
        self._pool = torch.cuda.graph_pool_handle()
        self._stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]

    def rehearse(self, operations: Operations) -> None:
        """Run the operations on a separate stream, as a graph is recorded."""
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            operations()
        torch.cuda.current_stream().wait_stream(self._stream)

    def record(self, operations: Operations) -> Operations:
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        # Other threads may use the GPU meanwhile: one copies the next batches to it.
        with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
            operations()
        return graph.replay


class PlainRecorder:
    """Runs the operations again instead of replaying them, on a CPU."""

    def rehearse(self, operations: Operations) -> None:
        operations()

    def record(self, operations: Operations) -> Operations:
        return operations


class SideWork:
    """Operations on a second CUDA stream, until they are joined; a CPU runs them at once.

    Many small operations then cost little next to large ones, also in a graph. Until they are joined, the
    tensors that they read must not change, and those that they use or create must not be freed: their memory
    would be reused.
    """

    def __init__(self, device: torch.device) -> None:
        self._stream = (
            torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
            if device.type == "cuda"
            else None
        )

    def fork(self) -> AbstractContextManager[None]:
        """The operations of the block run in parallel to those after it."""
        return _AT_ONCE if self._stream is None else self._on(self._stream)

    @contextmanager
    def _on(self, stream: torch.cuda.Stream) -> Iterator[None]:
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            yield

    def join(self) -> None:
        if self._stream is not None:
            torch.cuda.current_stream().wait_stream(self._stream)


def recorder_for(device: torch.device) -> Recorder:
    return GraphRecorder() if device.type == "cuda" else PlainRecorder()
