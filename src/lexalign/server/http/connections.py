"""Connections with time limits: uvicorn's protocol waits for as long as a client likes, this one does not.

    a request's headers   are at most 64 KiB, and there in `header_seconds` from its first byte, or from the
                          start of the connection
    its body              in `body_seconds`, and in a few seconds once the server is stopping
    its response          must be read: nothing of it for `write_seconds`, and the connection is closed
    between requests      `idle_seconds`, and a second once the server is stopping: a proxy may be sending the
                          next request already

When there are `max_connections`, a new one takes the place of the one that has been without a request for
longest. So clients that hold connections and send nothing cannot keep others out.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from lexalign.server.http.logs import RareWarning

_STOPPING_BODY_SECONDS, _STOPPING_IDLE_SECONDS = 3.0, 1.0
_MAX_HEADER_BYTES = 65_536


@dataclass(frozen=True, kw_only=True)
class ConnectionLimits:
    header_seconds: float = 10.0
    body_seconds: float = 60.0
    write_seconds: float = 30.0
    idle_seconds: int = 30
    max_connections: int = 1_000


class LimitedProtocol(HttpToolsProtocol):
    """A connection; what all connections of a server share is in its class, see `limited_protocol`."""

    limits: ClassVar[ConnectionLimits]
    idle: "ClassVar[dict[LimitedProtocol, None]]"  # those without a request, the longest idle first
    too_slow: ClassVar[Callable[..., None]]
    too_many: ClassVar[Callable[..., None]]
    on_stop: ClassVar[Callable[..., None]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._in_headers, self._header_bytes = False, 0
        self._stopping = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.idle[self] = None
        self._start(self.limits.header_seconds, self._end_slow_headers)
        if len(self.connections) > self.limits.max_connections:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        self.idle.pop(self, None)
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self in self.idle and self._timer is None:  # even if it is not the first byte of a request yet
            self._start(self.limits.header_seconds, self._end_slow_headers)
        super().data_received(data)
        self._header_bytes += len(data) if self._in_headers else 0
        if self._header_bytes > _MAX_HEADER_BYTES:
            self.refuse(431, "the request's headers are too large")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_headers, self._header_bytes = True, 0
        self._start(self.limits.header_seconds, self._end_slow_headers)

    def on_headers_complete(self) -> None:
        self._in_headers = False
        self.idle.pop(self, None)
        self._start(self.limits.body_seconds, self._end_slow_body)
        super().on_headers_complete()
        if self._stopping and self.cycle is not None:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        self._stop()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        if self.cycle.response_complete and not self.cycle.more_body:
            self._stop()
        if not self.transport.is_closing():
            self.idle[self] = None
        super().on_response_complete()

    def _unsupported_upgrade_warning(self) -> None:
        """Such a request is answered as any other; uvicorn would advise to install WebSockets."""

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._write_timer is None:
            self._write_timer = self.loop.call_later(self.limits.write_seconds, self._end_slow_reading)

    def resume_writing(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None
        if self.flow is not None:
            super().resume_writing()

    def shutdown(self) -> None:
        self._stopping = True
        self.on_stop()
        if self in self.idle and self.cycle is not None:
            self._start(_STOPPING_IDLE_SECONDS, self.transport.close)
            return
        super().shutdown()
        if self.cycle is not None and self.cycle.more_body and not self.cycle.response_complete:
            self._start(_STOPPING_BODY_SECONDS, self._end_slow_body)

    def refuse(self, status: int, message: str) -> None:
        """Answer without the application, and close."""
        if self.transport.is_closing():
            return
        if self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete:
            self.transport.close()
            return
        content = json.dumps({"message": message, "error": message}).encode()
        head = "content-type: application/json\r\nconnection: close\r\n"
        length = f"content-length: {len(content)}\r\n\r\n"
        self.transport.write(STATUS_LINE[status] + (head + length).encode() + content)
        self.transport.close()

    def _make_room(self) -> None:
        self.too_many(connections=len(self.connections), client=self.client and self.client[0])
        oldest = next(iter(self.idle))  # this one, if all others have requests
        oldest.refuse(503, "the server has too many connections; try again later")
        self.idle.pop(oldest, None)
        self.connections.discard(oldest)

    def _start(self, seconds: float, act: Callable[[], None]) -> None:
        self._stop()
        self._timer = self.loop.call_later(seconds, act)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end_slow_headers(self) -> None:
        self.too_slow(waited_for="headers", client=self.client and self.client[0])
        self.refuse(408, "the request's headers took too long")

    def _end_slow_body(self) -> None:
        self.too_slow(waited_for="body", client=self.client and self.client[0])
        if self.cycle.response_complete:
            self.transport.close()
        else:
            self.refuse(408, "the request's body took too long")

    def _end_slow_reading(self) -> None:
        self.too_slow(waited_for="reading of the response", client=self.client and self.client[0])
        self.transport.abort()


def limited_protocol(limits: ConnectionLimits, on_stop: Callable[[], None]) -> type[LimitedProtocol]:
    """The class of a server's connections, for `uvicorn.Config(http=...)`.

    `on_stop` is called for each connection when the server begins to stop.
    """
    shared = {
        "limits": limits,
        "idle": {},
        "too_slow": staticmethod(RareWarning("a client was too slow, and its connection is closed")),
        "on_stop": staticmethod(on_stop),
        "too_many": staticmethod(RareWarning("there are too many connections")),
    }
    return type("Connection", (LimitedProtocol,), shared)
