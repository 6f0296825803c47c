"""LibreTranslate's API: texts and languages, by JSON, forms and parameters of the URL."""

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from lexalign.contracts.errors import LexalignError
from lexalign.markup import SUFFIXES
from lexalign.server.http.bodies import json_or_form_body, read_json_or_form
from lexalign.server.http.disconnects import while_connected
from lexalign.server.http.errors import ERROR_RESPONSES
from lexalign.server.http.json_responses import json_response
from lexalign.server.http.security import check_key, check_quota, key_of
from lexalign.server.http.services import Services, services
from lexalign.server.translating.requests import TranslationRequest, TranslationResult
from lexalign.server.translating.service import detection_size
from lexalign.text.detection import is_available, rank_languages
from lexalign.text.languages import language_name

LIBRE_ERROR_RESPONSES = {**ERROR_RESPONSES, 403: {**ERROR_RESPONSES[401]}}
router = APIRouter(tags=["LibreTranslate"], responses=LIBRE_ERROR_RESPONSES)
Server = Annotated[Services, Depends(services)]
Query = Annotated[str, Field(max_length=200_000)]
ApiKey = Annotated[str | None, Field(max_length=200)]
_NUM_DETECTED = 3
_LEAST_CONFIDENCE = 1.0  # per cent of the second and third language that are told


class KeyBody(BaseModel):
    api_key: ApiKey = None


class LibreTranslateBody(KeyBody):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"q": "Das Haus ist groß.", "source": "de", "target": "en"}]}
    )

    q: Query | Annotated[list[Query], Field(min_length=1, max_length=1000)]
    source: str = Field(max_length=16)
    target: str = Field(max_length=16)
    format: Literal["text", "html"] = "text"
    alternatives: int = Field(0, ge=0, le=4)

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


class DetectBody(KeyBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"q": "Das Haus ist groß."}]})

    q: Query


class DetectedLanguage(BaseModel):
    confidence: float = Field(description="In per cent.")
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
    body = await read_json_or_form(request, LibreTranslateBody, query=True)
    await require_api_key(request, server, body.api_key)
    return await while_connected(request, _translate(body, server))


async def _translate(body: LibreTranslateBody, server: Services) -> Response:
    check_quota(server)
    asked = body.to_request()
    result = await server.translation.translate(asked)
    server.metrics.translated(sum(map(len, body.texts)))
    size = asked.size + (detection_size(body.texts) if body.source == "auto" else 0)
    make = partial(_response, body, result)
    return await server.threads.run(size, partial(json_response, make, without_none=True))


def _response(body: LibreTranslateBody, result: TranslationResult) -> LibreTranslateResponse:
    texts = [found.text for found in result.translations]
    others = [[other.text for other in found.alternatives] for found in result.translations]
    detected = None
    if body.source == "auto":
        pairs = zip(body.texts, result.sources, strict=True)
        detected = [_confidence(text, source) for text, source in pairs]
    single = isinstance(body.q, str)
    return LibreTranslateResponse(
        translatedText=texts[0] if single else texts,
        alternatives=(others[0] if single else others) if body.alternatives else None,
        detectedLanguage=detected[0] if detected and single else detected,
    )


@router.get("/languages", summary="Languages")
async def languages(server: Server) -> list[LibreLanguage]:
    """The languages; needs no key, as in LibreTranslate, whose page asks before anyone has entered one."""
    return [
        LibreLanguage(code=code, name=language_name(code), targets=server.catalogue.targets(code))
        for code in server.catalogue.sources
    ]


@router.post("/detect", summary="Detect the language of a text", openapi_extra=json_or_form_body(DetectBody))
async def detect(request: Request, server: Server) -> list[DetectedLanguage]:
    """The most probable language of a text, among all that can be detected."""
    body = await read_json_or_form(request, DetectBody, query=True)
    await require_api_key(request, server, body.api_key)
    if not body.q.strip():
        raise LexalignError("there is no text")
    return await server.threads.run(detection_size([body.q]), _detect, body.q)


def _detect(text: str) -> list[DetectedLanguage]:
    if not is_available():
        raise LexalignError("this server cannot detect languages; pip install py3langid")
    found = [
        DetectedLanguage(confidence=round(100 * one.probability, 1), language=str(one.language))
        for one in rank_languages(text, _NUM_DETECTED)
    ]
    return [one for place, one in enumerate(found) if not place or one.confidence >= _LEAST_CONFIDENCE]


def _confidence(text: str, language: str) -> DetectedLanguage:
    """How probable it is that a text is in the language that it was translated from."""
    code = language.partition("-")[0]
    ranked = rank_languages(text, 200, (code,)) if is_available() else []
    share = next((one.probability for one in ranked if one.language == code), 0.0)
    return DetectedLanguage(confidence=round(100 * share, 1), language=language)


@router.get("/frontend/settings", summary="What LibreTranslate's page asks for")
async def frontend_settings(server: Server) -> dict[str, Any]:
    first = server.catalogue.sources[0]
    target = server.catalogue.targets(first)[0]
    return {
        "apiKeys": server.keys.required,
        "charLimit": -1,
        "filesTranslation": True,
        "frontendTimeout": 500,
        "keyRequired": server.keys.required,
        "language": {
            "source": {"code": first, "name": language_name(first)},
            "target": {"code": target, "name": language_name(target)},
        },
        "suggestions": True,
        "supportedFilesFormat": list(SUFFIXES),
    }


@router.get("/spec", summary="This document", include_in_schema=False)
async def spec(request: Request) -> dict[str, Any]:
    document: dict[str, Any] = request.app.openapi()
    return document


async def require_api_key(request: Request, server: Services, api_key: str | None) -> None:
    """LibreTranslate's clients send their key among the other fields, and know 403 for a wrong one."""
    await check_key(server, api_key or key_of(request), status=403)
