"""Errors as responses: one line that says what to do, and never a path or a traceback.

Every error has {"message": ...}; LibreTranslate's clients look for {"error": ...}, so both are there.
"""

import re
from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match, Mount

from lexalign.contracts.errors import LexalignError
from lexalign.server.batching.errors import BusyError, TooLargeError, UnavailableError
from lexalign.server.http.disconnects import ClientDisconnectedError
from lexalign.server.http.logs import log
from lexalign.server.http.throttling import QuotaError, ThrottledError
from lexalign.server.storage.blobs import UnknownBlobError
from lexalign.server.storage.errors import StorageError, StorageFullError
from lexalign.server.storage.glossaries import ChangedGlossaryError, UnknownGlossaryError
from lexalign.server.storage.jobs import UnknownJobError
from lexalign.server.storage.replies import ReplyMismatchError, ReplyPendingError


class InvalidBodyError(Exception):
    """The body does not have the required form."""


class Problem(BaseModel):
    """What went wrong, and what to do about it."""

    message: str
    error: str


_DESCRIPTIONS = {
    400: "The request is invalid; the message says why.",
    401: "A valid key is needed.",
    413: "The request is too large.",
    422: "The request does not have the required form.",
    429: "The queue is full; `Retry-After` has the seconds to wait.",
    503: "The server is stopping, has lost a worker, or cannot use its database.",
    504: "The request took too long.",
    507: "There is no room to store anything.",
}
_TYPE_NAME = re.compile(r"constrained-|\w+\[")  # which pydantic has in the path of an error
_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": description} for status, description in _DESCRIPTIONS.items()
}
NOT_FOUND: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "There is no such glossary."}
}
CHANGED: dict[int | str, dict[str, Any]] = {
    412: {"model": Problem, "description": "The glossary is not of the version in `If-Match`."}
}


def error_response(status: int, message: str, *, retry_after: int | None = None) -> JSONResponse:
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    line = " ".join(message.split())
    return JSONResponse({"message": line, "error": line}, status_code=status, headers=headers)


def describe(errors: list[dict[str, object]]) -> str:
    """Validation errors in one line, without the input, which may be long.

    Of a field that may be of several types, each is an error; that of the type which was sent says more.
    """
    first = next((one for one in errors if not str(one.get("type")).endswith("_type")), errors[0])
    location = first.get("loc")
    parts = map(str, location) if isinstance(location, tuple) else ()
    path = [part for part in parts if part != "body" and not _TYPE_NAME.match(part)]
    where = f"{'.'.join(path)}: " if path else ""
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{where}{first.get('msg')}{more}"


def install_handlers(app: FastAPI, redact: Callable[[str], str]) -> None:
    """Install the exception handlers; `redact` removes what clients must not know from a message."""

    @app.exception_handler(LexalignError)
    async def _bad_input(_request: Request, error: LexalignError) -> JSONResponse:
        return error_response(400, redact(str(error)))

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        return error_response(_invalid_status(request), describe(list(error.errors())))

    @app.exception_handler(InvalidBodyError)
    async def _invalid_body(request: Request, error: InvalidBodyError) -> JSONResponse:
        return error_response(_invalid_status(request), str(error))

    @app.exception_handler(BusyError)
    async def _busy(_request: Request, error: BusyError) -> JSONResponse:
        return error_response(429, "the queue is full; try again later", retry_after=error.retry_after)

    @app.exception_handler(TooLargeError)
    async def _too_large(_request: Request, error: TooLargeError) -> JSONResponse:
        return error_response(413, str(error))

    @app.exception_handler(TimeoutError)
    async def _timeout(_request: Request, _error: TimeoutError) -> JSONResponse:
        return error_response(
            504, "the request took too long, and was cancelled; try less at a time, or later"
        )

    @app.exception_handler(UnavailableError)
    async def _unavailable(_request: Request, error: UnavailableError) -> JSONResponse:
        return error_response(503, str(error), retry_after=2)

    @app.exception_handler(ThrottledError)
    async def _throttled(_request: Request, error: ThrottledError) -> JSONResponse:
        return error_response(429, str(error), retry_after=error.retry_after)

    @app.exception_handler(QuotaError)
    async def _quota(request: Request, error: QuotaError) -> JSONResponse:
        # 456 is how DeepL's clients recognise a quota that is used up.
        status = 456 if request.url.path.startswith(("/v2/", "/v3/")) else 429
        return error_response(status, str(error), retry_after=error.retry_after)

    @app.exception_handler(StorageError)
    async def _storage(_request: Request, error: StorageError) -> JSONResponse:
        log.warning("%s (%s)", error, str(getattr(error.__cause__, "orig", "")).partition("\n")[0])
        full = isinstance(error, StorageFullError)
        return error_response(507 if full else 503, str(error), retry_after=30 if full else 2)

    @app.exception_handler(ReplyPendingError)
    async def _pending(_request: Request, error: ReplyPendingError) -> JSONResponse:
        return error_response(409, str(error), retry_after=2)

    @app.exception_handler(ReplyMismatchError)
    async def _mismatch(_request: Request, error: ReplyMismatchError) -> JSONResponse:
        return error_response(422, str(error))

    @app.exception_handler(ChangedGlossaryError)
    async def _changed(_request: Request, error: ChangedGlossaryError) -> JSONResponse:
        return error_response(412, str(error))

    @app.exception_handler(UnknownGlossaryError)
    @app.exception_handler(UnknownJobError)
    @app.exception_handler(UnknownBlobError)
    async def _unknown(_request: Request, error: Exception) -> JSONResponse:
        return error_response(404, str(error))

    @app.exception_handler(ClientDisconnect)
    @app.exception_handler(ClientDisconnectedError)
    async def _disconnected(_request: Request, _error: Exception) -> JSONResponse:
        return error_response(499, "the client has disconnected")

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JSONResponse:
        found = error_response(error.status_code, str(error.detail))
        found.headers.update(error.headers or {})
        if error.status_code == 405 and (methods := _allowed_methods(request)):
            found.headers["Allow"] = ", ".join(methods)
        return found

    @app.exception_handler(Exception)
    async def _unexpected(request: Request, error: Exception) -> JSONResponse:
        log.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return error_response(500, "internal error; the server's log has more")


def _invalid_status(request: Request) -> int:
    """Clients of DeepL and LibreTranslate know 400 alone."""
    return 422 if request.url.path.startswith("/v1/") else 400


def _allowed_methods(request: Request) -> list[str]:
    """Of all routes of the path: Starlette tells those of the first alone."""
    routes = [route for route in request.app.routes if not isinstance(route, Mount)]
    scopes = [(method, {**request.scope, "method": method}) for method in _METHODS]
    return [name for name, scope in scopes if any(one.matches(scope)[0] is Match.FULL for one in routes)]
