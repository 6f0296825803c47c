"""The size limit of request bodies, whatever length they declare."""

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_MAX_DRAINED = 16  # times the limit


class BodyLimitMiddleware:
    """ASGI middleware: 413 for a body over the limit, before it is read whole."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app, self._max_bytes = app, max_bytes
        self._message = f"the request is larger than {max_bytes} bytes; send it in parts"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdecimal() and int(declared) > self._max_bytes:
            await self._drain(receive)
            content = {"message": self._message, "error": self._message}
            response = JSONResponse(content, status_code=413, headers={"connection": "close"})
            await response(scope, receive, send)
            return
        await self._app(scope, self._counted(receive), send)

    def _counted(self, receive: Receive) -> Receive:
        seen = 0

        async def count() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._max_bytes:
                if message.get("more_body"):
                    await self._drain(receive)
                raise HTTPException(413, self._message, {"connection": "close"})
            return message

        return count

    async def _drain(self, receive: Receive) -> None:
        """Read on: a connection that is closed while data arrives is reset, and the response is lost."""
        seen = 0
        while seen < _MAX_DRAINED * self._max_bytes:
            message = await receive()
            seen += len(message.get("body", b""))
            if not message.get("more_body"):
                return
