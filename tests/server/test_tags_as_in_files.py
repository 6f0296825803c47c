"""Tags are set by both directions: documents and texts over HTTP come out as from the command line."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from lexalign.bundled import find_model
from lexalign.server.running import ServerOptions
from lexalign.server.translating.catalogue import ModelChoice
from tests.server.small_server import live_server

PAGE = (
    '<html><body><p>Click <b>Delete</b> to remove the <a href="x">selected file</a> from {folder}.</p>'
    "<p>The <i>house</i> at the end of the <b>long street</b> is <u>very big</u>.</p></body></html>"
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    pairs = (("en", "de"), ("de", "en"))
    options = ServerOptions(
        models=tuple(ModelChoice(source=one, target=to, folder=find_model(one, to)) for one, to in pairs),
        data=tmp_path_factory.mktemp("tags"),
        port=0,
        device="cpu",
        workers=1,
    )
    with live_server(options) as live:
        yield live.client


def test_the_same_tags_everywhere(client: httpx.Client, tmp_path: Path) -> None:
    source, target = tmp_path / "a.html", tmp_path / "b.html"
    source.write_text(PAGE, encoding="utf-8")
    code = "from lexalign.cli.entry import run; run()"
    files = [str(source), str(target), "--from", "en", "--to", "de"]
    subprocess.run([sys.executable, "-c", code, "translate-file", *files], check=True, timeout=120)
    expected = target.read_text(encoding="utf-8")
    languages = {"source_language": "en", "target_language": "de"}
    asked = {"text": PAGE, "source_lang": "EN", "target_lang": "DE", "tag_handling": "html"}
    assert client.post("/v2/translate", json=asked).json()["translations"][0]["text"] == expected
    made = client.post("/v1/documents", files={"file": ("a.html", PAGE)}, data=languages).json()
    path, deadline = f"/v1/documents/{made['id']}", time.monotonic() + 60
    while client.get(path).json()["status"] in ("queued", "running") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert client.get(f"{path}/result").text == expected
