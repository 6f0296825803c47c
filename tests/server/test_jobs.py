"""Jobs over HTTP: begun, asked for, done or failed in one line, deleted; and they outlive the server."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.server.jobs.runner import JobRunner
from lexalign.server.jobs.work import perform
from lexalign.server.storage.database import Database
from lexalign.server.storage.jobs import JobStore
from tests.server.test_serve_command import alive
from tests.server.waiting import wait_until
from tests.terminology.small_memory import TERMS, make_units

UNITS = [{"source": unit.source, "target": unit.target} for unit in make_units(200)]
REQUEST: dict[str, Any] = {
    "units": UNITS, "files": [], "glossary": [], "source_language": "en", "target_language": "de",
    "max_terms": 100, "min_count": 2, "min_confidence": 0.5,
}  # fmt: skip


def wait_for(client: httpx.Client, identifier: str) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found: dict[str, Any] = client.get(f"/v1/jobs/{identifier}").json()
        if found["status"] in ("done", "failed"):
            return found
        time.sleep(0.2)
    raise TimeoutError


def test_a_check_over_http(client: httpx.Client) -> None:
    body = {
        "files": [{"name": "m.tsv", "content": "Post the order.\tBuchen Sie 3.\nbroken\n"}],
        "source_language": "en",
        "target_language": "de",
        "glossary": [{"source": "order", "targets": ["Auftrag"]}],
    }
    begun = client.post("/v1/check", json=body)
    assert begun.status_code == 202
    found = wait_for(client, begun.json()["id"])
    assert found["status"] == "done", found
    kinds = [one["kind"] for one in found["result"]["findings"]]
    assert kinds == ["missing-term", "number", "unreadable"]
    assert "/" not in found["result"]["findings"][0]["file"]
    assert begun.json()["id"] in [one["id"] for one in client.get("/v1/jobs").json()]
    assert client.delete(f"/v1/jobs/{begun.json()['id']}").status_code == 204
    assert client.get(f"/v1/jobs/{begun.json()['id']}").status_code == 404


def test_bad_requests_are_refused(client: httpx.Client) -> None:
    assert client.post("/v1/check", json={}).status_code == 422
    assert client.post("/v1/glossaries/extract", json={"units": UNITS[:1], "max_terms": 0}).status_code == 422
    assert client.delete("/v1/jobs/none").status_code == 404


def test_the_work_of_an_extraction() -> None:
    found = perform("extract", {**REQUEST, "glossary": [{"source": "invoice", "targets": ["Faktura"]}]})
    terms = {one["source"]: one["targets"] for one in found["terms"]}
    assert terms["vendor"] == [TERMS["vendor"]]
    assert "invoice" not in terms
    assert [one["source"] for one in found["contradictions"]] == ["invoice"]


def test_errors_of_the_work_name_no_path() -> None:
    files = [{"name": "../../etc/m.tmx", "content": "<tmx"}]
    with pytest.raises(LexalignError, match=r"^0-m.tmx, line 1: not well-formed"):
        perform("check", {**REQUEST, "units": [], "files": files})
    with pytest.raises(LexalignError, match=r"^0-m.exe: a bilingual file's name ends in"):
        perform("check", {**REQUEST, "units": [], "files": [{"name": "m.exe", "content": "x"}]})


@pytest.mark.parametrize(
    "name", ["語" * 190 + ".tsv", "a\0b.tsv", "../..\\x\n.tsv", ".tsv.tsv", "a" * 196 + ".tsv"]
)
def test_names_of_files_are_no_matter(name: str) -> None:
    files = [{"name": name, "content": "Post the order.\tBuchen Sie 3.\n"}]
    found = perform("check", {**REQUEST, "units": [], "files": files})
    assert (found["num_units"], found["counts"]["number"]) == (1, 1)


def test_jobs_that_a_server_leaves_behind_are_done_by_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also by one that has never had a job itself."""
    monkeypatch.setattr("lexalign.server.jobs.runner._SECONDS_PER_HOLD", 0.1)
    runner = JobRunner(JobStore(Database(tmp_path / "server.sqlite")))
    runner.start()
    try:
        killed = JobStore(Database(tmp_path / "server.sqlite"))
        job = killed.add("check", {**REQUEST, "units": UNITS[:1]})
        wait_until(lambda: runner.store.get(job.id)[0].status == "done", seconds=120)
    finally:
        runner.stop()


def test_the_process_of_a_job_ends_with_its_server(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "request")  # which nobody writes to: the process would wait for ever
    server = (
        "import os, subprocess, sys\n"
        "command = [sys.executable, '-m', 'lexalign.server.jobs.work', 'extract', str(os.getpid())]\n"
        "job = subprocess.Popen(command, stdin=os.open(sys.argv[1], os.O_RDWR), stdout=subprocess.DEVNULL)\n"
        "print(job.pid, flush=True)\n"
        "job.wait()\n"
    )
    command = [sys.executable, "-c", server, str(tmp_path / "request")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    job = int(process.stdout.readline())
    process.kill()
    process.wait()
    wait_until(lambda: not alive(job))


def test_a_job_that_is_deleted_while_it_runs_is_ended(tmp_path: Path) -> None:
    runner = JobRunner(JobStore(Database(tmp_path / "server.sqlite")))
    job = runner.submit("extract", REQUEST)
    deadline = time.monotonic() + 30
    while runner._running is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert runner._running is not None
    process = runner._running[1]
    runner.delete(job.id)
    assert process.wait(timeout=30) != 0
    runner.stop()
    assert runner.store.list() == []


def test_a_large_request_reaches_a_process_that_starts_slowly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nsleep 1\nwc -c\n")
    slow.chmod(0o700)
    monkeypatch.setattr("lexalign.server.jobs.runner._SECONDS_PER_HOLD", 0.2)
    monkeypatch.setattr("lexalign.server.jobs.runner.sys.executable", str(slow))
    runner = JobRunner(JobStore(Database(tmp_path / "server.sqlite")))
    request = {**REQUEST, "units": UNITS * 20}
    job = runner.submit("check", request)
    deadline = time.monotonic() + 30
    while runner.store.get(job.id)[0].status not in ("done", "failed") and time.monotonic() < deadline:
        time.sleep(0.1)
    runner.stop()
    assert runner.store.get(job.id)[1] > 2**18  # characters, more than a pipe holds
