"""Invalid requests get an error of one line, and harm no other request."""

from typing import Any

import httpx
import pytest

PAIR = {"source_language": "de", "target_language": "en"}
HOUSE = {"source": "Haus", "targets": ["house"]}


def body(**more: Any) -> dict[str, Any]:
    return {"text": "das Haus", **PAIR, **more}


@pytest.mark.parametrize(
    ("asked", "status", "message"),
    [
        (body(text="das\0Haus"), 400, "NUL"),
        (
            body(source_language="fr"),
            400,
            "no model from fr to en is loaded; the loaded models are de-en, en-de",
        ),
        (body(source_language="../../etc"), 422, "source_language"),
        (body(glossary=[HOUSE] * 10_000), 400, "10000 terms are more than 1000"),
        (body(glossary=[HOUSE, {**HOUSE, "policy": "avoid"}]), 400, "contradicts itself"),
        (body(glossary=[{"source": "Haus", "policy": "keep"}, HOUSE]), 400, "contradicts itself"),
        (body(glossary=[HOUSE, {"source": "Hund", "targets": []}]), 400, "term 2: the target is empty"),
        (body(glossary=[{"source": "a\0b", "targets": ["x"]}]), 400, "control character"),
        (body(glossary_id="nothing"), 404, "no such glossary"),
        (body(beam=0), 422, "beam"),
        (body(beam=1000), 422, "beam"),
        (body(beam=2, alternatives=2), 422, "fewer than beam"),
        (body(policy="magic"), 422, "policy"),
        (body(tags="xml", text="<b>das <i>Haus</b>"), 400, "tag"),
        (body(unknown=1), 422, "unknown"),
        (body(text=[]), 422, "text: List should have at least 1 item"),
        (body(text=["Haus"] * 1_001), 422, "text: List should have at most 1000 items"),
        (body(text=5), 422, "text"),
        ({"text": "x" * 300_000, **PAIR}, 422, "text"),
        ([], 422, ""),
    ],
)
def test_translate_refuses(client: httpx.Client, asked: Any, status: int, message: str) -> None:
    for path in ("/v1/translate", "/v1/stream"):
        found = client.post(path, json=asked)
        if path == "/v1/stream" and found.status_code == 200:  # known only while it is translated
            assert "event: error" in found.text
            assert message in found.text
            continue
        if path == "/v1/translate" or not isinstance(asked, dict) or not isinstance(asked.get("text"), list):
            assert found.status_code == status, found.text
            assert message in found.json()["message"]
        assert "\n" not in found.json()["message"]
        assert len(found.text) < 2000


@pytest.mark.parametrize(
    ("path", "content", "status"),
    [
        ("/v1/translate", b"{", 422),
        ("/v1/translate", b'{"text": "\\ud800", "target_language": "en"}', 422),
        ("/v1/translate", b"\xff\xfe", 422),
        ("/v1/translate", b"[" * 100_000, 400),
        ("/v2/translate", b"{", 400),
        ("/v2/translate", b"[" * 100_000, 400),
        ("/v2/translate", b'{"text": "\\ud800", "target_lang": "EN"}', 400),
        ("/translate", b"{}", 400),
        ("/v1/glossaries", b'{"name": "x", "terms": []}', 422),
        ("/v1/align", b'{"pairs": [{"source": "x", "target": " "}], "target_language": "en"}', 400),
        ("/v1/glossary-files/read?format=tbx", b"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>", 400),
        ("/v1/glossary-files/read?format=csv", b"\x00\x01\xff", 400),
        ("/v1/glossary-files/read?format=exe", b"", 422),
    ],
)
def test_bodies_that_are_broken(client: httpx.Client, path: str, content: bytes, status: int) -> None:
    found = client.post(path, content=content, headers={"content-type": "application/json"})
    assert found.status_code == status, found.text
    assert found.json()["message"] == found.json()["error"]


@pytest.mark.parametrize("declared", [True, False])
def test_a_large_body_is_refused(client: httpx.Client, declared: bool) -> None:
    large = b'{"text": "' + b"x" * 10_000_000 + b'"}'
    content = (
        large if declared else (large[start : start + 100_000] for start in range(0, len(large), 100_000))
    )
    found = client.post("/v1/translate", content=content, headers={"content-type": "application/json"})
    assert found.status_code == 413
    assert "in parts" in found.json()["message"]


def test_nothing_tells_where_files_are(client: httpx.Client, model_folder: Any) -> None:
    for found in (
        client.get("/v1/glossaries/..%2f..%2fetc%2fpasswd"),
        client.get("/page/..%2f..%2fapp.py"),
        client.get("/page/%2e%2e/app.py"),
        client.post("/v1/glossary-files/read?format=tmx", content=b"<"),
    ):
        assert found.status_code in (400, 404)
        for secret in (str(model_folder), "site-packages", "Traceback", "lexalign/server", "passwd"):
            assert secret not in found.text


def test_others_are_answered_after_all_that(client: httpx.Client) -> None:
    assert client.post("/v1/translate", json=body()).status_code == 200
    metrics = client.get("/metrics").text
    assert "lexalign_worker_deaths_total 0.0" in metrics
    assert "lexalign_waiting_tokens 0.0" in metrics
    assert 'status="500"' not in metrics


def test_cross_origin_calls_are_not_invited(client: httpx.Client) -> None:
    found = client.get("/health", headers={"Origin": "https://example.com"})
    assert "access-control-allow-origin" not in found.headers
