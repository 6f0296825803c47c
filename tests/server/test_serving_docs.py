"""Every example of the pages on the HTTP API and on serving, run as it stands but for the port."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.small_server import LiveServer

DOCS = Path(__file__).parents[2] / "docs"
SERVING = (DOCS / "guides" / "serving.md").read_text(encoding="utf-8")
PAGE = (DOCS / "reference" / "http-api.md").read_text(encoding="utf-8") + SERVING
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
ADDRESS = "http://127.0.0.1:8080"


def commands() -> list[str]:
    """The curl commands of all shell blocks; a quoted body may go over several lines."""
    shell = "\n".join(content for language, content in BLOCKS if language == "bash")
    return re.findall(r"^curl (?:'[^']*'|[^'\n])+", shell, re.MULTILINE)


def test_there_are_examples() -> None:
    assert len(commands()) >= 11


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("command", commands())
def test_curl(server: LiveServer, command: str, tmp_path: Path) -> None:
    (tmp_path / "house.txt").write_text("Das Haus ist groß.\n", encoding="utf-8")
    run = [
        "bash",
        "-c",
        command.replace(ADDRESS, server.url).replace("curl ", "curl -sS --fail-with-body ", 1),
    ]
    found = subprocess.run(run, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr
    if "/v1/stream" in command:
        assert found.stdout.startswith("event: token\n")
        assert "event: translation\n" in found.stdout
    else:
        assert json.loads(found.stdout)


def test_the_deepl_client(server: LiveServer) -> None:
    (code,) = (content for language, content in BLOCKS if language == "python")
    run = [sys.executable, "-c", code.replace(ADDRESS, server.url)]
    found = subprocess.run(run, capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found.stderr
    assert "mansion" in found.stdout.lower()


def test_every_option_and_route_is_there(server: LiveServer) -> None:
    from lexalign.cli.commands import keys, serve
    from lexalign.cli.options import serving

    source = "".join(
        Path(str(module.__file__)).read_text(encoding="utf-8") for module in (keys, serve, serving)
    )
    for option in set(re.findall(r"`--([a-z0-9-]+)", SERVING)):
        assert option.replace("-", "_") in source or f'"--{option}"' in source, option
    paths = set(server.client.get("/openapi.json").json()["paths"])
    known = {re.sub(r"{\w+}", "ID", path) for path in paths} | {"/", "/docs", "/spec", "/download_file/NAME"}
    refused = ("/v2/write", "/v3/style_rules", "/v3/translation_memories", "/v3/voice", "/v2/admin")
    written = re.findall(r"`(?:GET|POST|PUT|PATCH|DELETE)? ?(/[\w/-]+)(?:\?[^`]*)?`", PAGE)
    assert len(written) > 50
    for route in written:
        assert route in known or route in refused, route
    for route in refused:
        found = server.client.post(f"{route}/x")
        assert found.status_code == 404
        assert route in found.json()["message"]


def test_every_route_is_in_the_documentation(server: LiveServer) -> None:
    for path in server.client.get("/openapi.json").json()["paths"]:
        shown = re.sub(r"{\w+}", "ID", path).replace("/download_file/ID", "/download_file/NAME")
        assert re.search(rf"{re.escape(shown)}[`? ]", PAGE), shown
