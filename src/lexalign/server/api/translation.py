"""POST /v1/translate, /v1/align and /v1/stream."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from lexalign.contracts.errors import LexalignError
from lexalign.server.api.answers import (
    AlignAnswer,
    PairAnswer,
    TokenAnswer,
    TranslateAnswer,
    TranslationAnswer,
)
from lexalign.server.api.requests import AlignBody, StreamBody, TranslateBody
from lexalign.server.batching.errors import BusyError, TooLargeError, UnavailableError
from lexalign.server.http.answers import render, respond
from lexalign.server.http.bodies import documented, read_body
from lexalign.server.http.disconnects import while_connected
from lexalign.server.http.responses import PROBLEMS
from lexalign.server.http.security import require_key
from lexalign.server.http.services import Services, services
from lexalign.server.translating.catalogue import LoadedModel
from lexalign.server.translating.service import Order, Outcome

router = APIRouter(
    prefix="/v1", tags=["Translation"], dependencies=[Depends(require_key)], responses=PROBLEMS
)
Server = Annotated[Services, Depends(services)]


@router.post(
    "/translate",
    summary="Translate texts",
    response_model=TranslateAnswer,
    openapi_extra=documented(TranslateBody),
)
async def translate(request: Request, server: Server) -> Response:
    """With terms, alignments by character offsets, what became of each term, and alternatives."""
    body = await read_body(request, TranslateBody)
    return await while_connected(request, _translate(body, server))


async def _translate(body: TranslateBody, server: Services) -> Response:
    order = await body.order(server, body.texts)
    outcome = await server.translation.translate(order)
    server.metrics.translated(sum(map(len, body.texts)))
    return await server.lanes.run(order.size, respond, partial(_answer, outcome))


@router.post(
    "/align", summary="Align translations", response_model=AlignAnswer, openapi_extra=documented(AlignBody)
)
async def align(request: Request, server: Server) -> Response:
    """Tells which words of given translations come from which words of their sources."""
    body = await read_body(request, AlignBody)
    return await while_connected(request, _align(body, server))


async def _align(body: AlignBody, server: Services) -> Response:
    pairs = body.checked_pairs()
    model, found = await server.translation.align(pairs, body.source_language, body.target_language)

    def answer() -> AlignAnswer:
        return AlignAnswer.model_construct(
            model=model.name, pairs=[PairAnswer.of(links, matrix=body.matrix) for links in found]
        )

    # A matrix has the product of two lengths.
    size = sum(len(links.source) * len(links.target) for links in found)
    return await server.lanes.run(size, respond, answer)


@router.post(
    "/stream",
    summary="Translate a text while it is watched",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Events: `token` for each token of a greedy draft, the moment it is decided, with "
            "its source; then one `translation`, as of /v1/translate, in which terms are met; or `error`.",
            "content": {
                "text/event-stream": {
                    "schema": {"type": "string"},
                    "example": 'event: token\ndata: {"text":"The","source":[0,3],"probability":0.93,'
                    '"log_probability":-0.21}\n\n',
                }
            },
        }
    },
    openapi_extra=documented(StreamBody),
)
async def stream(request: Request, server: Server) -> StreamingResponse:
    body = await read_body(request, StreamBody)
    order = await body.order(server, [body.text])
    model = await server.translation.check(order)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_events(server, order, model), media_type="text/event-stream", headers=headers)


async def _events(server: Services, order: Order, model: LoadedModel) -> AsyncIterator[str]:
    """What goes wrong after the first byte can only be told as an event."""
    try:
        if model.aligner is not None:
            async for token in server.translation.draft(order, model):
                yield _event("token", TokenAnswer.of(token))
        outcome = await server.translation.translate(order)
        server.metrics.translated(len(order.texts[0]))
        yield await server.lanes.run(order.size, lambda: _event("translation", _answer(outcome)))
    except LexalignError as error:
        yield _event("error", Failure(message=server.redact(str(error))))
    except BusyError as error:
        yield _event("error", Failure(message=f"too much is waiting; try again in {error.retry_after} s"))
    except (TooLargeError, UnavailableError) as error:
        yield _event("error", Failure(message=str(error)))
    except TimeoutError:
        yield _event("error", Failure(message="this took too long, and was given up"))


class Failure(BaseModel):
    message: str


def _event(name: str, data: BaseModel) -> str:
    return f"event: {name}\ndata: {render(data).decode()}\n\n"


def _answer(outcome: Outcome) -> TranslateAnswer:
    choice = outcome.models[0].choice
    return TranslateAnswer.model_construct(
        model=outcome.models[0].name,
        source_language=choice.source,
        target_language=choice.target,
        translations=[
            TranslationAnswer.of(found, model.choice.source)
            for found, model in zip(outcome.translations, outcome.models, strict=True)
        ],
    )
