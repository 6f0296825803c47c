"""A web server that plays the hub, Firefox's index and Argos's, and breaks off where it is told to."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Hosts:
    """What is served by which path, and how; `requests` are the paths with the ranges that were asked for."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    break_after: list[int] = field(default_factory=list)  # bytes of each of the next large answers
    knows_ranges: bool = True

    def put(self, path: str, content: bytes) -> str:
        self.files[path] = content
        return f"{self.address}{path}"

    def put_json(self, path: str, content: Any) -> str:
        return self.put(path, json.dumps(content).encode())

    def put_on_hub(self, name: str, files: dict[str, bytes]) -> None:
        """A model of the hub; what is not JSON is in large file storage."""
        siblings: list[dict[str, Any]] = []
        for file, content in files.items():
            self.put(f"/{name}/resolve/abc123/{file}", content)
            blob = hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()
            sibling: dict[str, Any] = {"rfilename": file, "size": len(content), "blobId": blob}
            if not file.endswith(".json"):
                digest = hashlib.sha256(content).hexdigest()
                sibling["lfs"] = {"sha256": digest, "size": len(content), "pointerSize": 130}
            siblings.append(sibling)
        self.put_json(f"/api/models/{name}", {"id": name, "sha": "abc123", "siblings": siblings})

    def put_firefox(self, source: str, target: str, files: dict[str, bytes], version: str = "1.0") -> None:
        """Records of a model, beside those that are there."""
        index = json.loads(self.files.get("/firefox", b'{"data": []}'))
        for kind, content in files.items():
            location = f"attachments/{source}{target}-{version}-{kind}"
            self.put(f"/files/{location}", content)
            index["data"].append(
                {
                    "name": kind,
                    "fromLang": source,
                    "toLang": target,
                    "fileType": kind,
                    "version": version,
                    "attachment": {
                        "filename": f"{kind}.{source}{target}.bin",
                        "location": location,
                        "hash": hashlib.sha256(content).hexdigest(),
                        "size": len(content),
                    },
                }
            )
        self.put_json("/firefox", index)


@contextmanager
def local_hosts() -> Iterator[Hosts]:
    hosts = Hosts()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, wanted = self.path.partition("?")[0], self.headers.get("Range")
            hosts.requests.append((path, wanted))
            content = hosts.files.get(path)
            if content is None:
                self.send_error(404)
                return
            first = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and hosts.knows_ranges else 0
            if first >= len(content) > 0 and first:
                self.send_error(416)
                return
            self.send_response(206 if first else 200)
            self.send_header("Content-Length", str(len(content) - first))
            self.end_headers()
            rest = content[first:]
            if hosts.break_after and not path.startswith(("/api", "/firefox", "/argos")):
                rest = rest[: hosts.break_after.pop(0)]
                self.close_connection = True
            self.wfile.write(rest)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hosts.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield hosts
    finally:
        server.shutdown()
        server.server_close()
