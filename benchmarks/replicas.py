"""Two replicas of Ray Serve with one database, of which one is killed under load.

    python benchmarks/replicas.py --quick
    python benchmarks/replicas.py --json replicas.json

Clients translate, one sentence after another; a request that fails is sent once more, as clients do. A
glossary that one replica stores must be seen by all requests from then on.
"""

import argparse
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from socket import create_server

import httpx

from harness.machine import signature
from harness.options import make_parser, write_json

TEXT = {"text": "Das Haus ist groß.", "source_language": "de", "target_language": "en"}


@dataclass
class Load:
    first: Counter[str] = field(default_factory=Counter)  # statuses of first tries
    again: Counter[str] = field(default_factory=Counter)  # of those that were sent once more


def main() -> None:
    arguments = parse()
    with tempfile.TemporaryDirectory() as data:
        os.environ.update(LEXALIGN_DATA=data, LEXALIGN_DEVICE="cpu", LEXALIGN_WORKERS="1")
        os.environ.update(RAY_USAGE_STATS_ENABLED="0")
        report = measure(arguments)
    print(", ".join(f"{name}: {value}" for name, value in report.items()))
    write_json(arguments.json, {**signature("cpu", quick=arguments.quick), **report})


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="ten seconds")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60.0, help="a third of it before the kill")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.seconds = 10.0
    return arguments


def measure(arguments: argparse.Namespace) -> dict[str, object]:
    import ray
    from ray import serve

    from lexalign.server.replicas import make_deployment

    with closing(create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, object_store_memory=100_000_000)
    try:
        serve.start(http_options={"host": "127.0.0.1", "port": port})
        serve.run(make_deployment(2, 2), name="lexalign", route_prefix="/")
        return load(f"http://127.0.0.1:{port}", arguments)
    finally:
        serve.shutdown()
        ray.shutdown()


def load(url: str, arguments: argparse.Namespace) -> dict[str, object]:
    found, over = Load(), threading.Event()
    asking = [threading.Thread(target=ask, args=(url, found, over)) for _ in range(arguments.clients)]
    seen = glossaries_seen(url)
    for one in asking:
        one.start()
    time.sleep(arguments.seconds / 3)
    victim = replicas()[0]
    os.kill(victim, signal.SIGKILL)
    time.sleep(arguments.seconds * 2 / 3)
    over.set()
    for one in asking:
        one.join()
    return {
        "replicas": 2,
        "clients": arguments.clients,
        "first tries": dict(found.first),
        "second tries": dict(found.again),
        "glossaries seen": seen,
        "replicas afterwards": len(replicas()),
    }


def ask(url: str, found: Load, over: threading.Event) -> None:
    with httpx.Client(base_url=url, timeout=60) as client:
        while not over.is_set():
            status = _status(client)
            found.first[status] += 1
            if status != "200":
                found.again[_status(client)] += 1


def _status(client: httpx.Client) -> str:
    try:
        return str(client.post("/v1/translate", json=TEXT).status_code)
    except httpx.HTTPError as error:
        return type(error).__name__


def glossaries_seen(url: str) -> list[int]:
    """How many glossaries 20 requests see, whichever replica answers."""
    for name in "abc":
        body = {"name": name, "terms": [{"source": "Haus", "targets": ["mansion"]}]}
        httpx.post(f"{url}/v1/glossaries", json=body, timeout=60).raise_for_status()
    return sorted({len(httpx.get(f"{url}/v1/glossaries", timeout=60).json()) for _ in range(20)})


def replicas() -> list[int]:
    """The processes of the replicas, which are children of this one's."""
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    own = [line.split(maxsplit=1) for line in listed.splitlines() if "ray::ServeReplica:lexalign" in line]
    return sorted(int(process) for process, _ in own)


if __name__ == "__main__":
    main()
