"""`lexalign serve` as a process: started, stopped, killed, and started again."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from lexalign.cli.main import app
from tests.server.waiting import wait_until

TEXT = "der kleine Hund läuft über die lange Straße"
BODY = {"text": TEXT, "source_language": "de", "target_language": "en"}


@contextmanager
def started(
    folder: Path | None, data: Path, *more: str, env: dict[str, str] | None = None
) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    command = [sys.executable, "-m", "lexalign", "serve", "--port", "0"]
    command += [] if folder is None else ["--model", f"de-en={folder}"]
    process = subprocess.Popen(
        [*command, "--data", str(data), "--device", "cpu", "--workers", "1", *more],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(env or {})},
    )
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(r"http://[\w.:]+", line)
    assert found, line + process.stderr.read()
    try:
        with httpx.Client(base_url=found[0], timeout=60) as client:
            for _ in range(500):
                try:
                    client.get("/health")
                    break
                except httpx.ConnectError:
                    time.sleep(0.02)
            yield process, client
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def running(
    model_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """A server with default options, for tests that leave it as it was."""
    with started(model_folder, tmp_path_factory.mktemp("running")) as found:
        yield found


def children(process: subprocess.Popen[str]) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True)
    return [int(pid) for pid in found.stdout.split()]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_signal_finishes_what_was_taken(model_folder: Path, tmp_path: Path) -> None:
    with started(model_folder, tmp_path, "--batch-tokens", "60") as (process, client):
        answers: list[httpx.Response] = []
        many = {**BODY, "text": [f"{TEXT} {number}" for number in range(120)]}
        asking = threading.Thread(target=lambda: answers.append(client.post("/v1/translate", json=many)))
        asking.start()
        wait_until(lambda: client.get("/health").json()["waiting_tokens"] > 0)
        process.send_signal(signal.SIGTERM)
        assert not answers
        asking.join(timeout=60)
        assert answers[0].status_code == 200
        assert len(answers[0].json()["translations"]) == 120
        assert process.wait(timeout=30) in (0, -signal.SIGTERM)
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def test_kill_under_load_leaves_glossaries_and_nothing_else(model_folder: Path, tmp_path: Path) -> None:
    with started(model_folder, tmp_path) as (process, client):
        kept = [
            client.post(
                "/v1/glossaries", json={"name": str(n), "terms": [{"source": "Hund", "targets": ["Haus"]}]}
            )
            for n in range(5)
        ]
        loads = [threading.Thread(target=ask_until_broken, args=(str(client.base_url),)) for _ in range(4)]
        for load in loads:
            load.start()
        time.sleep(0.7)
        workers = children(process)
        assert workers
        process.kill()
        process.wait()
        for load in loads:
            load.join(timeout=60)
        deadline = time.monotonic() + 20
        while any(map(alive, workers)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not any(map(alive, workers)), "workers outlive a killed server"
    with started(model_folder, tmp_path) as (_, client):
        found = {one["id"] for one in client.get("/v1/glossaries").json()}
        assert {one.json()["id"] for one in kept} <= found
        for one in client.get("/v1/glossaries").json():
            assert client.get(f"/v1/glossaries/{one['id']}").json()["entries"][0]["source"] == "Hund"
        assert client.post("/v1/translate", json=BODY).status_code == 200


def ask_until_broken(url: str) -> None:
    with httpx.Client(base_url=url, timeout=20) as client:
        for number in range(10_000):
            terms = [{"source": "Hund", "targets": [f"Haus{number}"]}]
            try:
                client.post("/v1/glossaries", json={"name": "load", "terms": terms})
                client.post("/v1/translate", json=BODY)
            except httpx.HTTPError:
                return


def test_work_stops_when_a_client_leaves(running: tuple[subprocess.Popen[str], httpx.Client]) -> None:
    _, client = running
    with pytest.raises(httpx.ReadTimeout):
        client.post("/v1/translate", json={**BODY, "text": [TEXT] * 400}, timeout=0.5)
    long = "\n".join([TEXT] * 400)
    with client.stream("POST", "/v1/stream", json={**BODY, "text": long}) as response:
        assert next(response.iter_lines()) == "event: token"
    before = time.monotonic()
    assert client.post("/v1/translate", json={**BODY, "text": "Hund"}).status_code == 200
    assert time.monotonic() - before < 10
    assert client.get("/health").json()["waiting_tokens"] == 0


def test_a_full_queue_says_when_to_come_again(model_folder: Path, tmp_path: Path) -> None:
    with started(model_folder, tmp_path, "--queue-tokens", "200", "--batch-tokens", "60") as (_, client):
        statuses: list[int] = []

        def ask() -> None:
            found = httpx.post(
                f"{client.base_url}/v1/translate", json={**BODY, "text": [TEXT] * 8, "beam": 1}, timeout=60
            )
            statuses.append(found.status_code)
            if found.status_code == 429:
                assert int(found.headers["retry-after"]) >= 1

        asking = [threading.Thread(target=ask) for _ in range(8)]
        for one in asking:
            one.start()
        for one in asking:
            one.join()
        assert set(statuses) == {200, 429}
        large = client.post("/v1/translate", json={**BODY, "text": [TEXT] * 200})
        assert large.status_code == 413


def test_a_request_is_given_up_in_time(model_folder: Path, tmp_path: Path) -> None:
    with started(model_folder, tmp_path, "--timeout", "0.3") as (_, client):
        found = client.post("/v1/translate", json={**BODY, "text": [TEXT] * 400})
        assert found.status_code == 504
        assert "too long" in found.json()["message"]


def test_a_worker_that_dies_is_replaced(running: tuple[subprocess.Popen[str], httpx.Client]) -> None:
    process, client = running
    (worker,) = children(process)
    os.kill(worker, signal.SIGKILL)
    assert client.post("/v1/translate", json=BODY).status_code in (200, 503)
    assert client.post("/v1/translate", json=BODY).status_code == 200
    assert "lexalign_worker_deaths_total 1.0" in client.get("/metrics").text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["serve", "--model", "nowhere"], "its languages are not known"),
        (["serve", "--model", "de-en=nowhere", "--port", "0"], "no such model folder"),
        (["serve", "--model", "a", "--model", "b", "--from", "de", "--to", "en"], "for a single model"),
        (["serve", "--model", "de-en=x", "--host", "999.0.0.1"], "choose another --host"),
        (["keys", "remove", "nobody"], "no key named nobody"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        app([*arguments, "--data", str(tmp_path)], prog_name="lexalign")
    assert end.value.code == 2
    errors = capfd.readouterr().err
    assert message in errors
    assert errors.count("\n") == 1


def test_keys_on_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit) as end:
            app(["keys", *arguments, "--data", str(tmp_path)], prog_name="lexalign")
        assert not end.value.code
        return capfd.readouterr().out

    key = run("add", "anna").strip()
    assert len(key) > 40
    assert run("list").startswith("anna\t2")
    assert key not in json.dumps(run("list"))
    run("add", "bert")
    run("remove", "anna")
    run("remove", "bert", "--last")
    assert run("list") == ""


def test_keys_are_for_the_server_of_the_same_settings(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "server.toml"
    file.write_text(f'data = "{tmp_path / "kept"}"\nport = 8081\n')

    def run(*arguments: str) -> tuple[object, str]:
        with pytest.raises(SystemExit) as end:
            app(["keys", *arguments, "--config", str(file)], prog_name="lexalign")
        return end.value.code, capfd.readouterr().err

    assert str(tmp_path / "kept" / "server.sqlite") in run("add", "anna")[1]
    code, errors = run("remove", "anna")
    assert code == 2
    assert "anna has the last key" in errors
    run("add", "bert")
    assert not run("remove", "anna")[0]


def test_a_server_that_cannot_have_its_database_ends(model_folder: Path) -> None:
    """With its workers, which had been started: else nobody would start it again."""
    command = [sys.executable, "-m", "lexalign", "serve", "--port", "0", "--model", f"de-en={model_folder}"]
    unreachable = {**os.environ, "LEXALIGN_DATABASE": "postgresql://nobody@127.0.0.1:1/none"}
    found = subprocess.run(
        [*command, "--device", "cpu", "--workers", "2"],
        env=unreachable,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    assert found.returncode == 2
    assert "cannot be used as the server's database" in found.stderr


def test_who_may_use_a_server_is_told(model_folder: Path, tmp_path: Path) -> None:
    variables = {"LEXALIGN_QUEUE_TOKEN": "9000", "LEXALIGN_WORKERS": ""}
    command = [sys.executable, "-m", "lexalign", "serve", "--port", "0", "--host", "0.0.0.0"]
    process = subprocess.Popen(
        [*command, "--model", f"de-en={model_folder}", "--data", str(tmp_path), "--device", "cpu"],
        env={**os.environ, **variables},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    lines = [process.stderr.readline() for _ in range(3)]
    process.terminate()
    process.communicate(timeout=60)
    assert (
        "LEXALIGN_QUEUE_TOKEN is not a setting and is ignored; did you mean LEXALIGN_QUEUE_TOKENS?"
        in lines[0]
    )
    assert "everybody who reaches 0.0.0.0 may use this server" in lines[2]


def test_serves_what_came_along(tmp_path: Path) -> None:
    with started(None, tmp_path / "data") as (_, client):
        for text, source, target in (("Wo ist das Haus?", "de", "en"), ("Where is the house?", "en", "de")):
            asked = {"text": text, "source_language": source, "target_language": target}
            answer = client.post("/v1/translate", json=asked)
            assert answer.status_code == 200
            assert {"en": "house", "de": "Haus"}[target] in answer.text
