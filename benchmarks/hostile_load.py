"""Whether a server answers everybody while some send it what is made to hold it up.

    python benchmarks/hostile_load.py --quick
    python benchmarks/hostile_load.py --json hostile.json

Starts `lexalign serve` with the bundled models. Clients translate sentences, one after another each; others
send texts of 200,000 characters and bodies that take long to read (`harness/serving/hostile_requests.py`), to
every front, one after another and as fast as they are answered. All the while a process of its own asks for
/health, every 20 ms over one connection, and notes how long each answer takes: first of an idle server, then
with the clients, then with the hostile requests too. How late the same process wakes from its sleep tells
what of it is the machine. In the end the server gets SIGTERM, with hostile requests under way.
"""

import argparse
import asyncio
import json
import os
import signal
import time
from collections.abc import Sequence

from harness.machine import signature
from harness.options import make_parser, write_json
from harness.serving.health import Health, background, watch_health
from harness.serving.hostile_requests import attack
from harness.serving.load_clients import Load, encode, run_clients
from harness.serving.server import Server, running_server

_SENTENCES = [
    "Das Haus am Ende der Straße ist sehr groß.",
    "Gestern hat es den ganzen Tag geregnet.",
    "Zwei Kinder spielen mit einem Hund im Park.",
    "Die Regierung will das Gesetz noch in diesem Jahr ändern.",
    "Ein Mann in einem blauen Hemd steht auf einer Leiter und putzt ein Fenster.",
]


def main() -> None:
    arguments = parse_arguments()
    long = 8.0 if arguments.quick else arguments.seconds
    with running_server("--workers", str(arguments.workers)) as server:
        assert not load(server, 4, 2.0).failures  # to warm up
        address = server.host, server.port
        with background(watch_health, "idle", *address, 3.0) as idle:
            pass
        with background(watch_health, "clients", *address, long) as normal:
            plain = load(server, arguments.clients, long)
        with (
            background(attack, *address, long, arguments.hostile) as statuses,
            background(watch_health, "clients and hostile requests", *address, long) as hostile,
        ):
            pressed = load(server, arguments.clients, long)
        stopping = seconds_to_stop(server, arguments.hostile)
    healths = [idle[0], normal[0], hostile[0]]
    report = {
        **signature("cpu", workers=arguments.workers, cores=len(os.sched_getaffinity(0)), seconds=long),
        "health": [health.summary() for health in healths],
        "hostile_statuses": statuses[0],
        "clients": [plain.summary(), pressed.summary()],
        "seconds_to_stop": round(stopping, 2),
    }
    show(healths, plain, pressed)
    print(f"hostile: {report['hostile_statuses']}; stopped in {report['seconds_to_stop']} s")
    write_json(arguments.json, report)


def parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="eight seconds with clients, and with both")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--hostile", type=int, default=8, help="clients that send hostile requests")
    parser.add_argument("--seconds", type=float, default=60.0, help="with clients, and with both")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    return parser.parse_args()


def load(server: Server, clients: int, seconds: float) -> Load:
    """Let so many clients translate."""
    bodies = [{"text": text, "source_language": "de", "target_language": "en"} for text in _SENTENCES]
    requests = [
        encode(server.host, server.port, "/v1/translate", json.dumps(body).encode()) for body in bodies
    ]
    return asyncio.run(run_clients(server.host, server.port, server.pid, requests, clients, seconds))


def seconds_to_stop(server: Server, clients: int) -> float:
    with background(attack, server.host, server.port, 5.0, clients):
        time.sleep(2.0)
        started = time.perf_counter()
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(timeout=120)
        return time.perf_counter() - started


def show(healths: Sequence[Health], plain: Load, pressed: Load) -> None:
    print("| /health, with | answers | median | 99 % | most | over 100 ms | latest wake |")
    print("|---|---|---|---|---|---|---|")
    for health in (one.summary() for one in healths):
        print(
            f"| {health['name']} | {health['answers']} | {health['p50_ms']} ms | {health['p99_ms']} ms | "
            f"{health['most_ms']} ms | {health['over_100_ms']} | {health['latest_wake_ms']} ms |"
        )
    for name, measured in (("clients", plain), ("clients and hostile requests", pressed)):
        rate, latency = f"{measured.rate:.1f} sentences/s", f"p95 {measured.percentile(0.95)} ms"
        print(f"{name}: {rate}, {latency}, {dict(measured.statuses)}")


if __name__ == "__main__":
    main()
