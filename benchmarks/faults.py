"""What becomes of acknowledged writes when processes are killed, the disk is full, or PostgreSQL is gone.

    python benchmarks/faults.py --quick
    python benchmarks/faults.py --json faults.json

kill -9     A process writes glossaries, changes, jobs and documents from four threads, and is killed; the
            next goes on in the same database. Then everything acknowledged must be there, and whole.
crash       PostgreSQL itself is ended at once, and started again, under such writes.
editing     Two servers add entries to one glossary, 64 requests at a time; all must be there, for both.
disk full   A server whose data folder is full: writes are refused clearly, translating goes on, and once
            there is room, writing too. It needs to be root, for a small file system of its own.
outage      PostgreSQL is gone for 30 seconds under requests to a server: nothing may hang, or be lost.
"""

import argparse
import random
import subprocess
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx

from harness.machine import signature
from harness.options import make_parser, write_json
from harness.serving.postgresql import PostgreSQL
from harness.serving.server import Server, running_server
from harness.serving.writers import flush_output, glossary_of, killed_round, missing_or_broken
from lexalign.glossary import Glossary
from lexalign.server.http.logs import configure_logging
from lexalign.server.storage.database import Database
from lexalign.server.storage.errors import StorageError
from lexalign.server.storage.glossaries import GlossaryStore

TEXT = {"text": "Das Haus ist groß.", "source_language": "de", "target_language": "en"}
Report = dict[str, object]


def main() -> None:
    arguments = parse()
    configure_logging("text")
    report: dict[str, Report] = {}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cluster_folder:
        cluster = PostgreSQL(Path(cluster_folder), durable=True)
        try:
            places: dict[str, str | Path] = {
                "SQLite": Path(folder) / "server.sqlite",
                "PostgreSQL": cluster.new_database(),
            }
            for name, location in places.items():
                note(report, f"kill -9, {name}", kills(location, arguments.rounds))
            note(report, "crash of PostgreSQL", crashes(cluster, arguments.crashes))
            for name, database in (("SQLite", None), ("PostgreSQL", cluster.new_database())):
                note(report, f"editing, {name}", editing(database, arguments.changes))
            note(report, "disk full", disk_full(Path(folder) / "small"))
            note(report, "outage of PostgreSQL", outage(cluster, arguments.outage))
        finally:
            cluster.stop()
    write_json(arguments.json, {**signature("cpu", quick=arguments.quick), "faults": report})


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="few rounds of each")
    parser.add_argument("--rounds", type=int, default=100, help="of kill -9")
    parser.add_argument("--crashes", type=int, default=20, help="of PostgreSQL")
    parser.add_argument("--changes", type=int, default=1_000, help="of one glossary by two servers")
    parser.add_argument("--outage", type=float, default=30.0, help="seconds without PostgreSQL")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rounds, arguments.crashes, arguments.changes, arguments.outage = 3, 2, 50, 4.0
    return arguments


def note(report: dict[str, Report], name: str, found: Report) -> None:
    report[name] = found
    print(f"{name}: {', '.join(f'{key} {value}' for key, value in found.items())}", flush=True)


def kills(location: str | Path, rounds: int) -> Report:
    database = Database(location)
    shared = GlossaryStore(database).add("shared", Glossary()).id
    database.close()  # before processes are forked
    choose, acknowledged = random.Random(1), list[str]()
    for _ in range(rounds):
        flush_output()
        acknowledged += killed_round(location, shared, choose)
    return {
        "rounds": rounds,
        "acknowledged": len(acknowledged),
        **missing_or_broken(location, shared, acknowledged),
    }


def crashes(cluster: PostgreSQL, rounds: int) -> Report:
    location = cluster.new_database()
    store = GlossaryStore(Database(location, lock_seconds=1.0))
    acknowledged, refused = list[str](), 0
    for number in range(rounds):
        with ThreadPoolExecutor(4) as pool:
            until = time.monotonic() + 1.0
            writing = [pool.submit(write_for, store, f"{number}-{one}", until) for one in range(4)]
            time.sleep(0.4)
            cluster.stop()
            cluster.start()
            for one in writing:
                names, errors = one.result()
                acknowledged, refused = acknowledged + names, refused + errors
    there = {info.name: info for info in store.list()}
    broken = sum(
        len(store.get(there[name].id)) != len(glossary_of("x")) for name in acknowledged if name in there
    )
    return {
        "rounds": rounds,
        "acknowledged": len(acknowledged),
        "refused": refused,
        "missing": len(set(acknowledged) - set(there)),
        "broken": broken,
    }


def write_for(store: GlossaryStore, name: str, until: float) -> tuple[list[str], int]:
    names, refused = list[str](), 0
    while time.monotonic() < until:
        written = f"{name}-{len(names)}-{refused}"
        try:
            store.add(written, glossary_of(written))
            names.append(written)
        except StorageError:
            refused += 1
            time.sleep(0.05)
    return names, refused


def editing(database: str | None, changes: int) -> Report:
    with tempfile.TemporaryDirectory() as data, ExitStack() as stack:
        more = [] if database is None else ["--database", database]
        urls = [stack.enter_context(running_server("--workers", "1", *more, data=data)).url for _ in range(2)]
        made = httpx.post(
            f"{urls[0]}/v3/glossaries", json={"name": "x", "dictionaries": [dictionary("Haus")]}
        ).raise_for_status()
        path = f"/v3/glossaries/{made.json()['glossary_id']}"
        started = time.perf_counter()
        with ThreadPoolExecutor(64) as pool:
            answers = Counter(
                pool.map(lambda number: add_entry(urls[number % 2] + path, number), range(changes))
            )
        seconds = time.perf_counter() - started
        seen = [httpx.get(url + path).json()["dictionaries"][0]["entry_count"] for url in urls]
    return {
        "changes": changes,
        "answers": dict(answers),
        "entries seen by each": seen,
        "missing": 1 + answers[200] - min(seen),
        "seconds": round(seconds, 1),
    }


def dictionary(word: str) -> dict[str, str]:
    return {"source_lang": "de", "target_lang": "en", "entries": f"{word}\tx", "entries_format": "tsv"}


def add_entry(url: str, number: int) -> int:
    body = {"dictionaries": [dictionary(f"Wort{number}")]}
    return httpx.patch(url, json=body, timeout=60).status_code


def disk_full(folder: Path) -> Report:
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], capture_output=True
    )
    if mounted.returncode:
        return {"skipped": "a file system of its own cannot be mounted here"}
    try:
        with running_server("--workers", "1", data=str(folder)) as server:
            return fill(server, folder)
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(server: Server, folder: Path) -> Report:
    body = {"name": "x", "terms": [{"source": f"Wort {n}", "targets": ["x" * 100]} for n in range(500)]}
    with httpx.Client(base_url=server.url, timeout=60) as client:
        kept, answers = list[str](), Counter[str]()
        while not answers["507"] + answers["503"]:
            found = client.post("/v1/glossaries", json=body)
            answers[str(found.status_code)] += 1
            kept += [found.json()["id"]] if found.status_code == 201 else []
        message = found.json()["message"]
        translated = client.post("/v1/translate", json=TEXT).status_code
        subprocess.run(["mount", "-o", "remount,size=30m", str(folder)], check=True)
        after = client.post("/v1/glossaries", json=body).status_code
        whole = [len(client.get(f"/v1/glossaries/{one}").json()["entries"]) == 500 for one in kept]
    return {
        "answers": dict(answers),
        "message": repr(message),
        "translating meanwhile": translated,
        "writing with room again": after,
        "missing": whole.count(False),
    }


def outage(cluster: PostgreSQL, seconds: float) -> Report:
    more = ["--workers", "1", "--database", cluster.new_database()]
    with running_server(*more) as server, httpx.Client(base_url=server.url, timeout=60) as client:
        body = {"name": "x", "terms": [{"source": "Haus", "targets": ["mansion"]}]}
        kept = [client.post("/v1/glossaries", json=body).json()["id"] for _ in range(5)]
        cluster.stop()
        writes, translations, slowest = Counter[int](), Counter[int](), 0.0
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            started = time.monotonic()
            writes[client.post("/v1/glossaries", json=body).status_code] += 1
            slowest = max(slowest, time.monotonic() - started)
            translations[client.post("/v1/translate", json=TEXT).status_code] += 1
            ready = client.get("/ready").json()
            time.sleep(0.2)
        cluster.start()
        back = time.monotonic()
        while client.post("/v1/glossaries", json=body).status_code != 201:
            time.sleep(0.05)
        recovered = time.monotonic() - back
        there = {one["id"] for one in client.get("/v1/glossaries").json()}
    return {
        "seconds": seconds,
        "writes": dict(writes),
        "slowest answer (s)": round(slowest, 2),
        "translations": dict(translations),
        "/ready": f"{ready['status']}, database {ready['database']}",
        "writing again after (s)": round(recovered, 2),
        "missing": len(set(kept) - there),
    }


if __name__ == "__main__":
    main()
