"""POST /v1/translate, /v1/align and /v1/stream."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from lexalign.contracts.errors import LexalignError
from lexalign.server.api.requests import AlignBody, StreamBody, TranslateBody
from lexalign.server.api.responses import (
    EVENT_SCHEMA,
    AlignResponse,
    TokenSchema,
    TranslateResponse,
    TranslationSchema,
    WordAlignmentSchema,
)
from lexalign.server.batching.errors import BusyError, TooLargeError, UnavailableError
from lexalign.server.http.bodies import json_body, read_json
from lexalign.server.http.disconnects import while_connected
from lexalign.server.http.errors import ERROR_RESPONSES, NOT_FOUND
from lexalign.server.http.json_responses import json_response, render
from lexalign.server.http.security import check_quota, require_key
from lexalign.server.http.services import Services, services
from lexalign.server.translating.catalogue import LoadedModel
from lexalign.server.translating.requests import TranslationRequest, TranslationResult

router = APIRouter(
    prefix="/v1",
    tags=["Translation"],
    dependencies=[Depends(require_key)],
    responses={**ERROR_RESPONSES, **NOT_FOUND},
)
Server = Annotated[Services, Depends(services)]


@router.post(
    "/translate",
    summary="Translate texts",
    response_model=TranslateResponse,
    openapi_extra=json_body(TranslateBody),
)
async def translate(request: Request, server: Server) -> Response:
    """Translate with terms; the response has word alignments, a result for each term, and alternatives."""
    body = await read_json(request, TranslateBody)
    return await while_connected(request, _translate(body, server))


async def _translate(body: TranslateBody, server: Services) -> Response:
    check_quota(server)
    translation_request = await body.to_request(server, body.texts)
    result = await server.translation.translate(translation_request)
    server.metrics.translated(sum(map(len, body.texts)))
    return await server.threads.run(translation_request.size, json_response, partial(_response, result))


@router.post(
    "/align", summary="Align translations", response_model=AlignResponse, openapi_extra=json_body(AlignBody)
)
async def align(request: Request, server: Server) -> Response:
    """Align the words of given translations with the words of their sources."""
    body = await read_json(request, AlignBody)
    return await while_connected(request, _align(body, server))


async def _align(body: AlignBody, server: Services) -> Response:
    pairs = body.checked_pairs()
    model, found = await server.translation.align(
        pairs, body.source_language, body.target_language, matrix=body.matrix, subwords=body.subwords
    )

    def make() -> AlignResponse:
        return AlignResponse.model_construct(
            model=model.name, pairs=[WordAlignmentSchema.from_links(links) for links in found]
        )

    size = sum(links.size for links in found)
    return await server.threads.run(size, json_response, make)


@router.post(
    "/stream",
    summary="Translate a text as a stream of words",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Events: `token` for each token of a greedy translation when it is decoded, with "
            "its source; then one `translation`, as of /v1/translate, in which terms are met; or `error`.",
            "content": {
                "text/event-stream": {
                    "schema": EVENT_SCHEMA,
                    "example": 'event: token\ndata: {"text":"The","source":[0,3],"probability":0.93,'
                    '"log_probability":-0.21}\n\n',
                }
            },
        }
    },
    openapi_extra=json_body(StreamBody),
)
async def stream(request: Request, server: Server) -> StreamingResponse:
    body = await read_json(request, StreamBody)
    check_quota(server)
    translation_request = await body.to_request(server, [body.text])
    model = await server.translation.check(translation_request)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(
        _events(server, translation_request, model), media_type="text/event-stream", headers=headers
    )


async def _events(
    server: Services, translation_request: TranslationRequest, model: LoadedModel
) -> AsyncIterator[str]:
    """Errors after the first byte can only be sent as events."""
    uncounted = len(translation_request.texts[0])
    try:
        async for token in server.translation.draft(translation_request, model):
            server.metrics.translated(uncounted)  # who leaves after the draft has had a translation
            uncounted = 0
            yield _event("token", TokenSchema.from_token(token))
        result = await server.translation.translate(translation_request)
        server.metrics.translated(uncounted)
        yield await server.threads.run(
            translation_request.size, lambda: _event("translation", _response(result))
        )
    except LexalignError as error:
        yield _event("error", StreamErrorSchema(message=server.redact(str(error))))
    except BusyError as error:
        yield _event(
            "error", StreamErrorSchema(message=f"the queue is full; try again in {error.retry_after} s")
        )
    except (TooLargeError, UnavailableError) as error:
        yield _event("error", StreamErrorSchema(message=str(error)))
    except TimeoutError:
        yield _event("error", StreamErrorSchema(message="the request took too long, and was cancelled"))


class StreamErrorSchema(BaseModel):
    """An error that ends a stream."""

    message: str


def _event(name: str, data: BaseModel) -> str:
    return f"event: {name}\ndata: {render(data).decode()}\n\n"


def _response(result: TranslationResult) -> TranslateResponse:
    choice = result.models[0].choice
    return TranslateResponse.model_construct(
        model=result.models[0].name,
        source_language=choice.source,
        target_language=choice.target,
        translations=[
            TranslationSchema.from_translation(found, model.choice.source)
            for found, model in zip(result.translations, result.models, strict=True)
        ],
    )
