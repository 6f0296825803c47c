"""POST /v1/alternatives: other wordings at a place of a translation."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from lexalign.contracts.errors import LexalignError
from lexalign.markup.units import is_word, units_of
from lexalign.server.api.chosen_glossaries import ChosenGlossaries
from lexalign.server.api.entries import Language
from lexalign.server.api.responses import AlternativeSchema, Offsets, translation_fields
from lexalign.server.http.bodies import json_body, read_json
from lexalign.server.http.disconnects import while_connected
from lexalign.server.http.errors import ERROR_RESPONSES, NOT_FOUND
from lexalign.server.http.json_responses import json_response
from lexalign.server.http.security import check_quota, require_key
from lexalign.server.http.services import Services, services
from lexalign.server.translating.requests import TranslationRequest
from lexalign.translator import Translation

router = APIRouter(
    prefix="/v1",
    tags=["Translation"],
    dependencies=[Depends(require_key)],
    responses={**ERROR_RESPONSES, **NOT_FOUND},
)
Server = Annotated[Services, Depends(services)]
Sentence = Annotated[str, Field(max_length=5_000)]


class AlternativesBody(ChosenGlossaries):
    """A sentence, its translation, and the place in the translation where something else may stand."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "source": "Das Haus ist groß.",
                    "target": "The house is big.",
                    "span": [13, 16],
                    "source_language": "de",
                    "target_language": "en",
                }
            ]
        },
    )

    source: Sentence
    target: Sentence
    span: Offsets = Field(description="The characters of the target that may change: first, last + 1.")
    replacement: Sentence | None = Field(
        None, description="The words to put there; without it, the most probable ones are found."
    )
    source_language: Language | None = Field(None, description="Detected if left out.")
    target_language: Language | None = Field(None, description="May be left out if only one is loaded.")
    number: int = Field(5, ge=1, le=10, description="Maximum number of alternatives.")

    def checked_span(self) -> Offsets:
        start, end = self.span
        if not 0 <= start <= end <= len(self.target):
            raise LexalignError(f"span {start}, {end} is outside of the target of {len(self.target)}")
        return start, end


class ReplacementSchema(AlternativeSchema):
    """A translation with the same beginning; what follows may differ too."""

    replacement: str = Field(description="The words that are there now.")
    span: Offsets = Field(description="Its position in this translation.")


class AlternativesResponse(BaseModel):
    """Alternatives, best first; of a word that nothing else can replace there are none."""

    model: str
    source_language: str
    target_language: str
    alternatives: list[ReplacementSchema]


@router.post(
    "/alternatives",
    summary="Other wordings at a place of a translation",
    response_model=AlternativesResponse,
    openapi_extra=json_body(AlternativesBody),
)
async def alternatives(request: Request, server: Server) -> Response:
    """Other wordings at a place of a translation; the text after them is translated again to suit each."""
    body = await read_json(request, AlternativesBody)
    return await while_connected(request, _alternatives(body, server))


async def _alternatives(body: AlternativesBody, server: Services) -> Response:
    start, _ = body.checked_span()
    check_quota(server)
    glossary, stored = await body.read_glossaries(server)
    asked = TranslationRequest(
        texts=(body.source,),
        source=body.source_language,
        target=body.target_language,
        glossary=glossary,
        stored=stored,
        sentences=False,
        skip_translated=False,
    )
    given = body.replacement is not None
    model, found = await server.translation.continue_target(
        asked,
        body.target[:start] + (body.replacement or ""),
        number=body.number + (not given),  # one of them is what stands there already
        whole=given,
    )
    server.metrics.translated(len(body.source))

    def make() -> AlternativesResponse:
        return AlternativesResponse.model_construct(
            model=model.name,
            source_language=model.choice.source,
            target_language=model.choice.target,
            alternatives=_replacements(body, found)[: body.number],
        )

    return await server.threads.run(asked.size * (body.number + 1), json_response, make)


def _replacements(body: AlternativesBody, found: Translation) -> list[ReplacementSchema]:
    """One translation for each replacement, the best; that which stands there already is none."""
    replacements: dict[str, ReplacementSchema] = {}
    for one in (found, *found.alternatives):
        span = _replaced(body, one.text)
        replacement = one.text[slice(*span)]
        known = one.text == body.target or replacement in ("", body.target[slice(*body.span)])
        if body.replacement is not None or not known:
            schema = ReplacementSchema.model_construct(
                **translation_fields(one), replacement=replacement, span=span
            )
            replacements.setdefault(replacement if body.replacement is None else one.text, schema)
    return list(replacements.values())


def _replaced(body: AlternativesBody, text: str) -> Offsets:
    """What stands in place of the span: all before the old rest, or where that has changed, the next word."""
    start, end = body.span
    if body.replacement is not None:
        return start, min(len(text), start + len(body.replacement.rstrip()))
    rest = body.target[end:]
    if text.endswith(rest) and len(text) - len(rest) > start and rest.strip():
        return start, len(text) - len(rest)
    words = (span for span in units_of(text) if span[1] > start and is_word(text, span))
    return next(words, (len(text), len(text)))
