"""Documents over HTTP: our own jobs, and DeepL's."""

import io
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import deepl
import httpx
import pytest

from lexalign.server.running import ServerOptions
from tests.server.small_server import LiveServer, live_server

PAIR = {"source_language": "de", "target_language": "en"}
HTML = "<html><body><h1>das Haus</h1><p>der kleine <b>Hund</b> läuft</p><p>das Haus {name}</p></body></html>"
SRT = "1\n00:00:01,000 --> 00:00:02,000\ndas Haus ist groß\n\n2\n00:00:03,000 --> 00:00:04,000\nder Hund\n"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def submit(client: httpx.Client, name: str, content: bytes | str, **fields: str) -> dict[str, Any]:
    files = {"file": (name, content)}
    found = client.post("/v1/documents", files=files, data={**PAIR, **fields})
    assert found.status_code == 202, found.text
    return dict(found.json())


def wait_for(client: httpx.Client, identifier: str) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found: dict[str, Any] = client.get(f"/v1/documents/{identifier}").json()
        if found["status"] in ("done", "failed", "cancelled"):
            return found
        time.sleep(0.05)
    raise TimeoutError


def make_docx(text: str) -> bytes:
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/></Types>',
        "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p>'
        "</w:body></w:document>",
    }
    written = io.BytesIO()
    with ZipFile(written, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return written.getvalue()


def own(client: httpx.Client, text: str, **more: object) -> str:
    asked = {"text": text, **PAIR, **more}
    return str(client.post("/v1/translate", json=asked).json()["translations"][0]["text"])


def test_a_document(client: httpx.Client) -> None:
    begun = submit(client, "../seite.html", HTML)
    assert (begun["name"], begun["format"]) == ("seite.html", "html")
    found = wait_for(client, begun["id"])
    assert found["status"] == "done", found
    assert (found["done"], found["total"]) == (3, 3)
    assert (found["source_language"], found["target_language"]) == ("de", "en")
    fetched = client.get(f"/v1/documents/{begun['id']}/result")
    assert f"<h1>{own(client, 'das Haus')}</h1>" in fetched.text
    assert fetched.text.count("<b>") == 1
    assert "{name}" in fetched.text
    assert "seite.html" in fetched.headers["content-disposition"]
    assert fetched.headers["content-type"] == "application/octet-stream"
    told = client.get(f"/v1/documents/{begun['id']}/report").json()
    assert told["counts"]["segments"] == found["counts"]["segments"] == 3
    assert told["counts"]["placeholders"] == 1
    assert begun["id"] in [one["id"] for one in client.get("/v1/documents").json()]
    assert client.delete(f"/v1/documents/{begun['id']}").status_code == 204
    for path in ("", "/result", "/report", "/events"):
        assert client.get(f"/v1/documents/{begun['id']}{path}").status_code == 404


def test_terms_are_met_and_told(client: httpx.Client) -> None:
    terms = [{"source": "Hund", "targets": ["München"]}]
    begun = submit(client, "a.srt", SRT, glossary=json.dumps(terms))
    found = wait_for(client, begun["id"])
    assert (found["counts"]["terms"], found["counts"]["terms_met"]) == (1, 1), found
    written = client.get(f"/v1/documents/{begun['id']}/result").text
    assert "München" in written
    assert "00:00:03,000 --> 00:00:04,000" in written
    segments = client.get(f"/v1/documents/{begun['id']}/report").json()["files"][0]["segments"]
    assert segments[0]["terms"][0]["form"] == "München"


def test_events_tell_of_progress(client: httpx.Client) -> None:
    lines = "\n\n".join(f"der kleine Hund läuft über die Straße {number}" for number in range(120))
    begun = submit(client, "a.txt", lines)
    with client.stream("GET", f"/v1/documents/{begun['id']}/events") as response:
        told = [line for line in response.iter_lines() if line]
    names = [line.removeprefix("event: ") for line in told if line.startswith("event: ")]
    states = [json.loads(line.removeprefix("data: ")) for line in told if line.startswith("data: ")]
    assert names[-1] == "end"
    assert set(names[:-1]) <= {"progress"}
    assert states[-1]["status"] == "done"
    assert [one["done"] for one in states] == sorted(one["done"] for one in states)


def test_a_document_is_cancelled(client: httpx.Client) -> None:
    sentences = " ".join(f"Der kleine Hund läuft {number} über die lange Straße." for number in range(2_000))
    begun = submit(client, "a.txt", sentences)
    cancelled = client.post(f"/v1/documents/{begun['id']}/cancel")
    assert cancelled.json()["status"] == "cancelled"
    assert client.get(f"/v1/documents/{begun['id']}/result").status_code == 409
    time.sleep(1.5)  # its server notices within a second
    assert client.get(f"/v1/documents/{begun['id']}").json()["status"] == "cancelled"
    assert client.delete(f"/v1/documents/{begun['id']}").status_code == 204


@pytest.mark.parametrize(
    ("name", "content", "fields", "status", "message"),
    [
        ("a.pdf", b"%PDF", {}, 400, "its name does not tell its format"),
        ("a.html", b"", {}, 400, "the file is empty"),
        ("a.html", HTML.encode(), {"target_language": "fr"}, 400, "no model"),
        ("a.html", HTML.encode(), {"glossary_id": "nothing"}, 404, "no such glossary"),
        ("a.html", HTML.encode(), {"glossary": "[{}]"}, 422, "glossary"),
        ("a.html", HTML.encode(), {"other": "x"}, 422, "other"),
    ],
)
def test_bad_documents_are_refused(
    client: httpx.Client, name: str, content: bytes, fields: dict[str, str], status: int, message: str
) -> None:
    found = client.post("/v1/documents", files={"file": (name, content)}, data={**PAIR, **fields})
    assert found.status_code == status, found.text
    assert message in found.json()["message"]


def test_a_document_that_cannot_be_read_fails_with_a_reason(client: httpx.Client) -> None:
    found = wait_for(client, submit(client, "a.docx", b"not a zip file")["id"])
    assert found["status"] == "failed"
    assert found["message"]
    assert "/" not in found["message"]


def test_a_request_that_is_sent_again_is_done_once(client: httpx.Client) -> None:
    body = {"name": "once", "terms": [{"source": "Haus", "targets": ["house"]}]}
    headers = {"Idempotency-Key": "test-once"}
    first, second = (client.post("/v1/glossaries", json=body, headers=headers) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert second.headers["Idempotent-Replay"] == "true"
    other = client.post("/v1/glossaries", json={**body, "name": "other"}, headers=headers)
    assert other.status_code == 422
    assert "Idempotency-Key" in other.json()["message"]
    bad = client.post("/v1/glossaries", json={}, headers={"Idempotency-Key": "test-bad"})
    assert bad.status_code == 422
    assert client.post("/v1/glossaries", json=body, headers={"Idempotency-Key": "test-bad"}).is_success
    imported = "/v1/glossaries/import?format=csv&name=once"
    again = {"content": "source,target\nHaus,house\n", "headers": {"Idempotency-Key": "test-import"}}
    assert len({client.post(imported, **again).json()["id"] for _ in range(2)}) == 1  # type: ignore[arg-type]


def test_requests_at_the_same_time_are_done_once(client: httpx.Client) -> None:
    body = {"name": "together", "terms": [{"source": "Haus", "targets": ["house"]}]}
    found: list[httpx.Response] = []

    def send() -> None:
        found.append(client.post("/v1/glossaries", json=body, headers={"Idempotency-Key": "together"}))

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {one.status_code for one in found} <= {201, 409}
    assert len({one.json()["id"] for one in found if one.status_code == 201}) == 1


@pytest.fixture(scope="module")
def translator(server: LiveServer) -> Iterator[deepl.DeepLClient]:
    found = deepl.DeepLClient("any", server_url=server.url)
    yield found
    found.close()  # type: ignore[no-untyped-call]


def test_documents_of_the_official_client(
    translator: deepl.DeepLClient, client: httpx.Client, tmp_path: Path
) -> None:
    source, target = tmp_path / "a.docx", tmp_path / "b.docx"
    source.write_bytes(make_docx("das Haus ist groß"))
    handle = translator.translate_document_upload(
        source.open("rb"), source_lang="DE", target_lang="EN-US", filename="a.docx"
    )
    while not (status := translator.translate_document_get_status(handle)).done:
        assert status.ok, status.error_message
        time.sleep(0.05)
    assert status.billed_characters == len("das Haus ist groß")
    with target.open("wb") as file:
        translator.translate_document_download(handle, file)
    with ZipFile(target) as archive:
        assert own(client, "das Haus ist groß") in archive.read("word/document.xml").decode()
    wrong = deepl.DocumentHandle(handle.document_id, "wrong")
    with pytest.raises(deepl.DeepLException, match="no such job"):
        translator.translate_document_get_status(wrong)


def test_a_glossary_for_a_document_of_deepl(translator: deepl.DeepLClient) -> None:
    glossary = translator.create_glossary("Tiere", "DE", "EN", {"Hund": "München"})
    written = io.BytesIO()
    handle = translator.translate_document_upload(
        b"der Hund", source_lang="DE", target_lang="EN-US", glossary=glossary, filename="a.txt"
    )
    while not translator.translate_document_get_status(handle).done:
        time.sleep(0.05)
    translator.translate_document_download(handle, written)
    assert "München" in written.getvalue().decode()


@pytest.mark.parametrize(
    ("option", "message"),
    [({"output_format": "pdf"}, "output_format"), ({"formality": "more"}, "formality")],
)
def test_what_deepl_does_and_we_do_not(client: httpx.Client, option: dict[str, str], message: str) -> None:
    files = {"file": ("a.txt", b"das Haus")}
    found = client.post("/v2/document", files=files, data={"target_lang": "EN-US", **option})
    assert found.status_code == 400
    assert message in found.json()["message"]


def test_documents_outlive_the_server(server: LiveServer, tmp_path: Path) -> None:
    """One that is under way when the server stops is translated by the next one."""
    options = ServerOptions(models=server.options.models, data=tmp_path, port=0, device="cpu", workers=1)
    text = "\n\n".join(f"der kleine Hund {number}" for number in range(300))
    with live_server(options) as live:
        identifier = submit(live.client, "a.txt", text)["id"]
    with live_server(options) as live:
        assert wait_for(live.client, identifier)["status"] == "done"
