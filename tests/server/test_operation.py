"""What an operator does and sees: settings, logs, readiness, signals, workers that die."""

import json
import os
import signal
import socket
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.server import running
from lexalign.server.http.tracing import OpenTelemetryTracer
from lexalign.server.settings import read_settings
from tests.server.small_server import LiveServer, live_server
from tests.server.test_serve_command import BODY, TEXT, children, started
from tests.server.waiting import wait_until


def test_settings_come_from_flags_then_the_environment_then_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "server.toml"
    file.write_text('port = 1\nworkers = 2\nqueue-tokens = 3\nallow_host = ["a.example"]\nmodel = ["x"]\n')
    monkeypatch.setenv("LEXALIGN_PORT", "10")
    monkeypatch.setenv("LEXALIGN_WORKERS", "20")
    monkeypatch.setenv("LEXALIGN_ALLOW_ORIGIN", "https://A.example/, https://b.example")
    found = read_settings({"port": 0, "workers": None}, file)
    assert (found.port, found.workers, found.queue_tokens, found.timeout) == (0, 20, 3, 60.0)
    assert (found.allow_host, found.model) == (["a.example"], ["x"])
    assert found.allow_origin == ["https://a.example", "https://b.example"]
    monkeypatch.setenv("LEXALIGN_CONFIG", str(file))
    assert read_settings({}, None).queue_tokens == 3


@pytest.mark.parametrize(
    ("content", "variables", "message"),
    [
        ("prot = 1", {}, "there is no setting 'prot'"),
        ("port = 70000", {}, "port (in the file)"),
        ("port = ", {}, "cannot be read as settings"),
        ("", {"LEXALIGN_TIMEOUT": "soon"}, "timeout (LEXALIGN_TIMEOUT)"),
        ("", {"LEXALIGN_LOG_FORMAT": "xml"}, "log_format (LEXALIGN_LOG_FORMAT)"),
        ('allow_origin = ["app.example"]', {}, "app.example is no origin"),
        ('allow_origin = ["https://app.example/page"]', {}, "https://app.example/page is no origin"),
        ('allow_host = ["https://a.example"]', {}, "https://a.example is no name"),
        ("", {"LEXALIGN_ALLOW_HOST": "a.example:8080"}, "a.example:8080 is no name"),
    ],
)
def test_wrong_settings_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, variables: dict[str, str], message: str
) -> None:
    file = tmp_path / "server.toml"
    file.write_text(content)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(LexalignError) as error:
        read_settings({}, file)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_workers_that_die_are_seen_logged_and_replaced(model_folder: Path, tmp_path: Path) -> None:
    """Both idle workers are killed: nobody is told that all is well, and no request is lost."""
    env = {"LEXALIGN_LOG_FORMAT": "json", "LEXALIGN_ACCESS_LOG": "true", "LEXALIGN_SLOW_SECONDS": "0.5"}
    with started(model_folder, tmp_path, "--workers", "2", env=env) as (process, client):
        assert client.get("/ready").json()["workers"] == 2
        for worker in children(process):
            os.kill(worker, signal.SIGKILL)
        wait_until(lambda: client.get("/ready").status_code == 503)
        assert client.get("/ready").json()["status"] == "no workers"
        assert client.get("/live").status_code == 200
        found = client.post("/v1/translate", json=BODY, headers={"X-Request-Id": "mine-1"})
        assert (found.status_code, found.headers["x-request-id"]) == (200, "mine-1")
        wait_until(lambda: client.get("/ready").json()["workers"] == 2)
        assert "lexalign_worker_deaths_total 2.0" in client.get("/metrics").text
        broken = client.post("/v2/document", content=b"x", headers={"Content-Type": "multipart/form-data"})
        assert broken.status_code == 400
        before = set(children(process))
        process.send_signal(signal.SIGHUP)
        wait_until(lambda: len(before.intersection(children(process))) < 2)  # Python's resource tracker stays
        assert client.post("/v1/translate", json=BODY).status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) in (0, -signal.SIGTERM)
        assert process.stderr is not None
        lines: list[dict[str, Any]] = [json.loads(line) for line in process.stderr.read().splitlines()]
    messages = [line["message"] for line in lines]
    assert messages.count("a worker has died, and is started again") == 2
    assert messages.count("a worker was started again") == 2
    assert messages.count("models are loaded again") == 1
    (asked,) = (line for line in lines if line.get("request_id") == "mine-1")
    assert (asked["path"], asked["status"], asked["level"]) == ("/v1/translate", 200, "warning")
    assert asked["message"] == "slow request"
    assert any(line["message"] == "request" and line["path"] == "/live" for line in lines)


def test_a_signal_closes_the_listener_at_once(model_folder: Path, tmp_path: Path) -> None:
    """New connections are refused, what was accepted is finished, and a slow body keeps nobody waiting."""
    with started(model_folder, tmp_path, "--batch-tokens", "60") as (process, client):
        address = (client.base_url.host, client.base_url.port or 0)
        answers: list[httpx.Response] = []
        many = {**BODY, "text": [f"{TEXT} {number}" for number in range(120)]}
        asking = threading.Thread(target=lambda: answers.append(client.post("/v1/translate", json=many)))
        slow = socket.create_connection(address)
        slow.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n{")
        asking.start()
        wait_until(lambda: client.get("/health").json()["waiting_tokens"] > 0)
        process.send_signal(signal.SIGTERM)
        stopped = time.monotonic()
        wait_until(lambda: _is_refused(address), seconds=10.0)
        assert not answers  # what was accepted is still being translated
        asking.join(timeout=60)
        assert answers[0].status_code == 200
        assert process.wait(timeout=30) in (0, -signal.SIGTERM)
        assert time.monotonic() - stopped < 20.0
        slow.close()


def test_a_request_that_meets_the_signal_is_answered(model_folder: Path, tmp_path: Path) -> None:
    """A proxy sends its next request over a connection that it has, and would not send it twice."""
    with started(model_folder, tmp_path) as (process, client):
        address = (client.base_url.host, client.base_url.port or 0)
        assert client.get("/live").headers.get("connection") != "close"
        process.send_signal(signal.SIGTERM)
        wait_until(lambda: _is_refused(address))
        found = client.post("/v1/translate", json=BODY)
        assert (found.status_code, found.headers["connection"]) == (200, "close")
        assert process.wait(timeout=30) in (0, -signal.SIGTERM)


def test_those_who_follow_a_document_keep_no_server_from_stopping(model_folder: Path, tmp_path: Path) -> None:
    lines = "\n\n".join(f"{TEXT} {number}" for number in range(5_000))
    with started(model_folder, tmp_path) as (process, client):
        form = {"source_language": "de", "target_language": "en"}
        begun = client.post("/v1/documents", files={"file": ("a.txt", lines)}, data=form).json()
        with client.stream("GET", f"/v1/documents/{begun['id']}/events") as response:
            told = response.iter_lines()
            assert next(told) == "event: progress"
            process.send_signal(signal.SIGTERM)
            assert "event: end" not in list(told)
        assert process.wait(timeout=20) in (0, -signal.SIGTERM)  # sooner than --grace


def _is_refused(address: tuple[str, int]) -> bool:
    try:
        socket.create_connection(address, timeout=1.0).close()
    except ConnectionRefusedError:
        return True
    return False


def test_traces_go_on_from_those_of_the_caller(server: LiveServer, tmp_path: Path) -> None:
    trace = pytest.importorskip("opentelemetry.sdk.trace", reason="needs OpenTelemetry: lexalign[tracing]")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    spans, provider = InMemorySpanExporter(), trace.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    options = replace(server.options, data=tmp_path, models=server.options.models[:1], traces="http://unused")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "make_tracer", lambda _url: OpenTelemetryTracer(provider))
        with live_server(options) as live:
            parent = f"00-{'ab' * 16}-{'cd' * 8}-01"
            live.client.post("/v1/translate", json=BODY, headers={"traceparent": parent})
            live.client.get("/v1/glossaries/none")
    found: tuple[Any, ...] = spans.get_finished_spans()
    search, translate, unknown = found
    assert [search.name, translate.name] == ["lexalign.search", "POST /v1/translate"]
    assert f"{translate.context.trace_id:032x}" == "ab" * 16
    assert search.parent.span_id == translate.context.span_id
    assert search.attributes["lexalign.sentences"] == 1
    assert unknown.name == "GET /v1/glossaries/{glossary_id}"
    assert unknown.attributes["http.response.status_code"] == 404
