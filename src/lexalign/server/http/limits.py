"""The size limit of request bodies, whatever length they declare."""

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_MAX_DRAINED = 16  # times the limit
_DOCUMENTS = ("/v1/documents", "/v2/document", "/translate_file")


class BodyLimitMiddleware:
    """ASGI middleware: 413 for a body over the limit, before it is read whole; documents have their own."""

    def __init__(self, app: ASGIApp, max_bytes: int, document_bytes: int) -> None:
        self._app, self._max_bytes, self._document_bytes = app, max_bytes, document_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._document_bytes if scope["path"] in _DOCUMENTS else self._max_bytes
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdecimal() and int(declared) > limit:
            await _drain(receive, limit)
            content = {"message": _message(limit), "error": _message(limit)}
            response = JSONResponse(content, status_code=413, headers={"connection": "close"})
            await response(scope, receive, send)
            return
        await self._app(scope, _counted(receive, limit), send)


def _message(limit: int) -> str:
    return f"the request is larger than {limit} bytes; send it in parts"


def _counted(receive: Receive, limit: int) -> Receive:
    seen = 0

    async def count() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            if message.get("more_body"):
                await _drain(receive, limit)
            raise HTTPException(413, _message(limit), {"connection": "close"})
        return message

    return count


async def _drain(receive: Receive, limit: int) -> None:
    """Read on: a connection that is closed while data arrives is reset, and the response is lost."""
    seen = 0
    while seen < _MAX_DRAINED * limit:
        message = await receive()
        seen += len(message.get("body", b""))
        if not message.get("more_body"):
            return
