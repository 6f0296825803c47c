"""A server and clients that mean it no good: slow ones, many, other pages, and those that guess keys."""

import gc
import re
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from lexalign.server.http.connections import ConnectionLimits
from lexalign.server.http.hosts import allowed_hosts
from lexalign.server.http.services import Protection
from lexalign.server.http.throttling import KeyLimits, QuotaError, ThrottledError
from lexalign.server.running import DATABASE
from lexalign.server.storage.database import Database
from lexalign.server.storage.keys import Key, KeyStore
from lexalign.server.storage.usage import UsageStore
from lexalign.server.translating.catalogue import LoadedModel
from tests.server.small_server import LiveServer, live_server
from tests.server.waiting import wait_until

BODY = {"text": "das Haus", "source_language": "de", "target_language": "en"}
LIBRE = {"q": "das Haus", "source": "de", "target": "en"}
HEADERS = b"POST /v1/translate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def limited(server: LiveServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server with short times and small numbers."""
    options = replace(
        server.options,
        data=tmp_path_factory.mktemp("limited"),
        connections=ConnectionLimits(
            header_seconds=0.4, body_seconds=0.6, write_seconds=0.5, idle_seconds=1, max_connections=30
        ),
        protection=Protection(client_requests=8, slow_seconds=0.0001),
    )
    with live_server(options) as live:
        yield live


def connect(server: LiveServer) -> socket.socket:
    host, port = re.findall(r"//(.*):(\d+)", server.url)[0]
    return socket.create_connection((host, int(port)), timeout=10)


def rest(connection: socket.socket) -> tuple[bytes, float]:
    """What comes until the server closes, and how long that takes."""
    started, found = time.monotonic(), b""
    try:
        while part := connection.recv(65_536):
            found += part
    except ConnectionError:
        pass
    return found, time.monotonic() - started


def seconds_of_sending(connection: socket.socket, part: bytes, *, pause: float) -> float:
    """How long the server lets a client send the same part again and again."""
    started = time.monotonic()
    try:
        while time.monotonic() - started < 10.0:
            connection.sendall(part)
            time.sleep(pause)
    except ConnectionError:
        pass
    return time.monotonic() - started


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"", b"408"),
        (b"GET /health HT", b"408"),
        (HEADERS, b"408"),
        (HEADERS + b"Content-Length: 10\r\n\r\n{", b"408"),
        (HEADERS + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", b"408"),
        (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"200"),  # and then nothing
        (b"GET /none HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n", b"404"),  # and no body
    ],
)
def test_slow_clients_are_let_go(limited: LiveServer, sent: bytes, expected: bytes) -> None:
    with connect(limited) as connection:
        connection.sendall(sent)
        found, seconds = rest(connection)
    assert found.startswith(b"HTTP/1.1 " + expected), found
    assert 0.2 < seconds < 4.0


def test_what_trickles_is_slow_too(limited: LiveServer) -> None:
    for first, each in (
        (b"", b"\r\n"),
        (HEADERS, b"X: y\r\n"),
        (HEADERS + b"Content-Length: 99\r\n\r\n", b" "),
    ):
        with connect(limited) as connection:
            connection.sendall(first)
            assert seconds_of_sending(connection, each, pause=0.05) < 3.0


def test_a_client_that_does_not_read_is_let_go(limited: LiveServer) -> None:
    with connect(limited) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        asked = b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        assert seconds_of_sending(connection, asked * 100, pause=0.02) < 5.0


def test_those_that_hold_connections_keep_nobody_out(limited: LiveServer) -> None:
    held = [connect(limited) for _ in range(60)]
    try:
        assert httpx.get(f"{limited.url}/health", timeout=60).status_code == 200
        assert httpx.post(f"{limited.url}/v1/translate", json=BODY, timeout=60).status_code == 200
        refused = [one for one in held if rest(one)[0].startswith(b"HTTP/1.1 503")]
        assert len(refused) >= 30
    finally:
        for one in held:
            one.close()


def test_requests_of_one_client_at_a_time(limited: LiveServer) -> None:
    long = {**BODY, "text": ["der kleine Hund läuft über die lange Straße"] * 40}
    limits = httpx.Limits(max_connections=24)
    with (
        httpx.Client(base_url=limited.url, timeout=60, limits=limits) as client,
        ThreadPoolExecutor(24) as pool,
    ):
        found = list(pool.map(lambda _: client.post("/v1/translate", json=long), range(24)))
    statuses = {one.status_code for one in found}
    assert statuses == {200, 429}
    refused = next(one for one in found if one.status_code == 429)
    assert "8 requests" in refused.json()["message"]
    assert int(refused.headers["retry-after"]) >= 1
    assert httpx.get(f"{limited.url}/health").status_code == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST.:80", 200),
        ("127.0.0.1:8080", 200),
        ("[::1]:1", 200),
        ("evil.example", 421),
        ("localhost.evil.example", 421),
        ("127.0.0.1.evil.example:8080", 421),
        ("", 421),
    ],
)
def test_only_local_names_are_answered_to(server: LiveServer, host: str, status: int) -> None:
    """Otherwise a page elsewhere could have its own name lead here, and read what it likes."""
    for path in ("/", "/v1/models", "/health", "/openapi.json"):
        assert httpx.get(server.url + path, headers={"Host": host}).status_code == status, path


def test_hosts_of_other_addresses() -> None:
    assert allowed_hosts("0.0.0.0", ()) == ()
    assert allowed_hosts("127.0.0.1", ("*",)) == ()
    assert "example.org" in allowed_hosts("0.0.0.0", ("example.org",))
    assert set(allowed_hosts("::1", ("A.example",))) == {"a.example", "localhost", "127.0.0.1", "::1"}


@pytest.mark.parametrize("path", ["/", "/docs", "/page/main.js", "/v1/models", "/none", "/openapi.json"])
def test_headers_for_browsers_are_everywhere(server: LiveServer, path: str) -> None:
    headers = httpx.get(server.url + path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert (
        "default-src 'self'" in headers["content-security-policy"]
        or "default-src 'none'" in headers["content-security-policy"]
    )
    assert re.fullmatch(r"[0-9a-f]{32}", headers["x-request-id"])


def test_heads(server: LiveServer) -> None:
    for path in ("/health", "/ready", "/live", "/"):
        found = httpx.head(server.url + path)
        assert (found.status_code, found.content) == (200, b"")


def test_request_ids_are_kept_where_they_are_harmless(server: LiveServer) -> None:
    for given, kept in (("abc-1.2_3", True), ("a b", False), ("x" * 65, False), ('"\\n', False)):
        found = httpx.get(f"{server.url}/live", headers={"X-Request-Id": given}).headers["x-request-id"]
        assert (found == given) is kept


def test_rates_quotas_and_guesses(tmp_path: Path) -> None:
    now = 1_000.0
    usage = UsageStore(Database(tmp_path / "db"))
    limits = KeyLimits(usage, clock=lambda: now)
    anna = Key(name="anna", requests_per_minute=3)
    for _ in range(3):
        limits.admit(anna)
    with pytest.raises(ThrottledError) as error:
        limits.admit(anna)
    assert error.value.retry_after == 20
    now += 20
    limits.admit(anna)
    bert = Key(name="bert", monthly_characters=100)
    limits.check_quota(bert)
    usage.count("bert", characters=100)
    with pytest.raises(QuotaError, match="100 characters") as over:
        limits.check_quota(bert)
    then = datetime.now(UTC) + timedelta(seconds=over.value.retry_after)
    assert (then.day, then.hour, over.value.retry_after <= 31 * 86_400) == (1, 0, True)
    limits.admit(bert)
    limits.count_guess("1.2.3.4", bert)
    for _ in range(10):
        limits.count_guess("1.2.3.4", None)
    for key in (None, anna):  # a right one is not let through either, or guessing would go on
        with pytest.raises(ThrottledError):
            limits.count_guess("1.2.3.4", key)
    limits.count_guess("1.2.3.4", bert)  # which this address had before
    limits.count_guess("5.6.7.8", anna)
    waits = []
    for _ in range(12):
        try:
            limits.count_guess("1.2.3.4", None)
        except ThrottledError as refused:
            waits.append(refused.retry_after)
            now += refused.retry_after
            limits.count_guess("1.2.3.4", None)
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]


def test_limits_of_keys_over_http(server: LiveServer, tmp_path: Path) -> None:
    keys = KeyStore(Database(tmp_path / DATABASE))
    few, short, boss, other = (
        {"Authorization": f"Bearer {key}"}
        for key in (
            keys.add("few", requests_per_minute=2),
            keys.add("short", monthly_characters=10),
            keys.add("boss", admin=True),
            keys.add("other"),
        )
    )
    options = replace(server.options, data=tmp_path, models=server.options.models[:1])
    with live_server(options) as live:
        client = live.client
        assert [client.get("/v1/models", headers=few).status_code for _ in range(3)] == [200, 200, 429]
        assert (
            client.post("/v1/translate", json={**BODY, "text": "das Haus ist"}, headers=short).status_code
            == 200
        )
        refused = client.post("/v1/translate", json=BODY, headers=short)
        assert (refused.status_code, "used up" in refused.text) == (429, True)
        assert int(refused.headers["retry-after"]) > 0
        assert client.post("/translate", json=LIBRE, headers=short).status_code == 429
        files = {"file": ("a.txt", b"das Haus")}
        assert client.post("/v1/documents", files=files, headers=short).status_code == 429
        assert client.post("/v1/stream", json=BODY, headers=short).status_code == 429
        asked = {"text": ["das Haus"], "target_lang": "EN"}
        assert client.post("/v2/translate", json=asked, headers=short).status_code == 456
        # What is there already can be had: a document may be what has used up the quota.
        assert client.get("/v1/documents", headers=short).status_code == 200
        assert client.get("/v2/usage", headers=short).json() == {"character_count": 12, "character_limit": 10}
        assert client.post("/v1/admin/reload", headers=few).status_code in (403, 429)
        assert client.get("/v1/admin/usage", headers=short).status_code == 403
        wait_until(lambda: len(client.get("/v1/admin/usage", headers=boss).json()) == 3)
        used = {one["owner"]: one for one in client.get("/v1/admin/usage", headers=boss).json()}
        assert used["short"]["characters"] == 12
        assert client.get("/v1/models", headers=other).status_code == 200
        wrong = [client.get("/v1/models", headers={"X-API-Key": str(n)}).status_code for n in range(12)]
        assert wrong == [401] * 10 + [429] * 2
        assert client.get("/v1/models", headers=boss).status_code == 200
        document = client.post("/v1/documents", files={"file": ("a.txt", b"das Haus")}, headers=boss).json()
        for path in ("", "/result", "/report", "/events"):
            assert client.get(f"/v1/documents/{document['id']}{path}", headers=other).status_code == 404
        assert client.get("/v1/documents", headers=other).json() == []
        assert len(client.get("/v1/documents", headers=boss).json()) == 1


def num_loaded_models() -> int:
    gc.collect()
    return sum(type(one) is LoadedModel for one in gc.get_objects())


def test_models_are_loaded_again_without_a_lost_request(server: LiveServer, tmp_path: Path) -> None:
    key = {"Authorization": f"Bearer {KeyStore(Database(tmp_path / DATABASE)).add('boss', admin=True)}"}
    options = replace(server.options, data=tmp_path, models=server.options.models[:1])
    statuses: list[int] = []
    with live_server(options) as live:
        over = threading.Event()

        def ask() -> None:
            with httpx.Client(base_url=live.url, timeout=60, headers=key) as client:
                while not over.is_set():
                    statuses.append(client.post("/v1/translate", json=BODY).status_code)

        asking = [threading.Thread(target=ask) for _ in range(4)]
        for one in asking:
            one.start()
        try:
            before = num_loaded_models()
            found = live.client.post("/v1/admin/reload", headers=key, timeout=60)
            assert found.json() == {"models": ["de-en"]}
            num_before = len(statuses)
            wait_until(lambda: len(statuses) > num_before + 10)
        finally:
            over.set()
            for one in asking:
                one.join()
        assert live.client.get("/ready").json()["workers"] == 1
        wait_until(lambda: num_loaded_models() == before)  # the old ones are not kept beside the new ones
    assert len(statuses) > 10
    assert set(statuses) == {200}
