"""The tables of docs/guides/serving.md, from what `serving.py` measured."""

import statistics
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Protocol

from harness.serving.load_clients import Load


class Offline(Protocol):
    """A rate in sentences a second, and how long a sentence kept a core busy."""

    @property
    def name(self) -> str: ...

    @property
    def rate(self) -> float: ...

    @property
    def core_ms(self) -> float: ...


def tables(offline: Sequence[Offline], loads: Sequence[Load]) -> str:
    lines = [*_speed(offline, loads), "", *_shares(offline, loads[-1]), "", *_memory(loads[-1])]
    return "\n".join(lines)


def _speed(offline: Sequence[Offline], loads: Sequence[Load]) -> Iterator[str]:
    yield "| clients | sentences a second | latency: median | 95 % | of a core, for a sentence |"
    yield "|---|---|---|---|---|"
    for load in loads:
        yield (
            f"| {load.clients}, for {load.seconds:.0f} s | {load.rate:.1f} | {load.percentile(0.5):,} ms "
            f"| {load.percentile(0.95):,} ms | {load.core_ms:.0f} ms |"
        )
    for one in offline:
        yield f"| offline, {one.name} | {one.rate:.1f} | | | {one.core_ms:.0f} ms |"


def _shares(offline: Sequence[Offline], load: Load) -> Iterator[str]:
    statuses = ", ".join(f"{count:,} × {status}" for status, count in load.statuses.items())
    yield f"With {load.clients} clients: {statuses}."
    for one in offline:
        yield f"{load.rate / one.rate:.2f} of offline, {one.name}."


def _memory(load: Load) -> Iterator[str]:
    """Means of the quarters of the run with the most clients."""
    yield "| resident, MiB | 1st quarter | 2nd | 3rd | 4th | least | most |"
    yield "|---|---|---|---|---|---|---|"
    for name, sizes in load.memory.items():
        means = " | ".join(f"{statistics.fmean(part):.0f}" for part in quarters(sizes))
        yield f"| {name} | {means} | {min(sizes)} | {max(sizes)} |"


def quarters(sizes: Sequence[int]) -> list[Sequence[int]]:
    """Four parts in the order of time; where there are fewer sizes than four, some are the same."""
    bounds = [round(part * len(sizes) / 4) for part in range(5)]
    return [sizes[first : max(last, first + 1)] or sizes[-1:] for first, last in pairwise(bounds)]
