"""Trouble for a server under load: slow clients, workers that are killed; and what /ready says of it."""

import json
import os
import selectors
import signal
import socket
import time
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path

_SECONDS_PER_BYTE = 2.0
_SECONDS_PER_LOOK = 0.05


def hold_slow_connections(host: str, port: int, number: int, seconds: float) -> dict[str, int]:
    """Keep so many connections open that never send a whole request, for so long; how many were closed."""
    until, ended, closed = time.monotonic() + seconds, selectors.DefaultSelector(), 0

    def connect() -> None:
        one = socket.create_connection((host, port), timeout=10)
        one.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        ended.register(one, selectors.EVENT_READ)

    for _ in range(number):
        connect()
    trickled = time.monotonic()
    while time.monotonic() < until:
        for key, _ in ended.select(timeout=0.2):
            ended.unregister(key.fileobj)
            key.fileobj.close()  # type: ignore[union-attr]
            closed += 1
            connect()
        if time.monotonic() - trickled > _SECONDS_PER_BYTE:
            _trickle(ended)
            trickled = time.monotonic()
    return {"held": number, "closed by the server": closed}


def _trickle(connections: selectors.BaseSelector) -> None:
    for key in list(connections.get_map().values()):
        if isinstance(key.fileobj, socket.socket):
            try:
                key.fileobj.send(b"x")
            except OSError:
                continue  # it was closed, and the selector will tell


def workers_of(server: int) -> list[int]:
    """The processes that translate; there may be another that only cleans up."""
    children = [
        int(child)
        for task in Path(f"/proc/{server}/task").iterdir()
        for child in (task / "children").read_text(encoding="ascii").split()
    ]
    return [child for child in children if b"resource_tracker" not in _command(child)]


def _command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b"resource_tracker"  # it has ended


@dataclass
class Readiness:
    """What /ready said: how often, and how long it took to say that a worker was killed, and is back."""

    answers: dict[str, int] = field(default_factory=dict)
    kills: int = 0
    seconds_to_tell: list[float] = field(default_factory=list)
    seconds_to_return: list[float] = field(default_factory=list)
    untold: int = 0  # kills that it never told

    def summary(self) -> dict[str, object]:
        return {
            "answers": self.answers,
            "workers_killed": self.kills,
            "most_ms_to_tell": round(1000 * max(self.seconds_to_tell, default=0.0)),
            "most_seconds_to_return": round(max(self.seconds_to_return, default=0.0), 1),
            "untold": self.untold,
        }


def kill_workers(host: str, port: int, server: int, every: float, seconds: float) -> Readiness:
    """Kill a worker again and again, and hold what /ready says against it; with `every` 0 only look."""
    found, until = Readiness(), time.monotonic() + seconds
    total = len(workers_of(server))
    next_kill = time.monotonic() + every
    while time.monotonic() < until:
        _look(found, host, port)
        if every and time.monotonic() > next_kill:
            next_kill += every
            _kill_one(found, host, port, server, total)
        time.sleep(_SECONDS_PER_LOOK)
    return found


def _kill_one(found: Readiness, host: str, port: int, server: int, total: int) -> None:
    victim = workers_of(server)[found.kills % total]
    os.kill(victim, signal.SIGKILL)
    found.kills += 1
    killed, told = time.monotonic(), False
    while time.monotonic() - killed < 60.0:
        workers = _look(found, host, port)
        if not told and workers < total:
            told = True
            found.seconds_to_tell.append(time.monotonic() - killed)
        elif told and workers == total:
            found.seconds_to_return.append(time.monotonic() - killed)
            return
        time.sleep(0.01)
    found.untold += not told


def _look(found: Readiness, host: str, port: int) -> int:
    """The number of workers that /ready tells."""
    connection = HTTPConnection(host, port, timeout=30)
    try:
        connection.request("GET", "/ready")
        answer = connection.getresponse()
        content = json.loads(answer.read())
        name = f"{answer.status}, {content['workers']} workers"
    except (OSError, HTTPException) as error:
        content, name = {"workers": -1}, type(error).__name__
    finally:
        connection.close()
    found.answers[name] = found.answers.get(name, 0) + 1
    return int(content["workers"])
