"""How long /health takes, as a process of its own sees it, while others load the server."""

import re
import socket
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import ParamSpec, TypeVar

_SECONDS_PER_PROBE = 0.02
_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)

Arguments = ParamSpec("Arguments")
Found = TypeVar("Found")


@dataclass
class Health:
    """How long /health took, and how late the process that asked woke up; in seconds."""

    name: str
    latencies: list[float] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)

    def summary(self) -> dict[str, object]:
        return {
            "name": self.name,
            "answers": len(self.latencies),
            "p50_ms": _milliseconds(statistics.median(self.latencies)),
            "p99_ms": _milliseconds(statistics.quantiles(self.latencies, n=100)[98]),
            "most_ms": _milliseconds(max(self.latencies)),
            "over_100_ms": sum(latency > 0.1 for latency in self.latencies),
            "latest_wake_ms": _milliseconds(max(self.delays)),
        }


def watch_health(name: str, host: str, port: int, seconds: float) -> Health:
    """Ask every 20 ms over one connection."""
    health = Health(name)
    asked = f"GET /health HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()
    with socket.create_connection((host, port)) as connection:
        until = time.perf_counter() + seconds
        while (before := time.perf_counter()) < until:
            time.sleep(_SECONDS_PER_PROBE)
            started = time.perf_counter()
            connection.sendall(asked)
            answer = _receive(connection)
            health.latencies.append(time.perf_counter() - started)
            health.delays.append(started - before - _SECONDS_PER_PROBE)
            assert answer.startswith(b"HTTP/1.1 200"), answer
    return health


@contextmanager
def background(
    work: Callable[Arguments, Found], *args: Arguments.args, **options: Arguments.kwargs
) -> Iterator[list[Found]]:
    """Let another process work meanwhile; its result is in the list afterwards."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_pass_on, args=(theirs, work, args, options), daemon=True)
    process.start()
    theirs.close()  # so that the end of the process ends the pipe
    found: list[Found] = []
    ours.recv()  # it is ready
    yield found
    found.append(ours.recv())
    process.join()


def _pass_on(
    connection: Connection, work: Callable[..., object], args: tuple[object, ...], options: dict[str, object]
) -> None:
    connection.send("ready")
    connection.send(work(*args, **options))


def _receive(connection: socket.socket) -> bytes:
    """A whole answer, which may come in parts."""
    found = b""
    while not _is_whole(found):
        part = connection.recv(4096)
        assert part, "the server has closed the connection"
        found += part
    return found


def _is_whole(answer: bytes) -> bool:
    head, end, body = answer.partition(b"\r\n\r\n")
    length = _LENGTH.search(head)
    return bool(end) and len(body) >= int(length[1] if length else 0)


def _milliseconds(seconds: float) -> float:
    return round(1000 * seconds, 1)
