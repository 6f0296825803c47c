"""Idempotency keys: a POST that is sent again, because its response was lost, creates nothing twice.

A client sends `Idempotency-Key: ` and anything it has not used before. For a day, the same request with the
same key gets the first response again; another request with it is refused (422), and so is one while the
first is under way (409).
"""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.routing import APIRoute

from lexalign.server.api.owners import owner_of
from lexalign.server.http.errors import Problem
from lexalign.server.http.services import services_of
from lexalign.server.storage.replies import Reply, ReplyMismatchError, ReplyPendingError

_HEADER = "Idempotency-Key"
_MAX_LENGTH = 200
_MAX_KEPT = 100_000  # bytes of a response; what creates something has a short one
REPEATED: dict[int | str, dict[str, Any]] = {
    409: {"model": Problem, "description": "The same request, by its Idempotency-Key, is under way."}
}
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class IdempotentRoute(APIRoute):
    """A route whose POST respects the key; its response must not be a stream."""

    def get_route_handler(self) -> Handler:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            key = request.headers.get(_HEADER)
            if key is None or request.method != "POST" or await _is_refused(request):
                return await handler(request)
            return await _once(request, key, handler)

        return handle


async def _is_refused(request: Request) -> bool:
    """Whoever lacks a key gets no reply of others, and nothing is written for them; the handler says so."""
    return services_of(request).keys.required and not await owner_of(request)


async def _once(request: Request, key: str, handler: Handler) -> Response:
    if not 0 < len(key) <= _MAX_LENGTH:
        raise HTTPException(400, f"an {_HEADER} has 1 to {_MAX_LENGTH} characters")
    server, owner = services_of(request), await owner_of(request)
    asked = b"\0".join((request.method.encode(), str(request.url).encode(), await request.body()))
    try:
        known = await server.threads.write(len(asked), server.replies.claim, owner, key, asked)
    except ReplyPendingError as error:
        raise HTTPException(409, str(error), {"Retry-After": "1"}) from None
    except ReplyMismatchError as error:
        raise HTTPException(422, str(error)) from None
    if known is not None:
        headers = {"Idempotent-Replay": "true"}
        return Response(known.content, known.status, media_type=known.media_type, headers=headers)
    done = False
    try:
        response = await handler(request)
        content = bytes(response.body)
        if response.status_code < 400 and len(content) <= _MAX_KEPT:
            media_type = response.headers.get("content-type", "application/json")
            reply = Reply(status=response.status_code, media_type=media_type, content=content)
            await server.threads.write(len(content), server.replies.finish, owner, key, reply)
            done = True
        return response
    finally:
        if not done:
            await server.threads.write(0, server.replies.release, owner, key)
