"""API keys: stored as hashes, required of all requests once one exists, in the headers of several clients."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.server.running import DATABASE
from lexalign.server.storage.database import Database
from lexalign.server.storage.keys import KeyStore
from tests.server.small_server import LiveServer, live_server


@pytest.fixture
def store(database: Database) -> KeyStore:
    return KeyStore(database)


def test_keys_are_accepted_until_they_are_removed(store: KeyStore) -> None:
    assert store.accepts(None)
    key, other = store.add("anna"), store.add("bert")
    assert store.accepts(key)
    assert store.accepts(other)
    for wrong in (None, "", key[:-1], key.swapcase(), "\ud800"):
        assert not store.accepts(wrong)
    store.remove("anna")
    assert not store.accepts(key)
    assert [key.name for key in store.list()] == ["bert"]


def test_names_are_checked(store: KeyStore) -> None:
    store.add("anna")
    for name, message in (("anna", "already"), ("", "not a valid name"), ("a b", "not a valid name")):
        with pytest.raises(LexalignError, match=message):
            store.add(name)
    with pytest.raises(LexalignError, match="no key named bert"):
        store.remove("bert")


def test_nothing_at_rest_is_the_key(tmp_path: Path) -> None:
    store = KeyStore(Database(tmp_path / DATABASE))
    key = store.add("anna")
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"anna" in stored
    assert key.encode() not in stored
    with sqlite3.connect(tmp_path / DATABASE) as connection:
        ((digest,),) = connection.execute("select digest from keys").fetchall()
    assert len(digest) == 32


@pytest.fixture(scope="module")
def locked(
    server: LiveServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[httpx.Client, str]]:
    data = tmp_path_factory.mktemp("locked")
    key = KeyStore(Database(data / DATABASE)).add("anna")
    options = replace(server.options, data=data, models=server.options.models[:1])
    with live_server(options) as live:
        yield live.client, key


def test_a_key_is_asked_for(locked: tuple[httpx.Client, str]) -> None:
    client, key = locked
    body = {"text": "das Haus", "target_language": "en"}
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"X-API-Key": ""}):
        refused = client.post("/v1/translate", json=body, headers=headers)
        assert refused.status_code == 401
        assert "API key" in refused.json()["message"]
    for headers in ({"Authorization": f"Bearer {key}"}, {"X-API-Key": key}):
        assert client.post("/v1/translate", json=body, headers=headers).status_code == 200


def test_fronts_ask_in_their_own_way(locked: tuple[httpx.Client, str]) -> None:
    client, key = locked
    form = {"text": "das Haus", "target_lang": "EN-US"}
    assert client.post("/v2/translate", data=form).status_code == 403
    headers = {"Authorization": f"DeepL-Auth-Key {key}"}
    assert client.post("/v2/translate", data=form, headers=headers).status_code == 200
    libre = {"q": "das Haus", "source": "de", "target": "en"}
    assert client.post("/translate", json=libre).status_code == 403
    assert client.post("/translate", json={**libre, "api_key": key}).status_code == 200
    assert client.post("/detect", json={"q": "das Haus"}).status_code == 403


OPEN = ("/", "/docs", "/openapi.json", "/health", "/page/main.js", "/languages", "/frontend/settings")
CLOSED = ("/metrics", "/v1/glossaries", "/v1/models", "/v1/documents", "/v1/suggestions")
CLOSED_TO_OTHERS = ("/v2/glossaries", "/v3/glossaries", "/v2/languages", "/v2/usage")


@pytest.mark.parametrize(
    ("path", "status"),
    [(path, 200) for path in OPEN]
    + [(path, 401) for path in CLOSED]
    + [(path, 403) for path in CLOSED_TO_OTHERS],
)
def test_only_the_page_and_its_documentation_are_open(
    locked: tuple[httpx.Client, str], path: str, status: int
) -> None:
    assert locked[0].get(path).status_code == status


def test_replies_are_for_those_with_a_key(locked: tuple[httpx.Client, str]) -> None:
    """Nothing is written for others, or they could fill the database."""
    client, key = locked
    body = {"name": "x", "terms": [{"source": "Haus", "targets": ["house"]}]}
    for headers, status in (({}, 401), ({"X-API-Key": "wrong"}, 401), ({"X-API-Key": key}, 201)):
        again = {**headers, "Idempotency-Key": "once"}
        found = [client.post("/v1/glossaries", json=body, headers=again) for _ in range(2)]
        assert [one.status_code for one in found] == [status] * 2
        assert ("idempotent-replay" in found[1].headers) is (status == 201)


def test_documents_need_a_key(locked: tuple[httpx.Client, str]) -> None:
    client, key = locked
    anna = {"Authorization": f"Bearer {key}"}
    files = {"file": ("a.txt", b"das Haus")}
    made = client.post("/v1/documents", files=files, data={"target_language": "en"}, headers=anna).json()
    assert client.get(f"/v1/documents/{made['id']}").status_code == 401
    assert client.get(f"/v1/documents/{made['id']}", headers=anna).status_code == 200
    assert made["id"] in [one["id"] for one in client.get("/v1/documents", headers=anna).json()]
    libre = {"source": "de", "target": "en"}
    found = client.post("/translate_file", files=files, data={**libre, "api_key": key})
    assert client.get(found.json()["translatedFileUrl"]).status_code == 200  # its name is the secret
    assert client.post("/translate_file", files=files, data=libre).status_code == 403
    asked = {"auth_key": key, "text": "das Haus", "target_lang": "EN"}
    assert client.get("/v1/translate", params=asked).status_code == 200
    assert client.get("/v1/translate", params={**asked, "auth_key": "x"}).status_code == 403
