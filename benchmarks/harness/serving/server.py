"""`lexalign serve` in a process of its own, for as long as a benchmark lasts."""

import contextlib
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException

_SECONDS_TO_START = 60.0
_SECONDS_TO_STOP = 30.0


@dataclass(frozen=True, kw_only=True)
class Server:
    host: str
    port: int
    process: "subprocess.Popen[str]"

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"


@contextlib.contextmanager
def running_server(*options: str, data: str | None = None) -> Iterator[Server]:
    """A server on the CPU that answers; without `data` it has a folder of its own."""
    with contextlib.ExitStack() as stack:
        folder = data or stack.enter_context(tempfile.TemporaryDirectory())
        command = [sys.executable, "-m", "lexalign", "serve", "--port", "0", "--data", folder]
        process = subprocess.Popen([*command, "--device", "cpu", *options], stderr=subprocess.PIPE, text=True)
        try:
            server = _started(process)
            _wait_for(server)
            yield server
        finally:
            _stop(process)


def _started(process: "subprocess.Popen[str]") -> Server:
    """The server tells its address in the first line."""
    assert process.stderr is not None
    address = re.search(r"http://([\d.]+):(\d+)", process.stderr.readline())
    if address is None:
        raise SystemExit("the server did not start")
    return Server(host=address[1], port=int(address[2]), process=process)


def _wait_for(server: Server) -> None:
    deadline = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < deadline:
        connection = HTTPConnection(server.host, server.port, timeout=5)
        with contextlib.suppress(OSError, HTTPException), contextlib.closing(connection):
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return
        time.sleep(0.1)
    raise SystemExit("the server does not answer")


def _stop(process: "subprocess.Popen[str]") -> None:
    process.terminate()
    try:
        process.wait(_SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
