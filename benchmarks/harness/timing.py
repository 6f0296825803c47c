"""The time of an action."""

import statistics
import time
from collections.abc import Callable, Iterable


def seconds(
    action: Callable[[], object],
    rounds: int,
    *,
    clock: Callable[[], float] = time.perf_counter,
    of_rounds: Callable[[Iterable[float]], float] = statistics.median,
) -> float:
    """The median of some rounds, or another summary of them."""
    times = []
    for _ in range(rounds):
        start = clock()
        action()
        times.append(clock() - start)
    return of_rounds(times)
