"""Errors as answers: one line that says what to do, and never a path or a trace.

{"message": ...} everywhere; LibreTranslate's clients look for {"error": ...}, so both are there.
"""

import logging
from collections.abc import Callable

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from lexalign.contracts.errors import LexalignError
from lexalign.server.batching.errors import BusyError, TooLargeError, UnavailableError
from lexalign.server.http.disconnects import ClientGoneError
from lexalign.server.storage.database import StorageBusyError
from lexalign.server.storage.glossaries import ChangedGlossaryError, UnknownGlossaryError

_log = logging.getLogger("lexalign.server")


class InvalidBodyError(Exception):
    """A body that does not have the form it must have."""


class Problem(BaseModel):
    """What went wrong, and what to do about it."""

    message: str
    error: str


def answer(status: int, message: str, *, retry_after: int | None = None) -> JSONResponse:
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    line = " ".join(message.split())
    return JSONResponse({"message": line, "error": line}, status_code=status, headers=headers)


def describe(errors: list[dict[str, object]]) -> str:
    """A validation error in a line, without the input, which may be long."""
    first = errors[0]
    location = first.get("loc")
    places = [str(part) for part in location if part != "body"] if isinstance(location, tuple) else []
    where = f"{'.'.join(places)}: " if places else ""
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{where}{first.get('msg')}{more}"


def install(app: FastAPI, redact: Callable[[str], str]) -> None:
    """`redact` takes what nobody is to know out of a message."""

    @app.exception_handler(LexalignError)
    async def _bad_input(_request: Request, error: LexalignError) -> JSONResponse:
        return answer(400, redact(str(error)))

    @app.exception_handler(RequestValidationError)
    async def _invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        return answer(422, describe(list(error.errors())))

    @app.exception_handler(InvalidBodyError)
    async def _invalid_body(_request: Request, error: InvalidBodyError) -> JSONResponse:
        return answer(422, str(error))

    @app.exception_handler(BusyError)
    async def _busy(_request: Request, error: BusyError) -> JSONResponse:
        return answer(429, "too much is waiting; try again later", retry_after=error.retry_after)

    @app.exception_handler(TooLargeError)
    async def _too_large(_request: Request, error: TooLargeError) -> JSONResponse:
        return answer(413, str(error))

    @app.exception_handler(TimeoutError)
    async def _timeout(_request: Request, _error: TimeoutError) -> JSONResponse:
        return answer(504, "this took too long, and was given up; try less at a time, or later")

    @app.exception_handler(UnavailableError)
    async def _unavailable(_request: Request, error: UnavailableError) -> JSONResponse:
        return answer(503, str(error), retry_after=2)

    @app.exception_handler(StorageBusyError)
    async def _locked(_request: Request, error: StorageBusyError) -> JSONResponse:
        return answer(503, str(error), retry_after=2)

    @app.exception_handler(ChangedGlossaryError)
    async def _changed(_request: Request, error: ChangedGlossaryError) -> JSONResponse:
        return answer(412, str(error))

    @app.exception_handler(UnknownGlossaryError)
    async def _unknown(_request: Request, error: UnknownGlossaryError) -> JSONResponse:
        return answer(404, str(error))

    @app.exception_handler(ClientGoneError)
    async def _gone(_request: Request, _error: ClientGoneError) -> JSONResponse:
        return answer(499, "the client has left")

    @app.exception_handler(HTTPException)
    async def _http(_request: Request, error: HTTPException) -> JSONResponse:
        found = answer(error.status_code, str(error.detail))
        found.headers.update(error.headers or {})
        return found

    @app.exception_handler(Exception)
    async def _unexpected(request: Request, error: Exception) -> JSONResponse:
        _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return answer(500, "something went wrong in the server; its log has more")
