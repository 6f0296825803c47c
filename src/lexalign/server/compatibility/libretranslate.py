"""LibreTranslate's API: /translate, /languages, /detect."""

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from lexalign.contracts.errors import LexalignError
from lexalign.server.http.bodies import json_or_form_body, read_json_or_form
from lexalign.server.http.disconnects import while_connected
from lexalign.server.http.errors import ERROR_RESPONSES
from lexalign.server.http.json_responses import json_response
from lexalign.server.http.security import check_key, key_of, require_key
from lexalign.server.http.services import Services, services
from lexalign.server.translating.catalogue import detect_language
from lexalign.server.translating.service import TranslationRequest, TranslationResult, detection_size
from lexalign.text.languages import language_name

router = APIRouter(tags=["LibreTranslate"], responses=ERROR_RESPONSES)
Server = Annotated[Services, Depends(services)]
Query = Annotated[str, Field(max_length=200_000)]


class LibreTranslateBody(BaseModel):
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

    def to_request(self) -> TranslationRequest:
        return TranslationRequest(
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


class DetectedLanguage(BaseModel):
    confidence: float
    language: str


class LibreTranslateResponse(BaseModel):
    translatedText: str | list[str]  # noqa: N815
    alternatives: list[str] | list[list[str]] | None = None
    detectedLanguage: DetectedLanguage | list[DetectedLanguage] | None = None  # noqa: N815


class LibreLanguage(BaseModel):
    code: str
    name: str
    targets: list[str]


@router.post(
    "/translate",
    summary="Translate texts",
    openapi_extra=json_or_form_body(LibreTranslateBody),
    response_model=LibreTranslateResponse,
    response_model_exclude_none=True,
)
async def translate(request: Request, server: Server) -> Response:
    body = await read_json_or_form(request, LibreTranslateBody)
    await check_key(server, body.api_key or key_of(request), status=403)
    return await while_connected(request, _translate(body, server))


async def _translate(body: LibreTranslateBody, server: Services) -> Response:
    translation_request = body.to_request()
    result = await server.translation.translate(translation_request)
    server.metrics.translated(sum(map(len, body.texts)))
    size = translation_request.size + (detection_size(body.texts) if body.source == "auto" else 0)
    return await server.threads.run(
        size, partial(json_response, partial(_response, body, server, result), without_none=True)
    )


def _response(
    body: LibreTranslateBody, server: Services, result: TranslationResult
) -> LibreTranslateResponse:
    texts = [found.text for found in result.translations]
    others = [[other.text for other in found.alternatives] for found in result.translations]
    detected = [_detect(server, text) for text in body.texts] if body.source == "auto" else None
    single = isinstance(body.q, str)
    return LibreTranslateResponse(
        translatedText=texts[0] if single else texts,
        alternatives=(others[0] if single else others) if body.alternatives else None,
        detectedLanguage=detected[0] if detected and single else detected,
    )


@router.get("/languages", summary="Languages", dependencies=[Depends(require_key)])
def languages(server: Server) -> list[LibreLanguage]:
    return [
        LibreLanguage(code=code, name=language_name(code), targets=server.catalogue.targets(code))
        for code in server.catalogue.sources
    ]


@router.post("/detect", summary="Detect the language of a text", openapi_extra=json_or_form_body(DetectBody))
async def detect(request: Request, server: Server) -> list[DetectedLanguage]:
    """Detect one of the languages of the loaded models."""
    body = await read_json_or_form(request, DetectBody)
    await check_key(server, body.api_key or key_of(request), status=403)
    if not body.q.strip():
        raise LexalignError("there is no text")
    return [await server.threads.run(detection_size([body.q]), _detect, server, body.q)]


def _detect(server: Services, text: str) -> DetectedLanguage:
    """Confidence is in percent, as in LibreTranslate; where it is 0, the language is only the first one."""
    known = sorted({*server.catalogue.sources, *server.catalogue.all_targets()})
    found = detect_language(text, known)
    if found is None:
        return DetectedLanguage(confidence=0.0, language=server.catalogue.sources[0])
    return DetectedLanguage(confidence=round(100 * found[1], 1), language=found[0])
