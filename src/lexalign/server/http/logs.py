"""The server's log on standard error, as text or as one JSON object a line, with the id of each request.

A request's id is its `X-Request-Id`, where a proxy has given it one, or a new one, and is in the response.
"""

import json
import logging
import re
import sys
import time
import uuid
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Literal

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lexalign.server.http.callers import current_caller, set_address

LogFormat = Literal["text", "json"]
log = logging.getLogger("lexalign.server")
access = logging.getLogger("lexalign.access")
_request_id: ContextVar[str] = ContextVar("lexalign_request_id", default="")
_GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_SECONDS_PER_WARNING = 5.0


def current_request_id() -> str:
    return _request_id.get()


def configure_logging(format: LogFormat) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if format == "json" else TextFormatter())
    for name, level in (("lexalign", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
    if not logging.root.handlers:  # other libraries write in the same format
        logging.root.addHandler(handler)
    logging.captureWarnings(True)
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # a client's mistake, which is answered
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)  # connections to a database that is gone
    logging.getLogger("uvicorn.error").addFilter(SeldomTheSame())


class SeldomTheSame(logging.Filter):
    """Each warning once in some seconds: clients can have uvicorn write one for each of their requests."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[object, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno != logging.WARNING:
            return True
        now, last = time.monotonic(), self._last.get(record.msg)
        if last is not None and now - last < _SECONDS_PER_WARNING:
            return False
        self._last[record.msg] = now
        return True


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(_fields(self, record), ensure_ascii=False, default=str)


class TextFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields = _fields(self, record)
        trace = fields.pop("exception", None)
        head = " ".join(str(fields.pop(name)) for name in ("time", "level", "message"))
        rest = " ".join(f"{name}={_quoted(str(value))}" for name, value in fields.items() if value != "")
        return " ".join(filter(None, (head, rest))) + (f"\n{trace}" if trace else "")


def _fields(formatter: logging.Formatter, record: logging.LogRecord) -> dict[str, object]:
    fields: dict[str, object] = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "message": record.getMessage(),
    }
    if _request_id.get():
        fields["request_id"] = _request_id.get()
    fields |= getattr(record, "fields", {})
    if record.exc_info:
        fields["exception"] = formatter.formatException(record.exc_info)
    return fields


def _quoted(value: str) -> str:
    """A value of one word; what a client has sent cannot begin a line of its own."""
    return value if re.fullmatch(r"[\w./:@+-]+", value) else json.dumps(value, ensure_ascii=True)


class RareWarning:
    """A line of the log every few seconds, with how often it would have been there."""

    def __init__(self, message: str) -> None:
        self._message, self._count, self._last = message, 0, -_SECONDS_PER_WARNING

    def __call__(self, **fields: object) -> None:
        self._count += 1
        now = time.monotonic()
        if now - self._last >= _SECONDS_PER_WARNING:
            log.warning(self._message, extra={"fields": {"times": self._count, **fields}})
            self._count, self._last = 0, now


class RequestLogMiddleware:
    """ASGI middleware: gives each request its id, and logs it where that is asked for or it was slow."""

    def __init__(self, app: ASGIApp, *, every: bool, slow_seconds: float) -> None:
        self._app, self._every, self._slow_seconds = app, every, slow_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        identifier = given if _GIVEN_ID.fullmatch(given) else uuid.uuid4().hex
        _request_id.set(identifier)
        set_address(scope["client"][0] if scope.get("client") else "local")
        started, status, size = time.monotonic(), 500, 0

        async def observe(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-Id"] = identifier
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, observe)
        finally:
            self._note(scope, status, size, time.monotonic() - started)

    def _note(self, scope: Scope, status: int, size: int, seconds: float) -> None:
        slow = seconds > self._slow_seconds
        if not (self._every or slow):
            return
        fields = {
            "method": scope["method"],
            "path": scope["path"],  # without its query, which may have texts in it
            "status": status,
            "milliseconds": round(1000 * seconds, 1),
            "bytes": size,
            "client": scope["client"][0] if scope.get("client") else "",
            "caller": current_caller().name,
        }
        if slow:
            log.warning("slow request", extra={"fields": fields})
        else:
            access.info("request", extra={"fields": fields})
