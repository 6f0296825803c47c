"""The names by which a server may be called, and the headers that all its responses have.

A page elsewhere can point a name of its own to 127.0.0.1 (DNS rebinding) and would then be a page of this
server in the eyes of a browser, but for the `Host` that the browser sends.
"""

import ipaddress
import re
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lexalign.server.http.errors import error_response

LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
_PORT = re.compile(r":[0-9]*$")
# The page loads nothing from anywhere but this server, and an answer of the API is no page at all.
_PAGES = ("/", "/docs", "/service-worker.js")
_PAGE_POLICY = "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'"
_DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def allowed_hosts(host: str, chosen: Sequence[str]) -> tuple[str, ...]:
    """The names of a server that listens at `host`; none means all of them."""
    names = tuple(name.strip("[]").lower() for name in chosen)
    if "*" in names:
        return ()
    return (*names, *LOCAL_NAMES, host.lower()) if names or is_local(host) else ()


def is_local(host: str) -> bool:
    """Whether a server that listens there is reached from its own machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class HostMiddleware:
    """ASGI middleware: 421 for other names; `*.example.org` are all names below example.org."""

    def __init__(self, app: ASGIApp, names: Sequence[str]) -> None:
        self._app, self._names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._allows(Headers(scope=scope).getlist("host")):
            await self._app(scope, receive, send)
            return
        message = "this server is not called by that Host; the operator can allow it: --allow-host NAME"
        await error_response(421, message)(scope, receive, send)

    def _allows(self, sent: Sequence[str]) -> bool:
        if not self._names:
            return True
        if len(sent) != 1:
            return False
        name = _PORT.sub("", sent[0].strip()).strip("[]").rstrip(".").lower()
        return any(
            name == allowed or (allowed.startswith("*.") and name.endswith(allowed[1:]))
            for allowed in self._names
        )


class SecurityHeadersMiddleware:
    """ASGI middleware: headers that tell a browser to do less than it could; a route may set its own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        page = scope["path"] in _PAGES or scope["path"].startswith("/page/")

        async def add_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Content-Security-Policy", _PAGE_POLICY if page else _DATA_POLICY)
                headers.setdefault("Cache-Control", "no-cache" if page else "no-store")
            await send(message)

        await self._app(scope, receive, add_headers)
