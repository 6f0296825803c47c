"""What a command and the helper say to one another, over a socket that only their user can open.

    command    {"arguments": ..., "folder": ..., "environment": ...}, with its three standard streams
    helper     RUNS, then the exit code; or nothing, and the command runs by itself

It imports nothing that takes time.
"""

import hashlib
import json
import os
import socket
import stat
import struct
import sys
from pathlib import Path
from typing import Any

from lexalign import __version__

RUNS = b"R"
COMMANDS = ("translate",)  # those that a helper runs
MAX_MESSAGE = 16 * 2**20
_SIZE = struct.Struct("!I")
_STREAMS = 3
# What these say is read when torch or Python starts: a helper that was started otherwise does not fit.
_SETTINGS = (
    "ATEN_",
    "CUDA_",
    "DNNL_",
    "KMP_",
    "LD_",
    "LEXALIGN_",
    "MKL_",
    "OMP_",
    "ONEDNN_",
    "PYTHON",
    "TORCH",
)


def socket_path() -> Path:
    """The socket of this version, of this installation and this user."""
    runtime = os.environ.get("XDG_RUNTIME_DIR") or os.environ.get("TMPDIR") or "/tmp"
    folder = Path(runtime) / f"lexalign-{os.getuid()}"
    installed = f"{__version__} {sys.prefix} {sys.version} {Path(__file__).resolve()}"
    return folder / f"{hashlib.sha256(installed.encode()).hexdigest()[:16]}.socket"


def is_private(folder: Path) -> bool:
    """Whether a folder belongs to this user, and nobody else may enter."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077


def is_ours(path: Path) -> bool:
    """Whether a socket is this user's, in a folder that is."""
    return is_private(path.parent) and path.exists() and path.lstat().st_uid == os.getuid()


def settings(environment: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_SETTINGS)}


def send(connection: socket.socket, message: dict[str, Any], streams: tuple[int, ...] = ()) -> None:
    content = json.dumps(message).encode("utf-8", "surrogateescape")
    if streams:
        socket.send_fds(connection, [_SIZE.pack(len(content))], list(streams))
    else:
        connection.sendall(_SIZE.pack(len(content)))
    connection.sendall(content)


def receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """A message and the streams that came with it; ValueError if it is not one."""
    head, streams, _, _ = socket.recv_fds(connection, _SIZE.size, _STREAMS)
    if len(head) != _SIZE.size or (size := _SIZE.unpack(head)[0]) > MAX_MESSAGE:
        raise ValueError("no message")
    content = receive_exactly(connection, size)
    message = json.loads(content.decode("utf-8", "surrogateescape"))
    if not isinstance(message, dict):
        raise ValueError("no message")
    return message, streams


def receive_exactly(connection: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        if not (part := connection.recv(size - len(parts))):
            raise ValueError("the other side is gone")
        parts += part
    return bytes(parts)
