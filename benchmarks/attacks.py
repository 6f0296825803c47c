"""Two attacks that only show at size: connections that are held, and glossaries that fill the memory.

    python benchmarks/attacks.py --quick
    python benchmarks/attacks.py --json attacks.json

slow        2,000 connections begin a request and never end it, while /health is asked and sentences are
            translated, each over a new connection.
glossaries  Ten glossaries of 50,000 terms are stored, each is used by a request, and all are deleted; the
            memory of the server is looked at before, then, and some seconds later.
"""

import time
from pathlib import Path

import httpx

from harness.machine import signature
from harness.options import make_parser, write_json
from harness.serving.disturbances import hold_slow_connections
from harness.serving.health import background
from harness.serving.server import Server, running_server

TEXT = {"text": "Das Haus ist groß.", "source_language": "de", "target_language": "en"}


def main() -> None:
    parser = make_parser(__doc__, quick="200 connections, two glossaries of 5,000 terms")
    parser.add_argument("--connections", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=30.0, help="for which they are held")
    parser.add_argument("--glossaries", type=int, default=10)
    parser.add_argument("--terms", type=int, default=50_000, help="of each glossary")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.connections, arguments.seconds, arguments.glossaries, arguments.terms = 200, 5.0, 2, 5_000
    with running_server("--workers", "1", "--max-body", "20000000") as server:
        found = {
            "slow": slow_connections(server, arguments.connections, arguments.seconds),
            "glossaries": many_glossaries(server, arguments.glossaries, arguments.terms),
        }
    for name, values in found.items():
        print(f"{name}: {', '.join(f'{key} {value}' for key, value in values.items())}")
    write_json(arguments.json, {**signature("cpu", quick=arguments.quick), **found})


def slow_connections(server: Server, number: int, seconds: float) -> dict[str, object]:
    health, translated = list[float](), list[float]()
    until = time.monotonic() + seconds
    with background(hold_slow_connections, server.host, server.port, number, seconds) as held:
        while time.monotonic() < until:
            health.append(_timed("GET", f"{server.url}/health"))
            translated.append(_timed("POST", f"{server.url}/v1/translate"))
            time.sleep(0.02)
    return {
        **held[0],
        "answers": len(health) + len(translated),
        "slowest /health (ms)": round(1000 * max(health)),
        "slowest translation (ms)": round(1000 * max(translated)),
    }


def _timed(method: str, url: str) -> float:
    """Over a connection of its own, which must be let in."""
    started = time.monotonic()
    httpx.request(method, url, json=TEXT if method == "POST" else None, timeout=60).raise_for_status()
    return time.monotonic() - started


def many_glossaries(server: Server, number: int, num_terms: int) -> dict[str, object]:
    before = _resident_mib(server.pid)
    terms = [{"source": f"Wort{place} Haus", "targets": [f"word{place}"]} for place in range(num_terms)]
    with httpx.Client(base_url=server.url, timeout=120) as client:
        made = [
            client.post("/v1/glossaries", json={"name": str(one), "terms": terms}).raise_for_status().json()
            for one in range(number)
        ]
        for one in made:
            client.post("/v1/translate", json={**TEXT, "glossary_id": one["id"]}).raise_for_status()
        used = _resident_mib(server.pid)
        for one in made:
            client.delete(f"/v1/glossaries/{one['id']}").raise_for_status()
        time.sleep(15.0)  # it gives memory back when it has no work
    return {
        "glossaries": number,
        "terms of each": num_terms,
        "MiB before": before,
        "MiB with all": used,
        "MiB deleted": _resident_mib(server.pid),
    }


def _resident_mib(process: int) -> int:
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmRSS"))


if __name__ == "__main__":
    main()
