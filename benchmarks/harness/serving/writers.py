"""Processes that write to a server's database and are killed, and what must be there afterwards."""

import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from lexalign.glossary import Entry, Glossary
from lexalign.server.storage.blobs import BlobStore
from lexalign.server.storage.database import Database
from lexalign.server.storage.glossaries import GlossaryStore
from lexalign.server.storage.jobs import JobStore

_TERMS = 300
_THREADS = 4


def glossary_of(text: str) -> Glossary:
    """Every term carries the same text, so that half a glossary can be told."""
    return Glossary(tuple(Entry(source=f"term {place}", targets=(text,)) for place in range(_TERMS)))


def write_until_killed(location: str | Path, shared: str, acknowledge: Callable[[str], None]) -> None:
    """Glossaries, changes of a shared one, jobs and documents, from several threads."""
    database = Database(location)
    glossaries, jobs, blobs = GlossaryStore(database), JobStore(database), BlobStore(database)

    def work(thread: int) -> None:
        for number in range(1_000_000):
            name = f"{os.getpid()}-{thread}-{number}"
            acknowledge(f"glossary {glossaries.add(name, glossary_of(name)).id}")
            entry = Entry(source=name, targets=("x",))
            change = _adding(entry)
            glossaries.change(shared, change)
            acknowledge(f"change {name}")
            acknowledge(f"job {jobs.add('check', {'name': name}).id}")
            acknowledge(f"blob {blobs.put(name.encode() * 200, kind='x', name=name).id}")

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(_THREADS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def _adding(entry: Entry) -> Callable[[Glossary], Glossary]:
    return lambda before: Glossary((*before.entries, entry))


def killed_round(location: str | Path, shared: str, choose: random.Random) -> list[str]:
    """What a process had acknowledged when it was killed, at a moment that nobody chose."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        try:
            write_until_killed(location, shared, lambda line: _send(writing, line))
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as acknowledged:
        first = acknowledged.readline()
        time.sleep(choose.uniform(0.0, 0.15))
        os.kill(process, signal.SIGKILL)
        lines = [first, *acknowledged]
    os.waitpid(process, 0)
    return [line.strip() for line in lines if line.endswith("\n")]


def _send(descriptor: int, line: str) -> None:
    os.write(descriptor, f"{line}\n".encode())


def missing_or_broken(location: str | Path, shared: str, acknowledged: list[str]) -> dict[str, int]:
    """Of what was acknowledged, how much is not there; and how many glossaries are not whole."""
    database = Database(location)
    glossaries = GlossaryStore(database)
    there = {f"glossary {info.id}" for info in glossaries.list()}
    there |= {f"change {entry.source}" for entry in glossaries.get(shared)}
    there |= {f"job {job.id}" for job in JobStore(database).list()}
    there |= {f"blob {info.id}" for info in BlobStore(database).list()}
    broken = 0
    for info in glossaries.list():
        if info.id != shared:
            entries = glossaries.get(info.id).entries
            broken += len(entries) != _TERMS or {entry.targets for entry in entries} != {(info.name,)}
    database.close()
    return {"missing": len(set(acknowledged) - there), "broken": broken}


def flush_output() -> None:
    """Before a fork: what is in the buffer would be printed twice."""
    sys.stdout.flush()
