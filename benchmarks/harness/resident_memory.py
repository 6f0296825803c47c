"""How much memory this process and all that it has started hold, over time (Linux)."""

import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

_PAGE = os.sysconf("SC_PAGE_SIZE")
_MIB = 2**20


@dataclass
class Trace:
    """The memory of one process: seconds since the start, and resident MiB."""

    name: str
    points: list[tuple[float, float]] = field(default_factory=list)

    def thinned(self, most: int = 200) -> list[tuple[float, float]]:
        every = -(-len(self.points) // most)
        return [(round(second, 1), round(size, 1)) for second, size in self.points[::every]]


class Sampler:
    """A thread that reads the memory of every process below this one; `names` may still grow meanwhile."""

    def __init__(self, names: Mapping[int, str] | None = None, every: float = 0.5) -> None:
        self._names, self._every = {} if names is None else names, every
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.traces: dict[int, Trace] = {}

    def __enter__(self) -> Self:
        self._start = time.perf_counter()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def peaks(self, parts: int = 10) -> list[dict[str, object]]:
        """The peak in every part of the time, and a series, of each process that lived almost to the end."""
        end = max(second for trace in self.traces.values() for second, _ in trace.points)
        rows: list[dict[str, object]] = []
        for pid, trace in self.traces.items():
            found = [0.0] * parts
            for second, size in trace.points:
                part = min(int(parts * second / end), parts - 1)
                found[part] = max(found[part], size)
            if found[-1]:
                rows.append(
                    {
                        "process": self._names.get(pid, trace.name),
                        "peaks_mib": [round(size, 1) for size in found],
                        "series_s_mib": trace.thinned(),
                    }
                )
        return rows

    def _look(self) -> None:
        while not self._stop.wait(self._every):
            now = time.perf_counter() - self._start
            for pid in [os.getpid(), *_descendants(os.getpid())]:
                size = _resident(pid)
                if size is not None:
                    self.traces.setdefault(pid, Trace(_name(pid))).points.append((now, size))


def _descendants(pid: int) -> list[int]:
    try:
        children = [
            int(child)
            for tasks in Path(f"/proc/{pid}/task").iterdir()
            for child in (tasks / "children").read_text().split()
        ]
    except OSError:  # it has ended
        return []
    return [one for child in children for one in (child, *_descendants(child))]


def _resident(pid: int) -> float | None:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE / _MIB
    except (OSError, IndexError):
        return None


def _name(pid: int) -> str:
    if pid == os.getpid():
        return "driver"
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return "?"
    return words.strip()[-44:] or "?"
