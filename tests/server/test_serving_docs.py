"""Every example of docs/serving.md, run as it stands but for the port."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.small_server import LiveServer

PAGE = (Path(__file__).parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
ADDRESS = "http://127.0.0.1:8080"


def commands() -> list[str]:
    """The curl commands of all shell blocks; a quoted body may go over several lines."""
    shell = "\n".join(content for language, content in BLOCKS if language == "bash")
    return re.findall(r"^curl (?:'[^']*'|[^'\n])+", shell, re.MULTILINE)


def test_there_are_examples() -> None:
    assert len(commands()) == 8
    assert sum(command.count("\n") for command in commands()) == 8


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("command", commands())
def test_curl(server: LiveServer, command: str) -> None:
    run = [
        "bash",
        "-c",
        command.replace(ADDRESS, server.url).replace("curl ", "curl -sS --fail-with-body ", 1),
    ]
    found = subprocess.run(run, capture_output=True, text=True, timeout=60)
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
    from lexalign.cli.commands import serve

    source = Path(serve.__file__).read_text(encoding="utf-8")
    for option in set(re.findall(r"`--([a-z0-9-]+)", PAGE)):
        assert option.replace("-", "_") in source or f'"--{option}"' in source, option
    routes = server.client.get("/openapi.json").json()["paths"]
    for route in re.findall(r"`(?:GET|PUT|DELETE)? ?(/[a-z0-9/-]+)`", PAGE):
        assert route in routes or route in ("/", "/docs", "/write"), route
