"""Two servers behind nginx, by the configuration of deploy/: one of them is killed under load."""

import shutil
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.server.small_server import make_model
from tests.server.test_serve_command import started
from tests.server.waiting import wait_until

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nginx.conf"
SITE = "translate.example.org"
BODY = {"text": "das Haus", "source_language": "de", "target_language": "en"}
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
pytestmark = pytest.mark.skipif(
    NGINX is None or shutil.which("openssl") is None, reason="nginx or openssl is not installed"
)


@contextmanager
def nginx(folder: Path, ports: list[int]) -> Iterator[str]:
    """The example, but for its ports, certificates and folders."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    certificate, key = folder / "site.pem", folder / "site.key"
    request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    subject = ["-subj", f"/CN={SITE}", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*request, *subject], check=True, capture_output=True)
    text = CONFIGURATION.read_text(encoding="utf-8")
    folders = "".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    for before, after in (
        ("http {", f"http {{ access_log off; {folders}"),
        ("127.0.0.1:8081", f"127.0.0.1:{ports[0]}"),
        ("127.0.0.1:8082", f"127.0.0.1:{ports[1]}"),
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/ssl/certs/lexalign.pem", str(certificate)),
        ("/etc/ssl/private/lexalign.key", str(key)),
    ):
        assert before in text
        text = text.replace(before, after)
    (folder / "nginx.conf").write_text(text)
    error_log = folder / "error.log"
    more = f"daemon off; pid {folder}/pid; error_log {error_log};"
    command = [str(NGINX), "-e", str(error_log), "-c", str(folder / "nginx.conf"), "-g", more]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    process = subprocess.Popen(command)
    try:
        wait_until(lambda: _answers(port))
        yield f"https://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=30)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_server_that_is_killed_under_load_loses_no_request(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    model, data = make_model(tmp_path_factory.mktemp("model")), tmp_path / "data"
    more = ["--allow-host", SITE, "--trusted-proxy", "127.0.0.1"]
    with ExitStack() as stack:
        contexts = [started(model, data, *more) for _ in range(2)]
        with ThreadPoolExecutor(2) as pool:  # both at once
            servers = list(pool.map(stack.enter_context, contexts))
        url = stack.enter_context(nginx(tmp_path, [client.base_url.port or 0 for _, client in servers]))
        statuses: Counter[int] = Counter()
        over = threading.Event()

        def ask() -> None:
            with proxied(url) as client:
                while not over.is_set():
                    statuses[client.post("/v1/translate", json=BODY).status_code] += 1

        asking = [threading.Thread(target=ask) for _ in range(4)]
        for one in asking:
            one.start()
        try:
            with proxied(url) as client:
                terms = [{"source": "Hund", "targets": ["Haus"]}]
                assert client.post("/v1/glossaries", json={"name": "x", "terms": terms}).status_code == 201
                assert client.get("/metrics").status_code == 403
                assert client.get("/ready", headers={"Host": "other.example"}).status_code == 421
            (_, here), (_, there) = servers
            (made,) = here.get("/v1/glossaries").json()
            asked = {**BODY, "glossary_id": made["id"]}
            assert there.post("/v1/translate", json=asked).status_code == 200
            assert here.delete(f"/v1/glossaries/{made['id']}").status_code == 204
            assert there.post("/v1/translate", json=asked).status_code == 404
            time.sleep(0.5)
            servers[0][0].kill()
            time.sleep(1.0)
        finally:
            over.set()
            for one in asking:
                one.join()
    assert statuses[200] > 20
    assert set(statuses) == {200}


def proxied(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, headers={"Host": SITE}, verify=False, timeout=60)
