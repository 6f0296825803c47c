"""Concurrent changes of glossaries, in several processes: no change is lost, and reads never wait."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import httpx
import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary
from lexalign.server import running
from lexalign.server.storage.database import Database
from lexalign.server.storage.errors import StorageBusyError
from lexalign.server.storage.glossaries import ChangedGlossaryError, GlossaryStore, UnknownGlossaryError
from tests.server.small_server import LiveServer, live_server

PER_PROCESS, THREADS = 50, 8
CHANGER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from lexalign.glossary import Entry, Glossary
from lexalign.server.storage.database import Database
from lexalign.server.storage.glossaries import GlossaryStore

path, identifier, name, number, threads = sys.argv[1:]
store = GlossaryStore(Database(path, lock_seconds=60))
def add(place):
    entry = Entry(source=f"{name} {place}", targets=("x",))
    store.change(identifier, lambda before: Glossary((*before.entries, entry)))
print("ready", flush=True)
sys.stdin.readline()
with ThreadPoolExecutor(int(threads)) as pool:
    list(pool.map(add, range(int(number))))
"""
HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("begin exclusive")
print("held", flush=True)
sys.stdin.readline()
connection.execute("rollback")
"""
FORMAT_1 = """
create table glossaries (id text primary key, name text not null, created text not null) strict;
create table entries (
    glossary_id text not null references glossaries on delete cascade, position integer not null,
    source_language text, target_language text, source text not null, targets text not null,
    policy text not null, case_rule text not null, note text not null, primary key (glossary_id, position)
) strict;
create table keys (name text primary key, digest blob not null, created text not null) strict;
insert into glossaries values ('old', 'Old', '2025');
insert into entries values ('old', 0, 'de', 'en', 'Haus', '["house"]', 'must', 'match-source', '');
pragma user_version = 1;
"""


def one(source: str) -> Glossary:
    return Glossary((Entry(source=source, targets=("x",)),))


@contextmanager
def script(code: str, *arguments: object) -> Iterator["subprocess.Popen[str]"]:
    """Another process, which has reported that it is ready, and continues when it gets a line."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait()


def test_changes_of_two_processes_are_all_there(location: str | Path) -> None:
    store = GlossaryStore(Database(location))
    made = store.add("shared", one("first"))
    with (
        script(CHANGER, location, made.id, "a", PER_PROCESS, THREADS) as first,
        script(CHANGER, location, made.id, "b", PER_PROCESS, THREADS) as second,
    ):
        for process in (first, second):
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in (first, second):
            process.wait(timeout=120)
            assert process.returncode == 0
    found = [entry.source for entry in store.get(made.id)]
    assert len(found) == 1 + 2 * PER_PROCESS
    assert set(found) == {"first", *(f"{name} {place}" for name in "ab" for place in range(PER_PROCESS))}
    assert store.info(made.id).version == 1 + 2 * PER_PROCESS


def test_changes_by_deepls_api_are_all_there(client: httpx.Client) -> None:
    def dictionary(word: str) -> dict[str, str]:
        return {"source_lang": "de", "target_lang": "en", "entries": f"{word}\tx", "entries_format": "tsv"}

    made = client.post("/v3/glossaries", json={"name": "x", "dictionaries": [dictionary("first")]}).json()
    path = f"/v3/glossaries/{made['glossary_id']}"

    def add(number: int) -> int:
        return client.patch(path, json={"dictionaries": [dictionary(f"word {number}")]}).status_code

    with ThreadPoolExecutor(30) as pool:
        assert set(pool.map(add, range(30))) == {200}
    (found,) = client.get(path).json()["dictionaries"]
    assert found["entry_count"] == 31


def test_what_another_process_changed_is_seen(location: str | Path) -> None:
    here, there = (GlossaryStore(Database(location)) for _ in range(2))
    made = here.add("shared", one("before"))
    assert here.get(made.id) == there.get(made.id) == one("before")
    there.change(made.id, lambda _before: one("after"))
    assert here.get(made.id) == one("after")
    there.delete(made.id)
    for use in (here.get, here.info, here.read, here.change, here.delete):
        with pytest.raises(UnknownGlossaryError):
            use(made.id)


def test_nothing_is_changed_where_a_change_fails_or_is_late(database: Database) -> None:
    store = GlossaryStore(database)
    made = store.add("x", one("before"))

    def fail(_before: Glossary) -> Glossary:
        raise LexalignError("no")

    with pytest.raises(LexalignError):
        store.change(made.id, fail, name="y")
    assert store.info(made.id) == made
    changed = store.replace(made.id, glossary=one("after"), version=made.version)
    for act in (partial(store.replace, glossary=one("late")), store.delete):
        with pytest.raises(ChangedGlossaryError, match="version 2"):
            act(made.id, version=made.version)
    assert store.read(made.id) == (changed, one("after"))


@pytest.mark.parametrize(
    ("before", "after"),
    [("abc", "abcd"), ("abc", "axc"), ("abcd", "ab"), ("abc", "cab"), ("a", ""), ("ab", "ab")],
)
def test_only_differences_are_written_and_all_of_them(location: str | Path, before: str, after: str) -> None:
    entries = {name: Entry(source=name, targets=("x",)) for name in before + after}
    store = GlossaryStore(Database(location))
    made = store.add("x", Glossary(tuple(entries[name] for name in before)))
    store.replace(made.id, glossary=Glossary(tuple(entries[name] for name in after)))
    again = GlossaryStore(Database(location))
    assert "".join(entry.source for entry in again.get(made.id)) == after
    assert sum(again.info(made.id).sizes.values()) == len(after)


def test_a_file_of_the_first_format(tmp_path: Path) -> None:
    path = tmp_path / "db"
    with sqlite3.connect(path) as connection:
        connection.executescript(FORMAT_1)
    store = GlossaryStore(Database(path))
    (info,) = store.list()
    assert (info.id, info.version, info.sizes) == ("old", 1, {("de", "en"): 1})
    assert store.change("old", lambda before: before + one("new")).version == 2
    assert GlossaryStore(Database(path)).info("old").version == 2


def test_a_file_of_a_later_format(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "db") as connection:
        connection.execute("pragma user_version = 99")
    with pytest.raises(LexalignError, match="database format 99"):
        Database(tmp_path / "db")


def test_reads_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "db"
    store = GlossaryStore(Database(path, lock_seconds=0.05))
    made = store.add("x", one("a"))
    with script(HOLDER, path):
        fresh = GlossaryStore(Database(path, lock_seconds=0.05))  # a server can be started, too
        assert fresh.get(made.id) == store.get(made.id) == one("a")
        assert fresh.list() == store.list() == [made]
        for act in (partial(store.add, "y", one("b")), partial(store.change, made.id, name="z")):
            with pytest.raises(StorageBusyError, match="locked by another process"):
                act()
    assert store.change(made.id, name="z").name == "z"


@pytest.fixture
def impatient(server: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveServer]:
    """A server that waits for its database for a moment only."""
    monkeypatch.setattr(running, "Database", partial(Database, lock_seconds=0.05))
    with live_server(replace(server.options, data=tmp_path, models=server.options.models[:1])) as live:
        yield live


def test_a_locked_database(impatient: LiveServer) -> None:
    client, body = impatient.client, {"name": "x", "terms": [{"source": "Hund", "targets": ["Haus"]}]}
    identifier = client.post("/v1/glossaries", json=body).json()["id"]
    with script(HOLDER, impatient.options.data / running.DATABASE):
        asked = {"text": "der Hund", "glossary_id": identifier}
        assert client.post("/v1/translate", json=asked).status_code == 200
        assert client.get(f"/v1/glossaries/{identifier}").status_code == 200
        for refused in (
            client.post("/v1/glossaries", json=body),
            client.put(f"/v1/glossaries/{identifier}", json=body),
            client.patch(f"/v3/glossaries/{identifier}", json={"name": "y"}),
            client.delete(f"/v2/glossaries/{identifier}"),
        ):
            assert refused.status_code == 503
            assert int(refused.headers["retry-after"]) >= 1
            assert "locked" in refused.json()["message"]
    assert client.put(f"/v1/glossaries/{identifier}", json=body).status_code == 200


def test_versions_over_http(client: httpx.Client) -> None:
    body = {"name": "x", "terms": [{"source": "Hund", "targets": ["Haus"]}]}
    made = client.post("/v1/glossaries", json=body)
    path = f"/v1/glossaries/{made.json()['id']}"
    assert made.json()["version"] == 1
    assert made.headers["etag"] == client.get(path).headers["etag"] == '"1"'
    changed = client.put(path, json=body, headers={"If-Match": made.headers["etag"]})
    assert (changed.status_code, changed.json()["version"], changed.headers["etag"]) == (200, 2, '"2"')
    for expected, status in (('"1"', 412), ("x", 400)):
        headers = {"If-Match": expected}
        assert client.put(path, headers=headers, json=body).status_code == status
        assert client.delete(path, headers=headers).status_code == status
    assert client.delete(path, headers={"If-Match": '"2"'}).status_code == 204
