"""DeepL's official client for Node, doing what its users do."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.small_server import LiveServer

FOLDER = Path(__file__).parent / "node"
NODE = shutil.which("node")
pytestmark = [
    pytest.mark.skipif(NODE is None, reason="node is not installed"),
    pytest.mark.skipif(
        not (FOLDER / "node_modules" / "deepl-node").exists(),
        reason="deepl-node is not installed; run npm install in tests/server/node",
    ),
]


@pytest.fixture(scope="module")
def found(server: LiveServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    assert NODE is not None
    command = [NODE, str(FOLDER / "examples.cjs"), server.url, str(tmp_path_factory.mktemp("node"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def own(client: httpx.Client, text: str) -> str:
    asked = {"text": text, "source_language": "de", "target_language": "en"}
    return str(client.post("/v1/translate", json=asked).json()["translations"][0]["text"])


def test_texts(found: dict[str, Any], client: httpx.Client) -> None:
    house = own(client, "das Haus")
    assert (found["text"]["text"], found["text"]["detectedSourceLang"]) == (house, "de")
    assert found["text"]["billedCharacters"] == 8
    assert [one["text"] for one in found["texts"]] == [house, own(client, "der Hund")]
    assert "<x>Haus</x>" in found["tags"]["text"]
    assert found["tags"]["modelTypeUsed"] == "quality_optimized"
    assert "formality is not supported" in found["refused"]


def test_languages_and_usage(found: dict[str, Any]) -> None:
    assert [one["code"] for one in found["sources"]] == ["de", "en"]
    assert [one["code"] for one in found["targets"]] == ["de", "en-GB", "en-US"]
    assert {"sourceLang": "de", "targetLang": "en"} in found["pairs"]
    assert found["usage"]["character"]["count"] > 0


def test_glossaries(found: dict[str, Any]) -> None:
    assert (found["glossary"]["name"], found["glossary"]["entryCount"]) == ("Tiere", 2)
    assert found["entries"] == {"Hund": "München", "große Straße": "Haus"}
    assert found["listed"]
    assert "München" in found["withGlossary"]["text"]
    assert found["fromCsv"]["entryCount"] == 1
    assert found["multilingual"]["dictionaries"][0]["entryCount"] == 3
    assert found["dictionary"]["Haus"] == "Straße"
    assert found["csv"] == {"Haus": "house", "Hund": "dog"}
    assert found["renamed"]["name"] == "Neu"
    assert "München" in found["several"]["text"]
    assert "Straße" in found["several"]["text"]
    assert found["missing"] == "GlossaryNotFoundError"


def test_documents(found: dict[str, Any], client: httpx.Client) -> None:
    assert found["buffer"] == own(client, "das Haus")
    assert found["document"] == f"<p>{own(client, 'das Haus')}</p>"
    assert (found["status"]["status"], found["status"]["billedCharacters"]) == ("done", 8)
