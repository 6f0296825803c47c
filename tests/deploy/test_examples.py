"""The files of deploy/, as far as they can be tried: read by their programs, held against the server."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from lexalign.server.http.metrics import Metrics
from lexalign.server.settings import Settings, read_settings

DEPLOY = Path(__file__).parents[2] / "deploy"


def load_all(name: str) -> list[Any]:
    return list(yaml.safe_load_all((DEPLOY / name).read_text(encoding="utf-8")))


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_settings_are_known() -> None:
    assert read_settings({}, DEPLOY / "server.toml").port == 8081
    names = {name.upper() for name in Settings.model_fields}
    others = {"SITE", "SERVERS", "BUILD_KERNELS"}  # of the proxy, and of the image
    for file in DEPLOY.iterdir():
        for name in re.findall(r"LEXALIGN_([A-Z_]+)", file.read_text(encoding="utf-8")):
            assert name in names | others, f"{file.name}: LEXALIGN_{name}"


def test_the_dashboard_shows_metrics_that_exist() -> None:
    metrics = Metrics()
    metrics.answered("/v1/translate", 200, 0.1)
    exported = set(re.findall(r"^(lexalign_\w+)", metrics.render().decode(), re.MULTILINE))
    dashboard = json.loads((DEPLOY / "grafana.json").read_text(encoding="utf-8"))
    shown = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"lexalign_\w+", target["expr"])
    }
    assert shown <= exported, shown - exported
    families = {re.sub(r"_(total|created|bucket|sum|count)$", "", name) for name in exported}
    assert {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in shown} == families


def test_kubernetes_probes_and_containers() -> None:
    deployment, service, budget, scaler = load_all("kubernetes.yaml")
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["livenessProbe"]["httpGet"]["path"] == "/live"
    assert container["readinessProbe"]["httpGet"]["path"] == "/ready"
    for name in (
        "startupProbe",
        "livenessProbe",
        "readinessProbe",
    ):  # Kubernetes itself sends the pod's address
        assert container[name]["httpGet"]["httpHeaders"] == [{"name": "Host", "value": "localhost"}]
    assert service["spec"]["ports"][0]["targetPort"] == container["ports"][0]["name"]
    assert budget["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]
    assert scaler["spec"]["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
    assert pod["enableServiceLinks"] is False  # else LEXALIGN_PORT would be that of the service
    assert pod["terminationGracePeriodSeconds"] > Settings().grace


def test_compose() -> None:
    (compose,) = load_all("compose.yaml")
    servers = [name for name in compose["services"] if name.startswith("server")]
    caddy = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    assert all(f"{name}:8080" in caddy for name in servers)
    for name in servers:
        assert int(compose["services"][name]["stop_grace_period"].rstrip("s")) > Settings().grace


def test_the_container_has_what_it_copies() -> None:
    sent = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for line in (DEPLOY / "Dockerfile").read_text(encoding="utf-8").splitlines():
        if line.startswith("COPY ") and "--from" not in line:
            for name in line.split()[1:-1]:
                assert (DEPLOY.parent / name).exists(), name
                assert f"!{name}" in sent, name


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_the_service_unit(tmp_path: Path) -> None:
    """Programs of the unit must exist for its verification."""
    unit = (DEPLOY / "lexalign.service").read_text(encoding="utf-8")
    (tmp_path / "lexalign.service").write_text(unit.replace("/opt/lexalign/bin/lexalign", "/bin/true"))
    run("systemd-analyze", "verify", "--man=no", str(tmp_path / "lexalign.service"))


@pytest.mark.skipif(shutil.which("caddy") is None, reason="Caddy is not installed")
def test_caddy() -> None:
    run("caddy", "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile"))
