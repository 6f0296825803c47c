"""Documents and jobs whose database, or whose owner, does something in the wrong moment."""

import asyncio
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lexalign.server.batching.errors import UnavailableError
from lexalign.server.jobs import documents, runner
from lexalign.server.jobs.documents import DocumentRunner
from lexalign.server.jobs.following import Followers
from lexalign.server.jobs.runner import JobRunner
from lexalign.server.storage.blobs import BlobStore
from lexalign.server.storage.database import Database
from lexalign.server.storage.documents import DocumentRequest, DocumentStore
from lexalign.server.storage.errors import StorageFullError, StorageUnavailableError
from lexalign.server.storage.glossaries import GlossaryStore
from lexalign.server.storage.jobs import JobStore
from lexalign.server.storage.usage import UsageStore
from tests.server.waiting import wait_until

Hook = Callable[[], None]


class Broken:
    """A method that fails so many times before it works."""

    def __init__(self, method: Callable[..., Any], *errors: Exception) -> None:
        self._method, self._errors = method, list(errors)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self._errors:
            raise self._errors.pop(0)
        return self._method(*arguments, **named)


def translator(hook: Hook) -> type:
    """One that translates nothing, and calls the hook when it is done."""

    class Fake:
        def __init__(self, _service: object) -> None: ...

        async def translate(self, content: bytes, _asked: object, progress: Any) -> Any:
            await progress(0, 1)
            await asyncio.to_thread(hook)
            return SimpleNamespace(
                content=content.upper(),
                model=SimpleNamespace(choice=SimpleNamespace(source="de", target="en")),
                characters=1,
                report=SimpleNamespace(counts=SimpleNamespace(segments=1)),
                report_json=lambda: "{}",
            )

        def close(self) -> None: ...

    return Fake


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DocumentRunner:
    for module in (documents, runner):
        monkeypatch.setattr(module, "_SECONDS_PER_TRY", 0.01)
    monkeypatch.setattr(documents, "_SECONDS_PER_LOOK", 0.05)
    database = Database(tmp_path / "server.sqlite")
    store = DocumentStore(JobStore(database), BlobStore(database))
    return DocumentRunner(store, GlossaryStore(database), cast(Any, "models"), UsageStore(database))


def translate(running: DocumentRunner, *names: str) -> list[str]:
    """Submit documents one after another, and wait until each has ended; their states and messages."""

    async def follow() -> list[str]:
        running.start()
        found = []
        for name in names:
            made = running.submit(b"x", DocumentRequest(name=name, format="text"), "anna")
            running.wake()
            deadline = time.monotonic() + 10
            while running.store.jobs.num_waiting(("document",)) or any(
                one.status == "running" for one in running.store.jobs.list()
            ):
                assert time.monotonic() < deadline, "it did not end"
                await asyncio.sleep(0.02)
            jobs = [one for one in running.store.jobs.list() if one.id == made.job.id]
            found.append(f"{jobs[0].status} {jobs[0].message}".strip() if jobs else "deleted")
        await running.stop()
        return found

    return asyncio.run(follow())


def test_a_document_that_is_deleted_when_it_is_done_harms_no_other(
    running: DocumentRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def delete() -> None:
        for document in running.store.list(None):
            if document.request.name == "deleted":
                running.store.delete(document)

    monkeypatch.setattr(documents, "DocumentTranslator", translator(delete))
    found = translate(running, "deleted", "deleted", "deleted", "kept")
    assert found == ["deleted", "deleted", "deleted", "done"]


@pytest.mark.parametrize("method", ["content", "finish"])
def test_a_document_waits_for_the_database(
    running: DocumentRunner, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    broken = Broken(getattr(running.store, method), *[StorageUnavailableError() for _ in range(3)])
    monkeypatch.setattr(running.store, method, broken)
    times: list[int] = []
    monkeypatch.setattr(documents, "DocumentTranslator", translator(lambda: times.append(1)))
    assert translate(running, "a.txt") == ["done"]
    assert times == [1], "it was translated more than once"


def test_a_document_for_which_there_is_no_room_says_so(
    running: DocumentRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "DocumentTranslator", translator(lambda: None))
    monkeypatch.setattr(running.store, "finish", Broken(running.store.finish, StorageFullError("no room")))
    assert translate(running, "a.txt", "b.txt") == ["failed no room", "done"]


def test_a_document_that_the_workers_have_no_time_for_says_so(
    running: DocumentRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise UnavailableError("a worker died")

    monkeypatch.setattr(documents, "DocumentTranslator", translator(fail))
    (found,) = translate(running, "a.txt")
    assert found.startswith("failed the workers had no time")


def test_the_result_of_a_job_waits_for_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_SECONDS_PER_TRY", 0.01)
    run_in_its_place(monkeypatch, "cat")  # the result is the request
    store = JobStore(Database(tmp_path / "server.sqlite"))
    monkeypatch.setattr(store, "finish", Broken(store.finish, *[StorageUnavailableError() for _ in range(3)]))
    jobs = JobRunner(store)
    for number in range(2):
        made = jobs.submit("check", {"number": number})
        wait_until(lambda one=made: store.get(one.id)[0].status == "done")  # type: ignore[misc]
        assert store.get(made.id)[1] == {"number": number}
    jobs.stop()


def test_a_job_that_takes_too_long_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_MAX_SECONDS", 0.0)
    monkeypatch.setattr(runner, "_SECONDS_PER_HOLD", 0.01)
    run_in_its_place(monkeypatch, "sleep", "60")
    store = JobStore(Database(tmp_path / "server.sqlite"))
    jobs = JobRunner(store)
    made = jobs.submit("check", {"units": [], "files": []})
    wait_until(lambda: store.get(made.id)[0].status == "failed")
    assert store.get(made.id)[0].message == "the job took too long; give it less"
    jobs.stop()


def run_in_its_place(monkeypatch: pytest.MonkeyPatch, *command: str) -> None:
    start = subprocess.Popen
    monkeypatch.setattr("subprocess.Popen", lambda _own, **named: start(command, **named))


def test_jobs_under_way_are_left_where_the_database_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = JobStore(Database(tmp_path / "server.sqlite"))
    monkeypatch.setattr(store, "requeue", Broken(store.requeue, StorageUnavailableError()))
    JobRunner(store).stop()


def test_followers_look_together() -> None:
    looks: list[str] = []

    async def read(identifier: str, _owner: str) -> Any:
        looks.append(identifier)
        if len(looks) == 1:
            raise StorageUnavailableError
        return identifier

    async def follow() -> None:
        followers = Followers(read)
        waiting = [asyncio.create_task(followers.next_look("a", "")) for _ in range(50)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        found: list[Any] = await asyncio.gather(*waiting[1:])
        assert found == ["a"] * 49

    asyncio.run(follow())
    assert looks == ["a", "a"]


def test_a_look_that_is_over_is_not_looked_at_again() -> None:
    """Else a follower who comes before its callback would look at it for ever, and let nobody else run."""

    async def read(identifier: str, _owner: str) -> Any:
        return identifier

    async def follow() -> None:
        followers = Followers(read)
        await followers.next_look("a", "")
        over = asyncio.create_task(asyncio.sleep(0))
        await over
        followers._looks["a", ""] = cast(Any, over)
        found: Any = await followers.next_look("a", "")
        assert found == "a"

    asyncio.run(follow())
