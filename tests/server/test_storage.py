"""Storage for several servers, in SQLite and in PostgreSQL, each by the same tests."""

import gc
import os
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event

from harness.serving.postgresql import PostgreSQL
from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary, MatchOptions
from lexalign.server.storage import jobs as job_storage
from lexalign.server.storage.blobs import BlobStore, UnknownBlobError
from lexalign.server.storage.database import Database
from lexalign.server.storage.errors import StorageError, StorageFullError, StorageUnavailableError
from lexalign.server.storage.glossaries import GlossaryStore, UnknownGlossaryError
from lexalign.server.storage.glossary_cache import GlossaryCache
from lexalign.server.storage.jobs import JobStore, UnknownJobError
from lexalign.server.storage.keys import KeyStore
from lexalign.server.storage.replies import Reply, ReplyMismatchError, ReplyPendingError, ReplyStore
from lexalign.server.storage.usage import UsageStore
from lexalign.server.translating.matcher_cache import MatcherCache
from tests.server.waiting import wait_until


def terms(number: int, word: str = "term") -> Glossary:
    return Glossary(tuple(Entry(source=f"{word} {place}", targets=("x",)) for place in range(number)))


def test_blobs(location: str | Path) -> None:
    here, there = (BlobStore(Database(location)) for _ in range(2))
    content = bytes(range(256)) * 4_000
    made = here.put(content, kind="source", owner="anna", name="Übersicht.docx", media_type="a/b", seconds=60)
    other = here.put(b"", kind="result")
    assert there.get(made.id) == (made, content)
    assert there.info(made.id) == made
    assert (made.size, made.name) == (len(content), "Übersicht.docx")
    assert there.list() == [made, other]
    assert there.list(owner="anna", kind="source") == [made]
    assert there.list(owner="anna", kind="result") == []
    there.delete(made.id)
    for use in (here.get, here.info, here.delete):
        for identifier in (made.id, "none", "a\0b", "\ud800"):
            with pytest.raises(UnknownBlobError):
                use(identifier)


def test_blobs_expire_and_are_bounded(database: Database) -> None:
    store = BlobStore(database, max_bytes=100)
    gone, kept = store.put(b"x" * 60, kind="a", seconds=-1), store.put(b"x" * 60, kind="a")
    with pytest.raises(UnknownBlobError):
        store.get(gone.id)
    with pytest.raises(StorageFullError, match="no room"):
        store.put(b"x" * 41, kind="a")
    with pytest.raises(StorageFullError, match="no room for more bs"):
        store.put(b"x" * 30, kind="b", kind_bytes=20)
    assert store.purge() == 1
    assert store.list() == [kept]


def test_one_key_leaves_room_for_others(database: Database) -> None:
    store, jobs = BlobStore(database, max_bytes=100), JobStore(database)
    store.put(b"x" * 40, kind="a", owner="anna")
    with pytest.raises(StorageFullError, match="of this key"):
        store.put(b"x" * 20, kind="a", owner="anna")
    store.put(b"x" * 20, kind="b", owner="bert", kind_bytes=20)
    store.put(b"x" * 20, kind="b", owner="cora", kind_bytes=20)
    first = jobs.add("check", {}, owner="bert")
    assert jobs.claim() is not None
    jobs.finish(first.id, result="{}")
    for _ in range(job_storage.MAX_ENDED + 1):
        jobs.cancel(jobs.add("check", {}, owner="anna").id)
    jobs.add("check", {}, owner="anna")
    assert len(jobs.list(owner="anna")) == job_storage.MAX_ENDED + 1
    assert jobs.get(first.id)[1] == {}


def test_ended_jobs_are_forgotten_after_a_week(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    store = JobStore(database)
    ended, waiting = store.add("check", {}), store.add("check", {})
    store.cancel(ended.id)
    assert store.purge() == 0
    monkeypatch.setattr(job_storage, "_KEPT_FOR", timedelta(seconds=-1))
    assert store.purge() == 1
    assert [job.id for job in store.list()] == [waiting.id]


def test_jobs(location: str | Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = (JobStore(Database(location)) for _ in range(2))
    first, second = here.add("check", {"a": 1}, owner="anna"), there.add("extract", {})
    assert here.claim() == (first.id, "check", '{"a": 1}')
    assert there.num_waiting() == 1
    assert here.hold(first.id, done=3, total=10)
    assert not there.hold(first.id)
    assert not there.finish(first.id, result="{}")
    seen = there.get(first.id)[0]
    assert (seen.status, seen.done, seen.total, seen.owner) == ("running", 3, 10, "anna")
    here.requeue()  # it stops in order
    assert there.claim() == (first.id, "check", '{"a": 1}')
    monkeypatch.setattr(job_storage, "HOLD_SECONDS", -1.0)  # as if it had died long ago
    assert there.hold(first.id)
    monkeypatch.undo()
    assert here.claim() == (first.id, "check", '{"a": 1}')
    assert not there.hold(first.id)
    assert here.finish(first.id, result='{"done": true}')
    assert there.get(first.id)[1] == {"done": True}
    assert here.claim() == (second.id, "extract", "{}")
    there.cancel(second.id)
    assert not here.hold(second.id)
    assert here.get(second.id)[0].status == "cancelled"
    assert [job.id for job in here.list(owner="anna")] == [first.id]
    here.delete(second.id)
    for use in (here.get, here.cancel, here.delete):
        for identifier in (second.id, "a\0b"):
            with pytest.raises(UnknownJobError):
                use(identifier)


def test_a_job_that_ends_its_servers_is_given_up(
    location: str | Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = JobStore(Database(location))
    deadly, other = store.add("check", {"a": 1}), store.add("check", {})
    for _ in range(5):  # servers that stop in order are no fault of the job's
        assert store.claim() is not None
        store.requeue()
    monkeypatch.setattr(job_storage, "HOLD_SECONDS", -1.0)  # every server dies at once
    begun = [claimed[0] for _ in range(2 * job_storage.MAX_ATTEMPTS) if (claimed := store.claim())]
    assert begun == [deadly.id] * job_storage.MAX_ATTEMPTS + [other.id] * job_storage.MAX_ATTEMPTS
    assert store.claim() is None
    assert store.num_waiting() == 0
    found, result = store.get(deadly.id)
    assert (found.status, result) == ("failed", None)
    assert "begun 3 times" in found.message


def test_a_job_is_claimed_by_one_server(location: str | Path) -> None:
    stores = [JobStore(Database(location)) for _ in range(4)]
    added = {stores[0].add("check", {"n": number}).id for number in range(40)}
    barrier = threading.Barrier(len(stores))

    def claim_all(store: JobStore) -> list[str]:
        barrier.wait()
        found = []
        while (claimed := store.claim()) is not None:
            found.append(claimed[0])
        return found

    with ThreadPoolExecutor(len(stores)) as pool:
        claimed = [identifier for found in pool.map(claim_all, stores) for identifier in found]
    assert sorted(claimed) == sorted(added)


def test_replies(location: str | Path) -> None:
    here, there = (ReplyStore(Database(location)) for _ in range(2))
    reply = Reply(status=202, media_type="application/json", content=b"{}")
    assert here.claim("anna", "k", b"request") is None
    with pytest.raises(ReplyPendingError):
        there.claim("anna", "k", b"request")
    assert there.claim("bert", "k", b"request") is None
    here.finish("anna", "k", reply)
    assert there.claim("anna", "k", b"request") == reply
    with pytest.raises(ReplyMismatchError):
        there.claim("anna", "k", b"another request")
    there.release("bert", "k")
    assert here.claim("bert", "k", b"request") is None
    here.finish("anna", "k", reply, seconds=-1)
    assert there.claim("anna", "k", b"another request") is None


def test_usage_of_several_servers_adds_up(location: str | Path) -> None:
    here, there = (UsageStore(Database(location)) for _ in range(2))
    for number in range(1, 5):
        here.count("anna", characters=number, requests=1)
        there.count("anna", characters=100, requests=1)
        assert here.of("anna").characters >= sum(range(1, number + 1))
        here.flush()
        there.flush()
    here.flush()
    for store in (here, there):
        assert (store.of("anna").characters, store.of("anna").requests) == (410, 8)
        assert store.of("bert").characters == 0
    assert [(one.owner, one.characters) for one in here.list()] == [("anna", 410)]


def test_keys_of_another_server_are_seen_within_a_second(location: str | Path) -> None:
    here, there = (KeyStore(Database(location)) for _ in range(2))
    assert there.accepts(None)
    key = here.add("anna", admin=True, monthly_characters=10, requests_per_minute=20)
    started = time.monotonic()
    wait_until(lambda: not there.accepts(None))
    found = there.find(key)
    assert found is not None
    assert (found.name, found.admin, found.monthly_characters, found.requests_per_minute) == (
        "anna",
        True,
        10,
        20,
    )
    here.remove("anna")
    wait_until(lambda: there.accepts(None))
    assert time.monotonic() - started < 15.0


def test_names_that_no_database_holds_are_refused(database: Database) -> None:
    store = GlossaryStore(database)
    for name in ("a\0b", "\ud800"):
        with pytest.raises(LexalignError):
            store.add(name, terms(1))
        with pytest.raises(UnknownGlossaryError):
            store.get(name)
    assert store.list() == []


def test_a_long_glossary(database: Database) -> None:
    store = GlossaryStore(database)
    started = time.monotonic()
    made = store.add("long", terms(20_000))
    assert time.monotonic() - started < 20.0
    store._cache.drop(made.id)
    assert len(store.get(made.id)) == 20_000


def test_two_servers_that_start_at_once(location: str | Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(lambda _: Database(location), range(4)))
    for one in opened:
        assert GlossaryStore(one).list() == []
        one.close()


def test_files_are_private(tmp_path: Path) -> None:
    path = tmp_path / "data" / "server.sqlite"
    before = os.umask(0)
    try:
        KeyStore(Database(path)).add("anna")
        found = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
        ends = ("", "-wal", "-shm", "-place")
        assert found == {f"server.sqlite{end}": 0o600 for end in ends}
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        path.chmod(0o644)
        Database(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_wrong_locations_are_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for location, message in (
        (tmp_path / "file" / "db", "cannot be used"),
        ("mysql://u@h/d", "not supported"),
        ("postgresql://", "lacks something"),
        (f"postgresql://u:secret@/d?host={tmp_path}", "cannot be used"),
        (f"postgresql://u:secret@/d?host={tmp_path}&sslmode=odd", "sslmode=odd"),
    ):
        with pytest.raises(LexalignError, match=message) as raised:
            Database(location)
        assert "secret" not in str(raised.value)
        assert "\n" not in str(raised.value)


def test_a_full_disk(tmp_path: Path) -> None:
    """SQLite says the same where its file may not grow as where the disk is full."""
    store = GlossaryStore(Database(tmp_path / "db"))
    made = store.add("x", terms(10))
    full = Database(tmp_path / "db")
    event.listen(full._engine, "connect", lambda one, _: one.execute("pragma max_page_count = 1"))
    full.close()  # new connections from now on
    with pytest.raises(StorageFullError, match="full"):
        GlossaryStore(full).add("y", terms(2_000))
    with pytest.raises(StorageFullError):
        BlobStore(full).put(b"x" * 100_000, kind="a")
    assert store.list() == GlossaryStore(full).list() == [made]


def test_postgresql_gone_and_back(postgresql: PostgreSQL) -> None:
    """Writers are told, at once, and whatever was acknowledged is there."""
    store = GlossaryStore(Database(postgresql.new_database(), lock_seconds=1.0))
    over = threading.Event()
    made: list[list[str]] = [[] for _ in range(4)]
    refused = [0] * 4

    def write(number: int) -> None:
        while not over.is_set():
            try:
                made[number].append(store.add(str(number), terms(50)).id)
            except StorageError:  # and no other
                refused[number] += 1
                time.sleep(0.02)

    with ThreadPoolExecutor(4) as pool:
        writing = [pool.submit(write, number) for number in range(4)]
        wait_until(lambda: all(made))
        postgresql.stop()
        for _ in range(3):
            started = time.monotonic()
            with pytest.raises(StorageUnavailableError):
                store.list()
            assert time.monotonic() - started < 15.0
        wait_until(lambda: all(refused))
        postgresql.start()
        time.sleep(0.3)
        over.set()
        for one in writing:
            one.result(timeout=20)
    assert {identifier for some in made for identifier in some} <= {info.id for info in store.list()}


def test_a_glossary_is_compiled_once_for_requests_that_come_together() -> None:
    matchers, glossary = MatcherCache(), terms(3_000)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: matchers.get(glossary, MatchOptions(), "de", "en"), range(4)))
    assert all(one is found[0] for one in found)


def test_caches_are_bounded_and_forget() -> None:
    glossaries, matchers = GlossaryCache(max_terms=250), MatcherCache(max_terms=250)
    made = [terms(100, f"word{number}") for number in range(4)]
    for number, glossary in enumerate(made):
        glossaries.put(str(number), 1, glossary)
        matchers.get(glossary, MatchOptions(), "de", "en")
    assert [glossaries.get(str(number), 1) is not None for number in range(4)] == [False, False, True, True]
    assert matchers.num_terms == 2 * 101
    assert matchers.has(made[3], MatchOptions(), "de", "en")
    glossaries.drop("3")
    del made, glossary
    gc.collect()
    assert matchers.num_terms == 101  # of the one that is in the other cache
    long = terms(1_000)
    glossaries.put("long", 1, long)
    assert glossaries.get("long", 1) is long
    assert glossaries.get("2", 1) is None
