"""A command that asks the helper, and runs by itself if there is none. It imports nothing that takes time."""

import os
import socket
import sys
from typing import Any

from lexalign.cli.daemon.messages import (
    COMMANDS,
    RUNS,
    is_ours,
    receive,
    receive_exactly,
    send,
    settings,
    socket_path,
)

_PATIENCE_S = 2.0  # until the helper says that it runs the command


def run_by_helper(arguments: list[str]) -> int | None:
    """The exit code of a command that the helper has run; None if it must run here."""
    if not arguments or arguments[0] not in COMMANDS or (connection := connect()) is None:
        return None
    with connection:
        try:
            request = {
                "arguments": arguments,
                "folder": os.getcwd(),  # noqa: PTH109
                "environment": dict(os.environ),
                "settings": settings(dict(os.environ)),
            }
            sys.stdout.flush()
            send(connection, request, (0, 1, 2))
            if receive_exactly(connection, 1) != RUNS:
                return None
        except (OSError, ValueError):
            return None
        return _wait(connection)


def ask(question: str) -> dict[str, Any] | None:
    """The helper's answer to a question, None without a helper."""
    connection = connect()
    if connection is None:
        return None
    with connection:
        try:
            send(connection, {"question": question})
            return receive(connection)[0]
        except (OSError, ValueError):
            return None


def connect() -> socket.socket | None:
    path = socket_path() if hasattr(socket, "send_fds") else None
    if path is None or not is_ours(path):
        return None
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(_PATIENCE_S)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        return None
    return connection


def _wait(connection: socket.socket) -> int:
    """The exit code; if this command is interrupted, the helper's fork sees that the connection ends."""
    connection.settimeout(None)
    try:
        return receive_exactly(connection, 1)[0]
    except (OSError, ValueError):
        return 1
    except KeyboardInterrupt:
        return 130
