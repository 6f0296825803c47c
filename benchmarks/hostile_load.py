"""Whether a server answers everybody while some send it what is made to hold it up.

    python benchmarks/hostile_load.py --quick
    python benchmarks/hostile_load.py --json hostile.json

Starts `lexalign serve` with the bundled models. Clients translate sentences, one after another each; others
send texts of 200,000 characters and bodies that take long to read (`hostile_texts.py`), to every front, one
after another and as fast as they are answered. All the while a process of its own asks for /health, every
20 ms over one connection, and notes how long each answer takes: first of an idle server, then with the
clients, then with the hostile requests too. How late the same process wakes from its sleep tells what of it
is the machine. In the end the server gets SIGTERM, with hostile requests under way.
"""

import argparse
import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path

from hostile_texts import hostile_requests
from lexalign.storage import write_text
from load_clients import Load, encode, run_clients
from machine import signature

_SECONDS_PER_PROBE = 0.02
_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
_SENTENCES = [
    "Das Haus am Ende der Straße ist sehr groß.",
    "Gestern hat es den ganzen Tag geregnet.",
    "Zwei Kinder spielen mit einem Hund im Park.",
    "Die Regierung will das Gesetz noch in diesem Jahr ändern.",
    "Ein Mann in einem blauen Hemd steht auf einer Leiter und putzt ein Fenster.",
]


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


def main() -> None:
    arguments = parse_arguments()
    long = 8.0 if arguments.quick else arguments.seconds
    with server(arguments.workers) as (host, port, process):
        warm = asyncio.run(run_clients(host, port, process.pid, requests(host, port), 4, 2.0))
        assert not warm.failures
        idle = watched("idle", host, port, 3.0)
        with background(watch, "clients", host, port, long) as normal:
            plain = asyncio.run(
                run_clients(host, port, process.pid, requests(host, port), arguments.clients, long)
            )
        with (
            background(attack, host, port, long, arguments.hostile) as statuses,
            background(watch, "clients and hostile requests", host, port, long) as hostile,
        ):
            pressed = asyncio.run(
                run_clients(host, port, process.pid, requests(host, port), arguments.clients, long)
            )
        stopping = seconds_to_stop(host, port, process, arguments.hostile)
    report = {
        **signature("cpu", workers=arguments.workers, cores=len(os.sched_getaffinity(0)), seconds=long),
        "health": [health.summary() for health in (idle, normal[0], hostile[0])],
        "hostile_statuses": statuses[0],
        "clients": [plain.summary(), pressed.summary()],
        "seconds_to_stop": round(stopping, 2),
    }
    show(report, plain, pressed)
    if arguments.json:
        write_text(arguments.json, json.dumps(report, indent=2) + "\n")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--hostile", type=int, default=8, help="clients that send hostile requests")
    parser.add_argument("--seconds", type=float, default=60.0, help="with clients, and with both")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--quick", action="store_true", help="under a minute, to see that it works")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args()


def requests(host: str, port: int) -> list[bytes]:
    bodies = [{"text": text, "source_language": "de", "target_language": "en"} for text in _SENTENCES]
    return [encode(host, port, "/v1/translate", json.dumps(body).encode()) for body in bodies]


@contextlib.contextmanager
def server(workers: int) -> Iterator[tuple[str, int, "subprocess.Popen[str]"]]:
    with tempfile.TemporaryDirectory() as data:
        command = [sys.executable, "-m", "lexalign", "serve", "--port", "0", "--data", data]
        command += ["--device", "cpu", "--workers", str(workers)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        address = re.search(r"http://([\d.]+):(\d+)", process.stderr.readline())
        try:
            if address is None:
                raise SystemExit("the server did not start")
            wait_for(address[1], int(address[2]))
            yield address[1], int(address[2]), process
        finally:
            process.kill()
            process.wait()


def wait_for(host: str, port: int) -> None:
    for _ in range(600):
        with contextlib.suppress(OSError), socket.create_connection((host, port)):
            return
        time.sleep(0.1)
    raise SystemExit("the server does not answer")


@contextlib.contextmanager
def background(work: object, *args: object) -> Iterator[list]:  # type: ignore[type-arg]
    """Another process does it meanwhile; its result is in the list afterwards."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_pass_on, args=(theirs, work, *args), daemon=True)
    process.start()
    theirs.close()  # so that the end of the process ends the pipe
    found: list[object] = []
    ours.recv()  # it is ready
    yield found
    found.append(ours.recv())
    process.join()


def _pass_on(connection, work, *args) -> None:  # type: ignore[no-untyped-def]
    connection.send("ready")
    connection.send(work(*args))


def watched(name: str, host: str, port: int, seconds: float) -> Health:
    with background(watch, name, host, port, seconds) as found:
        pass
    health: Health = found[0]
    return health


def watch(name: str, host: str, port: int, seconds: float) -> Health:
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


def attack(host: str, port: int, seconds: float, clients: int) -> dict[str, int]:
    statuses: Counter[str] = Counter()
    following = cycle([request.encode(host, port) for request in hostile_requests()])

    async def all_of_them() -> None:
        until = time.perf_counter() + seconds
        await asyncio.gather(*(_attack(host, port, following, until, statuses) for _ in range(clients)))

    asyncio.run(all_of_them())
    return dict(statuses)


async def _attack(
    host: str, port: int, following: Iterator[bytes], until: float, statuses: Counter[str]
) -> None:
    """A connection for each; one that is not answered in time is closed."""
    while (left := until - time.perf_counter()) > 0:
        try:
            async with asyncio.timeout(min(left, 10.0)):
                statuses[await _send(host, port, next(following))] += 1
        except TimeoutError:
            statuses["left"] += 1
        except (OSError, asyncio.IncompleteReadError):
            statuses["lost"] += 1


async def _send(host: str, port: int, request: bytes) -> str:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(head)
        await reader.readexactly(int(length[1]) if length else 1)  # of a stream, the first event
        return head[9:12].decode()
    finally:
        writer.close()


def seconds_to_stop(host: str, port: int, process: "subprocess.Popen[str]", clients: int) -> float:
    with background(attack, host, port, 5.0, clients):
        time.sleep(2.0)
        started = time.perf_counter()
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=120)
        return time.perf_counter() - started


def show(report: dict[str, object], plain: Load, pressed: Load) -> None:
    healths: Sequence[dict[str, object]] = report["health"]  # type: ignore[assignment]
    print("| /health, with | answers | median | 99 % | most | over 100 ms | latest wake |")
    print("|---|---|---|---|---|---|---|")
    for health in healths:
        print(
            f"| {health['name']} | {health['answers']} | {health['p50_ms']} ms | {health['p99_ms']} ms | "
            f"{health['most_ms']} ms | {health['over_100_ms']} | {health['latest_wake_ms']} ms |"
        )
    for name, load in (("clients", plain), ("clients and hostile requests", pressed)):
        print(f"{name}: {load.rate:.1f} sentences/s, p95 {load.percentile(0.95)} ms, {dict(load.statuses)}")
    print(f"hostile: {report['hostile_statuses']}; stopped in {report['seconds_to_stop']} s")


def _milliseconds(seconds: float) -> float:
    return round(1000 * seconds, 1)


if __name__ == "__main__":
    main()
