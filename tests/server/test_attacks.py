"""Attacks on the server that end in an error of one line; docs/security.md lists them."""

import logging
import re
import socket
import time

import httpx
import pytest

from lexalign.server.http import logs
from lexalign.server.http.logs import JsonFormatter, SeldomTheSame, TextFormatter
from tests.server.small_server import LiveServer

START = b"POST /v1/translate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
SECOND = b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def exchange(server: LiveServer, sent: bytes, seconds: float = 3.0) -> bytes:
    host, port = re.findall(r"//(.*):(\d+)", server.url)[0]
    found, until = b"", time.monotonic() + seconds
    with socket.create_connection((host, int(port)), timeout=0.5) as connection:
        try:
            connection.sendall(sent)
            while time.monotonic() < until and (part := connection.recv(65_536)):
                found += part
        except (TimeoutError, ConnectionError):
            pass
    return found


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        b"Content-Length: 2\r\nContent-Length: 3\r\n",
        b"Transfer-Encoding: chunked, identity\r\n",
        b"Transfer-Encoding: xchunked\r\n",
        b"Content-Length: +2\r\n",
        b"Content-Length : 2\r\n",
        b"Transfer-Encoding\x0b: chunked\r\n",
    ],
)
def test_requests_whose_end_is_not_clear_are_refused(server: LiveServer, framing: bytes) -> None:
    """A proxy might see the end elsewhere, and another client's request in what follows (smuggling)."""
    found = exchange(server, START + framing + b"\r\n{}" + SECOND)
    assert found.startswith(b"HTTP/1.1 400"), found
    assert found.count(b"HTTP/1.1") == 1
    assert b"lexalign_requests" not in found


def test_headers_are_bounded(server: LiveServer) -> None:
    for header in (b"X: " + b"a" * 1_000_000, b"X: y\r\n" * 200_000, b"Cookie: " + b"b=c;" * 100_000):
        found = exchange(server, START + header + b"\r\n\r\n")
        assert b"HTTP/1.1 431" in found or not found  # where it is still sending, it may see no answer
    assert exchange(server, b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\n\r\n")[:12] in (b"HTTP/1.1 431", b"")
    assert server.client.get("/health").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/page/../app.py",
        "/page/%2e%2e/app.py",
        "/page/..%2f..%2fserver%2fapp.py",
        "/page/%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/page//etc/passwd",
        "/page/..\\app.py",
        "//etc/passwd",
    ],
)
def test_no_file_but_the_pages_own(server: LiveServer, path: str) -> None:
    found = exchange(server, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode(), 1.0)
    assert found.startswith(b"HTTP/1.1 4"), found
    assert b"import" not in found
    assert b"root:" not in found


@pytest.mark.parametrize("identifier", ["' or 1=1 --", '"; drop table keys; --', "%00", "a%00b", "%ff", "*"])
def test_identifiers_are_no_statements(server: LiveServer, identifier: str) -> None:
    for path in ("glossaries", "jobs", "documents"):
        assert server.client.get(f"/v1/{path}/{identifier}").status_code == 404
        assert server.client.delete(f"/v1/{path}/{identifier}").status_code == 404
    asked = {"text": "das Haus", "source_language": "de", "target_language": "en", "glossary_id": "' or 1=1"}
    assert server.client.post("/v1/translate", json=asked).status_code == 404


def test_a_page_elsewhere_can_send_nothing_that_counts(server: LiveServer) -> None:
    """Without permission (CORS) it may send forms and plain text, and read nothing."""
    other = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    body = '{"name": "x", "terms": [{"source": "a", "targets": ["b"]}]}'
    plain = server.client.post(
        "/v1/glossaries", content=body, headers={**other, "Content-Type": "text/plain"}
    )
    assert plain.status_code in (403, 422)
    form = server.client.post("/v1/documents", files={"file": ("a.txt", b"Haus")}, headers=other)
    assert form.status_code == 403
    imported = f"{server.url}/v1/glossaries/import?format=csv&name=planted"
    untrusted = {"Origin": "http://evil.example"}  # all that a browser tells over plain HTTP
    neighbour = {"Origin": "http://localhost:3000", "Sec-Fetch-Site": "same-site"}
    for headers in (other, untrusted, neighbour, {"Origin": "null"}, {"Origin": "http://["}):
        assert httpx.post(imported, content="source,target\nHaus,x\n", headers=headers).status_code == 403
    assert "planted" not in server.client.get("/v1/glossaries").text
    own = {"Origin": server.url}
    made = httpx.post(imported, content="source,target\nHaus,x\n", headers=own)
    assert made.status_code == 201, made.text
    server.client.delete(f"/v1/glossaries/{made.json()['id']}")
    asked = httpx.get(f"{server.url}/v1/models", headers=other)
    assert "access-control-allow-origin" not in asked.headers
    preflight = {**other, "Access-Control-Request-Method": "POST"}
    assert httpx.options(f"{server.url}/v1/translate", headers=preflight).status_code == 405


def test_clients_do_not_fill_the_log(
    server: LiveServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "_SECONDS_PER_WARNING", 3600.0)
    logger = logging.getLogger("uvicorn.error")
    # Whatever other servers of this process have set.
    monkeypatch.setattr(logger, "filters", [SeldomTheSame()])
    monkeypatch.setattr(logger, "handlers", [caplog.handler])
    monkeypatch.setattr(logger, "propagate", False)
    monkeypatch.setattr(logger, "disabled", False)
    caplog.set_level(logging.WARNING, logger="uvicorn.error")
    for _ in range(20):
        assert exchange(server, b"NONE / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400")
    upgrade = b"Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n"
    found = exchange(server, b"GET /live HTTP/1.1\r\nHost: localhost\r\n" + upgrade)
    assert found.startswith(b"HTTP/1.1 200")
    assert [one.getMessage() for one in caplog.records if one.name == "uvicorn.error"] == [
        "Invalid HTTP request received."
    ]


def test_what_clients_send_begins_no_line_of_the_log() -> None:
    record = logging.LogRecord("lexalign", logging.INFO, "", 0, "request", None, None)
    record.fields = {"path": '/a\n2026-01-01 error forged="x"\x1b[31m\u2028'}
    for formatter in (JsonFormatter(), TextFormatter()):
        line = formatter.format(record)
        assert "\n" not in line
        assert "\x1b" not in line
