"""DeepL's API: texts, languages, usage. What it can ask and we cannot do is refused, not passed over.

`context`, `model_type`, `preserve_formatting` and `outline_detection` only hint at how, and are not used.
"""

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary
from lexalign.server.api.terms import Language
from lexalign.server.http.answers import respond
from lexalign.server.http.bodies import documented_fields, read_fields
from lexalign.server.http.disconnects import while_connected
from lexalign.server.http.responses import NOT_FOUND, PROBLEMS
from lexalign.server.http.security import require_deepl_key
from lexalign.server.http.services import Services, services
from lexalign.server.translating.languages import language_name
from lexalign.server.translating.markup import TagHandling
from lexalign.server.translating.service import Order, Outcome

DEEPL_PROBLEMS = {**PROBLEMS, 403: {**PROBLEMS[401]}, **NOT_FOUND}
router = APIRouter(
    prefix="/v2", tags=["DeepL"], dependencies=[Depends(require_deepl_key)], responses=DEEPL_PROBLEMS
)
Server = Annotated[Services, Depends(services)]
# DeepL's clients insist on a variant of these for the target.
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

    async def order(self, server: Services) -> Order:
        self._refuse()
        run = server.lanes.read if self.glossary_id or self.glossary_ids else server.lanes.run
        return await run(0, self._order, server)

    def _order(self, server: Services) -> Order:
        glossary = Glossary()
        for identifier in [self.glossary_id, *(self.glossary_ids or [])]:
            glossary += server.glossaries.get(identifier) if identifier else Glossary()
        if self.glossary_id and not self.glossary_ids:
            glossary = server.glossaries.get(self.glossary_id)  # the very one that is compiled already
        return Order(
            texts=tuple(self.texts),
            source=self.source_lang,
            target=self.target_lang,
            glossary=glossary,
            sentences=self.split_sentences not in ("0", 0),
            align=False,
            tags=self.tag_handling,
        )

    def _refuse(self) -> None:
        if self.formality in ("more", "less"):
            raise LexalignError("formality is not known here; use default, prefer_more or prefer_less")
        if self.style_id or self.custom_instructions:
            raise LexalignError("style rules and custom instructions are not known here; leave them out")


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
    openapi_extra=documented_fields(DeepLBody),
    response_model=DeepLTranslations,
    summary="Translate texts",
)
async def translate(request: Request, server: Server) -> Response:
    body = await read_fields(request, DeepLBody)
    return await while_connected(request, _translate(body, server))


async def _translate(body: DeepLBody, server: Services) -> Response:
    order = await body.order(server)
    outcome = await server.translation.translate(order)
    server.metrics.translated(sum(map(len, body.texts)))
    return await server.lanes.run(order.size, respond, partial(_answer, outcome))


def _answer(outcome: Outcome) -> DeepLTranslations:
    return DeepLTranslations(
        translations=[
            DeepLTranslation(
                detected_source_language=model.choice.source.upper(),
                text=found.text,
                billed_characters=len(found.source),
            )
            for found, model in zip(outcome.translations, outcome.models, strict=True)
        ]
    )


@router.get("/languages", summary="Languages")
async def languages(
    request: Request,
    server: Server,
    kind: Annotated[Literal["source", "target"] | None, Query(alias="type")] = None,
) -> list[DeepLLanguage]:
    # The official client sends the type as the form of a GET request.
    asked = kind or ("target" if b"type=target" in await request.body() else "source")
    if asked == "source":
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
