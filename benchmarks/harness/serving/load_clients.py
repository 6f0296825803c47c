"""Clients of a server in one event loop, as light as can be: the server has to share its cores with them.

Requests are bytes that were made before; of an answer only the status and the length are read.
"""

import asyncio
import os
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

_SECONDS_PER_LOOK = 5.0  # at the memory
_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
_RETRY = re.compile(rb"retry-after: (\d+)", re.IGNORECASE)
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Load:
    """The answers that some clients had in so many seconds; latencies are in seconds."""

    clients: int
    seconds: float
    answered: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    latencies: list[float] = field(default_factory=list)
    memory: dict[str, list[int]] = field(default_factory=dict)  # resident MiB of each process, over the time
    busy: dict[str, float] = field(default_factory=dict)  # the share of a core that each process had

    @property
    def rate(self) -> float:
        return self.answered / self.seconds

    def percentile(self, share: float) -> int:
        """A percentile of the latencies in milliseconds."""
        return round(
            1000 * statistics.quantiles(self.latencies, n=100, method="inclusive")[round(100 * share) - 1]
        )

    @property
    def core_ms(self) -> float:
        """The time of a core for each sentence, by the server and its workers; load hardly changes it."""
        return 1000 * sum(share for name, share in self.busy.items() if name != "clients") / self.rate

    @property
    def failures(self) -> int:
        """The number of answers that are neither translations nor honest refusals."""
        return sum(count for status, count in self.statuses.items() if status not in ("200", "429"))

    def summary(self) -> dict[str, object]:
        return {
            "clients": self.clients,
            "seconds": round(self.seconds, 1),
            "answered": self.answered,
            "statuses": dict(self.statuses),
            "failures": self.failures,
            "p50_ms": self.percentile(0.5),
            "p95_ms": self.percentile(0.95),
            "sentences_per_second": round(self.rate, 2),
            "core_ms_per_sentence": round(self.core_ms, 1),
            "resident_mib": self.memory,
            "cores_used": self.busy,
        }


def encode(host: str, port: int, path: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def run_clients(
    host: str, port: int, pid: int, requests: Sequence[bytes], clients: int, seconds: float
) -> Load:
    """Each client sends the next of the requests when its last was answered; for so many seconds."""
    load, following = Load(clients, seconds), cycle(requests)
    processes = {"server": pid} | {f"worker {n}": child for n, child in enumerate(_children(pid), start=1)}
    until = time.perf_counter() + seconds
    watcher = asyncio.create_task(_watch(processes, seconds, load))
    await asyncio.gather(*(_client(host, port, following, until, load) for _ in range(clients)))
    await watcher
    return load


async def _client(host: str, port: int, following: Iterator[bytes], until: float, load: Load) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    while (started := time.perf_counter()) < until:
        try:
            writer.write(next(following))
            head = await reader.readuntil(b"\r\n\r\n")
            length = _LENGTH.search(head)
            await reader.readexactly(int(length[1]) if length else 0)
        except (OSError, asyncio.IncompleteReadError):
            load.statuses["lost"] += 1
            reader, writer = await asyncio.open_connection(host, port)
            continue
        status, now = head[9:12].decode(), time.perf_counter()
        load.statuses[status] += 1
        if status == "200":
            load.answered += now < until  # afterwards the load is no longer full
            load.latencies.append(now - started)
        elif retry := _RETRY.search(head):
            await asyncio.sleep(int(retry[1]))
    writer.close()


async def _watch(processes: dict[str, int], seconds: float, load: Load) -> None:
    before = _times(processes)
    num_looks = max(4, round(seconds / _SECONDS_PER_LOOK))
    for _ in range(num_looks):
        await asyncio.sleep(seconds / num_looks)
        for name, pid in processes.items():
            load.memory.setdefault(name, []).append(_resident(pid))
    for name, after in _times(processes).items():
        load.busy[name] = round((after - before[name]) / seconds, 3)


def _times(processes: dict[str, int]) -> dict[str, float]:
    """The seconds of a core that each process has used, and the clients, which are this one."""
    return {name: _seconds(pid) for name, pid in processes.items()} | {"clients": time.process_time()}


def _seconds(pid: int) -> float:
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0.0
    return (int(words[11]) + int(words[12])) / _TICKS


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * _PAGE >> 20
    except OSError:  # it has ended
        return 0


def _children(pid: int) -> list[int]:
    return [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text(encoding="ascii").split()
    ]
