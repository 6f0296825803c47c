"""Who is told how it goes: the seam between the dispatcher and the metrics."""

from typing import Protocol


class Observer(Protocol):
    def waiting(self, sentences: int, tokens: int) -> None: ...

    def finished(self, sentences: int, tokens: int, seconds: float) -> None:
        """Of a batch."""

    def abandoned(self) -> None:
        """Nobody wanted a batch any more."""

    def died(self) -> None:
        """Of a worker."""


class SilentObserver:
    def waiting(self, sentences: int, tokens: int) -> None: ...

    def finished(self, sentences: int, tokens: int, seconds: float) -> None: ...

    def abandoned(self) -> None: ...

    def died(self) -> None: ...
