"""The seam between the dispatcher and the metrics."""

from typing import Protocol


class Observer(Protocol):
    def waiting(self, sentences: int, tokens: int) -> None: ...

    def finished(self, sentences: int, tokens: int, seconds: float) -> None:
        """A batch has been finished."""

    def abandoned(self) -> None:
        """A batch was cancelled because no client waits for it."""

    def died(self) -> None:
        """A worker has died."""

    def workers(self, alive: int, total: int) -> None:
        """So many of the workers can be given work."""


class SilentObserver:
    def waiting(self, sentences: int, tokens: int) -> None: ...

    def finished(self, sentences: int, tokens: int, seconds: float) -> None: ...

    def abandoned(self) -> None: ...

    def died(self) -> None: ...

    def workers(self, alive: int, total: int) -> None: ...
