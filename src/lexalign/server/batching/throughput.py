"""How many tokens a second the workers do, of the time in which there is work for any of them."""

import math
import time
from collections.abc import Callable

_REMEMBERED_SECONDS = 20.0  # of work; what lies further back counts less and less
_FIRST_GUESS = 500.0  # tokens a second, which counts as little as a moment of work
_FIRST_SECONDS = 0.2


class Throughput:
    """Measured from outside: workers that are restarting, or share a core with others, count as they are."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tokens, self._seconds = _FIRST_GUESS * _FIRST_SECONDS, _FIRST_SECONDS
        self._running: dict[object, int] = {}
        self._updated = 0.0

    @property
    def running_tokens(self) -> int:
        return sum(self._running.values())

    @property
    def rate(self) -> float:
        """Of batches under way, half is taken to be done."""
        return (self._tokens + self.running_tokens / 2) / self._seconds

    def started(self, batch: object, tokens: int) -> None:
        self._advance()
        self._running[batch] = tokens

    def finished(self, batch: object, *, done: bool = True) -> None:
        self._advance()
        tokens = self._running.pop(batch)
        self._tokens += tokens if done else 0

    def seconds_for(self, waiting_tokens: int) -> float:
        """Until what waits, and half of what is being done, is done."""
        return (waiting_tokens + self.running_tokens / 2) / max(self.rate, 1.0)

    def _advance(self) -> None:
        now = self._clock()
        if self._running:
            passed = now - self._updated
            kept = math.exp(-passed / _REMEMBERED_SECONDS)
            self._tokens, self._seconds = self._tokens * kept, self._seconds * kept + passed
        self._updated = now
