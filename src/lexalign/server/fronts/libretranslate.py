"""LibreTranslate's API: /translate, /languages, /detect."""

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from lexalign.contracts.errors import LexalignError
from lexalign.server.http.answers import respond
from lexalign.server.http.bodies import documented_fields, read_fields
from lexalign.server.http.disconnects import while_connected
from lexalign.server.http.responses import PROBLEMS
from lexalign.server.http.security import check_key, offered_key, require_key
from lexalign.server.http.services import Services, services
from lexalign.server.translating.languages import guess_language, language_name
from lexalign.server.translating.service import Order, Outcome, guessing_size

router = APIRouter(tags=["LibreTranslate"], responses=PROBLEMS)
Server = Annotated[Services, Depends(services)]
Query = Annotated[str, Field(max_length=200_000)]


class LibreBody(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"q": "Das Haus ist groß.", "source": "de", "target": "en"}]}
    )

    q: Query | Annotated[list[Query], Field(min_length=1, max_length=1000)]
    source: str = Field(max_length=16)
    target: str = Field(max_length=16)
    format: Literal["text", "html"] = "text"
    alternatives: int = Field(0, ge=0, le=4)
    api_key: str | None = Field(None, max_length=200)

    @property
    def texts(self) -> list[str]:
        return [self.q] if isinstance(self.q, str) else self.q

    def order(self) -> Order:
        return Order(
            texts=tuple(self.texts),
            source=None if self.source == "auto" else self.source,
            target=self.target,
            alternatives=self.alternatives,
            align=False,
            tags="html" if self.format == "html" else None,
        )


class DetectBody(BaseModel):
    model_config = ConfigDict(json_schema_extra={"examples": [{"q": "Das Haus ist groß."}]})

    q: Query
    api_key: str | None = Field(None, max_length=200)


class Detected(BaseModel):
    confidence: float
    language: str


class LibreAnswer(BaseModel):
    translatedText: str | list[str]  # noqa: N815
    alternatives: list[str] | list[list[str]] | None = None
    detectedLanguage: Detected | list[Detected] | None = None  # noqa: N815


class LibreLanguage(BaseModel):
    code: str
    name: str
    targets: list[str]


@router.post(
    "/translate",
    summary="Translate texts",
    openapi_extra=documented_fields(LibreBody),
    response_model=LibreAnswer,
    response_model_exclude_none=True,
)
async def translate(request: Request, server: Server) -> Response:
    body = await read_fields(request, LibreBody)
    await check_key(server, body.api_key or offered_key(request), denied=403)
    return await while_connected(request, _translate(body, server))


async def _translate(body: LibreBody, server: Services) -> Response:
    order = body.order()
    outcome = await server.translation.translate(order)
    server.metrics.translated(sum(map(len, body.texts)))
    size = order.size + (guessing_size(body.texts) if body.source == "auto" else 0)
    return await server.lanes.run(
        size, partial(respond, partial(_answer, body, server, outcome), without_none=True)
    )


def _answer(body: LibreBody, server: Services, outcome: Outcome) -> LibreAnswer:
    texts = [found.text for found in outcome.translations]
    others = [[other.text for other in found.alternatives] for found in outcome.translations]
    detected = [_detect(server, text) for text in body.texts] if body.source == "auto" else None
    alone = isinstance(body.q, str)
    return LibreAnswer(
        translatedText=texts[0] if alone else texts,
        alternatives=(others[0] if alone else others) if body.alternatives else None,
        detectedLanguage=detected[0] if detected and alone else detected,
    )


@router.get("/languages", summary="Languages", dependencies=[Depends(require_key)])
def languages(server: Server) -> list[LibreLanguage]:
    return [
        LibreLanguage(code=code, name=language_name(code), targets=server.catalogue.targets(code))
        for code in server.catalogue.sources
    ]


@router.post("/detect", summary="Guess the language of a text", openapi_extra=documented_fields(DetectBody))
async def detect(request: Request, server: Server) -> list[Detected]:
    """Among the languages that are loaded."""
    body = await read_fields(request, DetectBody)
    await check_key(server, body.api_key or offered_key(request), denied=403)
    if not body.q.strip():
        raise LexalignError("there is no text")
    return [await server.lanes.run(guessing_size([body.q]), _detect, server, body.q)]


def _detect(server: Services, text: str) -> Detected:
    """In percent, as LibreTranslate has it; the first language, without confidence, where nothing tells."""
    known = sorted({*server.catalogue.sources, *server.catalogue.all_targets()})
    found = guess_language(text, known)
    if found is None:
        return Detected(confidence=0.0, language=server.catalogue.sources[0])
    return Detected(confidence=round(100 * found[1], 1), language=found[0])
