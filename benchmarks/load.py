"""A server under steady load, undisturbed and disturbed: rate, latencies, memory, and whether it answers all.

    python benchmarks/load.py --quick
    python benchmarks/load.py --input news.de captions.de --json load.json
    python benchmarks/load.py --table load.json

With each number of clients, for `--seconds` each: every client sends one sentence after another, every third
with a term of its own, while one more has documents of 40 paragraphs translated. Then the same once more
while 500 connections are held that never send a whole request, and a worker is killed every 20 seconds. All
the while /ready is asked, and held against the workers that there are. `--table` prints the tables of
docs/guides/serving.md.
"""

import argparse
import asyncio
import json
import os
import threading
import time
from contextlib import ExitStack
from pathlib import Path

from harness.machine import signature
from harness.options import make_parser, write_json
from harness.serving.disturbances import hold_slow_connections, kill_workers, workers_of
from harness.serving.document_client import translate_documents
from harness.serving.health import background
from harness.serving.load_clients import Load, encode, run_clients
from harness.serving.load_tables import table
from harness.serving.server import Server, running_server
from lexalign.bundled import find_model
from serving import Asked, draw, offline_rates

_PARAGRAPHS = 40
_SLOW_CONNECTIONS = 500


def main() -> None:
    arguments = parse()
    if arguments.table is not None:
        print(table(json.loads(arguments.table.read_text(encoding="utf-8"))))
        return
    asked = draw(arguments.input, 16 if arguments.quick else arguments.sentences)
    offline = offline_rates(arguments, asked)
    runs = []
    options = ["--model", f"{arguments.languages}={arguments.model}", "--workers", str(arguments.workers)]
    for disturbed in (False, True):
        with running_server(*options) as server:
            drain(server)
            for clients in arguments.clients:
                runs.append(run(arguments, server, asked, clients, disturbed))
                print(json.dumps(runs[-1], ensure_ascii=False), flush=True)
    report = {
        **signature(
            "cpu",
            model=arguments.model.name,
            input=[path.name for path in arguments.input],
            beam=arguments.beam,
            workers=arguments.workers,
            cores=len(os.sched_getaffinity(0)),
            seconds=arguments.seconds,
        ),
        "offline": {one.name: round(one.rate, 2) for one in offline},
        "runs": runs,
    }
    write_json(arguments.json, report)
    print(table(report))
    if any(one["failures"] for one in runs):
        raise SystemExit("some requests failed")


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="few sentences, 1 and 8 clients, six seconds of each")
    parser.add_argument(
        "--model", type=Path, default=find_model("de", "en"), help="by default the bundled one"
    )
    parser.add_argument("--input", type=Path, nargs="+", default=[], help="sentences, one on each line")
    parser.add_argument("--languages", default="de-en")
    parser.add_argument("--sentences", type=int, default=200, help="of each input")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 64, 256])
    parser.add_argument("--seconds", type=float, default=300.0, help="with each number of clients")
    parser.add_argument("--kill-every", type=float, default=20.0, help="seconds")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--offline-seconds", type=float, default=50.0, help="for each way")
    parser.add_argument("--no-offline", action="store_true", help="leave out the offline rate")
    parser.add_argument("--table", type=Path, metavar="FILE", help="only print the table of these results")
    parser.set_defaults(float32=False)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.clients, arguments.seconds, arguments.kill_every = [1, 8], 6.0, 3.0
    elif not arguments.input and arguments.table is None:
        parser.error("give --input FILE, or --quick")
    return arguments


def drain(server: Server) -> None:
    """Read the server's log, lest it waits for somebody to do so."""
    assert server.process.stderr is not None
    threading.Thread(target=server.process.stderr.read, daemon=True).start()


def run(
    arguments: argparse.Namespace, server: Server, asked: list[Asked], clients: int, disturbed: bool
) -> dict[str, object]:
    host, port, seconds = server.host, server.port, arguments.seconds
    requests = [
        encode(host, port, "/v1/translate", one.body(arguments.languages, arguments.beam)) for one in asked
    ]
    lines = [one.text for one in asked[:_PARAGRAPHS]]
    memory = Memory(server.pid)
    with ExitStack() as stack:
        documents = stack.enter_context(background(translate_documents, server.url, lines, seconds))
        every = arguments.kill_every if disturbed else 0.0
        ready = stack.enter_context(background(kill_workers, host, port, server.pid, every, seconds))
        slow: list[dict[str, int]] = []
        if disturbed:
            slow = stack.enter_context(
                background(hold_slow_connections, host, port, _SLOW_CONNECTIONS, seconds)
            )
        stack.enter_context(memory)
        load = asyncio.run(run_clients(host, port, server.pid, requests, clients, seconds))
    return summary(load, disturbed) | {
        "documents": documents[0],
        "ready": ready[0].summary(),
        "slow_connections": slow[0] if slow else None,
        "memory_mib": memory.summary(),
    }


def summary(load: Load, disturbed: bool) -> dict[str, object]:
    return {
        "clients": load.clients,
        "disturbed": disturbed,
        "seconds": load.seconds,
        "answered": load.answered,
        "statuses": dict(load.statuses),
        "failures": load.failures,
        "sentences_per_second": round(load.rate, 2),
        **{f"p{share}_ms": load.percentile(share / 100) for share in (50, 95, 99)},
    }


class Memory:
    """The memory of a server and its workers together, where what they share counts once."""

    def __init__(self, server: int) -> None:
        self._server, self._over = server, threading.Event()
        self._sizes: list[int] = []
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Memory":
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        self._thread.join()

    def summary(self) -> dict[str, int]:
        return {"least": min(self._sizes), "most": max(self._sizes), "last": self._sizes[-1]}

    def _watch(self) -> None:
        while True:
            self._sizes.append(sum(map(_own_mib, [self._server, *workers_of(self._server)])))
            if self._over.wait(2.0):
                return


def _own_mib(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) >> 10 for line in lines if line.startswith("Pss:")), 0)


if __name__ == "__main__":
    started = time.monotonic()
    main()
    print(f"{time.monotonic() - started:.0f} s in all")
