"""POST /v1/sentences: the language of a text and its sentences, for clients that translate only changes."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from lexalign.server.api.entries import Language
from lexalign.server.api.requests import Text
from lexalign.server.api.responses import Offsets
from lexalign.server.http.bodies import json_body, read_json
from lexalign.server.http.errors import ERROR_RESPONSES
from lexalign.server.http.json_responses import json_response
from lexalign.server.http.security import require_key
from lexalign.server.http.services import Services, services
from lexalign.server.translating.service import detection_size
from lexalign.text.detection import detect, is_available
from lexalign.text.languages import language_name

router = APIRouter(
    prefix="/v1", tags=["Translation"], dependencies=[Depends(require_key)], responses=ERROR_RESPONSES
)
Server = Annotated[Services, Depends(services)]


class SentencesBody(BaseModel):
    """A text to be split as /v1/translate splits it."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"text": "Das Haus ist groß. Es ist alt."}]}
    )

    text: Text
    source_language: Language | None = Field(None, description="Detected if left out.")
    target_language: Language | None = Field(None, description="May be left out if only one is loaded.")


class DetectedSchema(BaseModel):
    """A language, whether a model is loaded for it or not, and how probable it is."""

    language: str
    name: str
    probability: float


class SentencesResponse(BaseModel):
    """`detected` is null where the text is too short or too mixed to tell."""

    source_language: str
    target_language: str
    detected: DetectedSchema | None
    sentences: list[Offsets]


@router.post(
    "/sentences",
    summary="Split a text into sentences, and detect its language",
    response_model=SentencesResponse,
    openapi_extra=json_body(SentencesBody),
)
async def sentences(request: Request, server: Server) -> Response:
    body = await read_json(request, SentencesBody)
    model = await server.translation.find_model(body.source_language, body.target_language, [body.text])

    def make() -> SentencesResponse:
        return SentencesResponse(
            source_language=model.choice.source,
            target_language=model.choice.target,
            detected=_detect(body.text, server.catalogue.sources),
            sentences=[one.span for one in model.translator.prepare(body.text).source.sentences],
        )

    size = len(body.text) + detection_size([body.text])
    return await server.threads.run(size, json_response, make)


def _detect(text: str, candidates: list[str]) -> DetectedSchema | None:
    if not is_available():
        return None
    found = detect(text, candidates)
    if found.language is None:
        return None
    return DetectedSchema(
        language=found.language,
        name=language_name(found.language),
        probability=round(found.probability, 6),
    )
