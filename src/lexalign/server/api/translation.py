"""POST /v1/translate, /v1/align and /v1/stream."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Request
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
from lexalign.server.batching.dispatcher import BusyError, UnavailableError
from lexalign.server.http.disconnects import while_connected
from lexalign.server.http.responses import PROBLEMS
from lexalign.server.http.security import require_key
from lexalign.server.http.services import Services, services
from lexalign.server.translating.service import Order, Outcome
from lexalign.server.translating.small_work import beside

router = APIRouter(
    prefix="/v1", tags=["Translation"], dependencies=[Depends(require_key)], responses=PROBLEMS
)
Server = Annotated[Services, Depends(services)]


@router.post("/translate", summary="Translate texts")
async def translate(body: TranslateBody, request: Request, server: Server) -> TranslateAnswer:
    """With terms, alignments by character offsets, what became of each term, and alternatives."""
    order = await beside(body.is_small, body.order, server, body.texts)
    outcome = await while_connected(request, server.translation.translate(order))
    server.metrics.translated(sum(map(len, body.texts)))
    return _answer(outcome)


@router.post("/align", summary="Align translations")
async def align(body: AlignBody, request: Request, server: Server) -> AlignAnswer:
    """Tells which words of given translations come from which words of their sources."""
    pairs = body.checked_pairs()
    asked = server.translation.align(pairs, body.source_language, body.target_language)
    model, found = await while_connected(request, asked)
    return AlignAnswer(model=model.name, pairs=[PairAnswer.of(links, matrix=body.matrix) for links in found])


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
)
async def stream(body: StreamBody, server: Server) -> StreamingResponse:
    order = await beside(body.is_small, body.order, server, [body.text])
    server.translation.check(order)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_events(server, order), media_type="text/event-stream", headers=headers)


async def _events(server: Services, order: Order) -> AsyncIterator[str]:
    """What goes wrong after the first byte can only be told as an event."""
    try:
        if server.translation.can_draft(order):
            async for token in server.translation.draft(order):
                yield _event("token", TokenAnswer.of(token))
        outcome = await server.translation.translate(order)
        server.metrics.translated(len(order.texts[0]))
        yield _event("translation", _answer(outcome))
    except LexalignError as error:
        yield _event("error", Failure(message=server.redact(str(error))))
    except BusyError as error:
        yield _event("error", Failure(message=f"too much is waiting; try again in {error.retry_after} s"))
    except UnavailableError as error:
        yield _event("error", Failure(message=str(error)))
    except TimeoutError:
        yield _event("error", Failure(message="this took too long, and was given up"))


class Failure(BaseModel):
    message: str


def _event(name: str, data: BaseModel) -> str:
    return f"event: {name}\ndata: {data.model_dump_json()}\n\n"


def _answer(outcome: Outcome) -> TranslateAnswer:
    choice = outcome.model.choice
    return TranslateAnswer.model_construct(
        model=outcome.model.name,
        source_language=choice.source,
        target_language=choice.target,
        translations=[TranslationAnswer.of(found) for found in outcome.translations],
    )
