"""DeepL's API: texts, languages, usage. Options that are not supported are refused, not ignored.

Only the hints `context`, `model_type`, `preserve_formatting` and `outline_detection` are ignored.
"""

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary
from lexalign.server.api.entries import Language
from lexalign.server.http.bodies import json_or_form_body, read_json_or_form
from lexalign.server.http.disconnects import while_connected
from lexalign.server.http.errors import ERROR_RESPONSES, NOT_FOUND
from lexalign.server.http.json_responses import json_response
from lexalign.server.http.security import require_deepl_key
from lexalign.server.http.services import Services, services
from lexalign.server.translating.markup import TagHandling
from lexalign.server.translating.service import TranslationRequest, TranslationResult
from lexalign.text.languages import language_name

DEEPL_ERROR_RESPONSES = {**ERROR_RESPONSES, 403: {**ERROR_RESPONSES[401]}, **NOT_FOUND}
router = APIRouter(
    prefix="/v2", tags=["DeepL"], dependencies=[Depends(require_deepl_key)], responses=DEEPL_ERROR_RESPONSES
)
Server = Annotated[Services, Depends(services)]
# DeepL's clients require a variant of these as the target language.
_VARIANTS = {"en": ("EN-GB", "EN-US"), "pt": ("PT-BR", "PT-PT")}
_NO_LIMIT = 1_000_000_000_000


class DeepLBody(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": ["Das Haus ist groß."], "target_lang": "EN-US"}]}
    )

    text: Annotated[str, Field(max_length=200_000)] | Annotated[list[str], Field(min_length=1, max_length=50)]
    target_lang: Language
    source_lang: Language | None = None
    glossary_id: str | None = Field(None, max_length=64)
    glossary_ids: list[str] | None = Field(None, max_length=10)
    split_sentences: Literal["0", "1", "nonewlines", 0, 1, False, True] = "1"
    tag_handling: TagHandling | None = None
    formality: Literal["default", "more", "less", "prefer_more", "prefer_less"] = "default"
    style_id: str | None = None
    custom_instructions: list[str] | None = None

    @property
    def texts(self) -> list[str]:
        return [self.text] if isinstance(self.text, str) else self.text

    async def to_request(self, server: Services) -> TranslationRequest:
        self._refuse_unsupported()
        run = server.threads.read if self.glossary_id or self.glossary_ids else server.threads.run
        return await run(0, self._to_request, server)

    def _to_request(self, server: Services) -> TranslationRequest:
        glossary = Glossary()
        for identifier in [self.glossary_id, *(self.glossary_ids or [])]:
            glossary += server.glossaries.get(identifier) if identifier else Glossary()
        if self.glossary_id and not self.glossary_ids:
            glossary = server.glossaries.get(
                self.glossary_id
            )  # the same object, so that its matcher is in the cache
        return TranslationRequest(
            texts=tuple(self.texts),
            source=self.source_lang,
            target=self.target_lang,
            glossary=glossary,
            sentences=self.split_sentences not in ("0", 0),
            align=False,
            tags=self.tag_handling,
        )

    def _refuse_unsupported(self) -> None:
        if self.formality in ("more", "less"):
            raise LexalignError("formality is not supported; use default, prefer_more or prefer_less")
        if self.style_id or self.custom_instructions:
            raise LexalignError("style rules and custom instructions are not supported; leave them out")


class DeepLTranslation(BaseModel):
    detected_source_language: str
    text: str
    billed_characters: int


class DeepLTranslations(BaseModel):
    translations: list[DeepLTranslation]


class DeepLLanguage(BaseModel):
    language: str
    name: str
    supports_formality: bool = False


class DeepLUsage(BaseModel):
    character_count: int
    character_limit: int


@router.post(
    "/translate",
    openapi_extra=json_or_form_body(DeepLBody),
    response_model=DeepLTranslations,
    summary="Translate texts",
)
async def translate(request: Request, server: Server) -> Response:
    body = await read_json_or_form(request, DeepLBody)
    return await while_connected(request, _translate(body, server))


async def _translate(body: DeepLBody, server: Services) -> Response:
    translation_request = await body.to_request(server)
    result = await server.translation.translate(translation_request)
    server.metrics.translated(sum(map(len, body.texts)))
    return await server.threads.run(translation_request.size, json_response, partial(_response, result))


def _response(result: TranslationResult) -> DeepLTranslations:
    return DeepLTranslations(
        translations=[
            DeepLTranslation(
                detected_source_language=model.choice.source.upper(),
                text=found.text,
                billed_characters=len(found.source),
            )
            for found, model in zip(result.translations, result.models, strict=True)
        ]
    )


@router.get("/languages", summary="Languages")
async def languages(
    request: Request,
    server: Server,
    kind: Annotated[Literal["source", "target"] | None, Query(alias="type")] = None,
) -> list[DeepLLanguage]:
    # The official client sends the type as the form of a GET request.
    wanted = kind or ("target" if b"type=target" in await request.body() else "source")
    if wanted == "source":
        return [_language(code.upper(), code) for code in server.catalogue.sources]
    return [
        _language(shown, code)
        for code in server.catalogue.all_targets()
        for shown in _VARIANTS.get(code, (code.upper(),))
    ]


@router.get("/usage", summary="Characters translated since the server started")
def usage(server: Server) -> DeepLUsage:
    return DeepLUsage(character_count=server.metrics.characters, character_limit=_NO_LIMIT)


def _language(shown: str, code: str) -> DeepLLanguage:
    variant = {"GB": " (British)", "US": " (American)", "BR": " (Brazilian)", "PT": " (European)"}
    region = shown.partition("-")[2]
    return DeepLLanguage(language=shown, name=language_name(code) + variant.get(region, ""))
