"""How many requests of one client may be under way at a time."""

from collections import Counter

from starlette.types import ASGIApp, Receive, Scope, Send

from lexalign.server.http.errors import error_response
from lexalign.server.http.logs import RareWarning


class ConcurrencyMiddleware:
    """ASGI middleware: 429 for a request too many of one address."""

    def __init__(self, app: ASGIApp, max_requests: int) -> None:
        self._app, self._max_requests = app, max_requests
        self._running: Counter[str] = Counter()
        self._warn = RareWarning("a client sends too many requests at a time")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope.get("client"):
            await self._app(scope, receive, send)
            return
        address = scope["client"][0]
        if self._running[address] >= self._max_requests:
            self._warn(client=address, requests=self._running[address])
            message = f"a client may have {self._max_requests} requests under way; wait for some of them"
            await error_response(429, message, retry_after=1)(scope, receive, send)
            return
        self._running[address] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._running[address] -= 1
            if not self._running[address]:
                del self._running[address]
