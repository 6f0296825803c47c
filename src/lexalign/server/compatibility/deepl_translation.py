"""DeepL's API: texts. GET is what OmegaT sends, also to version 1 of that API."""

import re
from functools import cached_property, partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

from lexalign.contracts.errors import LexalignError
from lexalign.markup import TagOptions
from lexalign.server.api.entries import Language
from lexalign.server.compatibility.deepl_options import (
    DEEPL_ERROR_RESPONSES,
    DeepLOptions,
    Server,
    Tags,
    none_if_empty,
)
from lexalign.server.http.bodies import json_or_form_body, read_json_or_form
from lexalign.server.http.disconnects import while_connected
from lexalign.server.http.json_responses import json_response
from lexalign.server.http.security import check_quota, require_deepl_key
from lexalign.server.http.services import Services
from lexalign.server.translating.markup import TagHandling
from lexalign.server.translating.requests import TranslationRequest, TranslationResult

router = APIRouter(tags=["DeepL"], dependencies=[Depends(require_deepl_key)], responses=DEEPL_ERROR_RESPONSES)
# It begins where spaces begin: at each of many, they would all be looked at again.
_LINE_ENDS = re.compile(r"(?<![^\S\n])[^\S\n]*+\n\s*+")
_GREEDY, _BEAM = 1, 5
Text = Annotated[str, Field(max_length=200_000)]
SplitSentences = Annotated[
    Literal["0", "1", "nonewlines"],
    BeforeValidator(lambda value: str(int(value)) if isinstance(value, bool | int) else value),
]


class DeepLBody(DeepLOptions):
    """`preserve_formatting` and `tag_handling_version` make no difference."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": ["Das Haus ist groß."], "target_lang": "EN-US"}]}
    )

    text: Text | Annotated[list[Text], Field(min_length=1, max_length=50)]
    context: str = Field("", max_length=200_000, description="Used to detect the language of the texts.")
    split_sentences: SplitSentences = "1"
    preserve_formatting: bool = Field(False, description="Formatting is always kept.")
    model_type: Literal["quality_optimized", "prefer_quality_optimized", "latency_optimized"] | None = None
    show_billed_characters: bool = False
    tag_handling: Annotated[TagHandling | None, BeforeValidator(none_if_empty)] = None
    tag_handling_version: Literal["v1", "v2"] | None = None
    outline_detection: bool | None = Field(None, description="For tag_handling=xml, as the tags below.")
    splitting_tags: Tags | None = None
    non_splitting_tags: Tags | None = None
    ignore_tags: Tags | None = None

    @cached_property
    def texts(self) -> list[str]:
        found = [self.text] if isinstance(self.text, str) else self.text
        return (
            [_LINE_ENDS.sub(" ", text) for text in found] if self.split_sentences == "nonewlines" else found
        )

    def check(self) -> None:
        """DeepL's own command line always sends outline_detection=true and empty lists of tags."""
        super().check()
        given = {
            "outline_detection": self.outline_detection is False,
            "splitting_tags": self.splitting_tags,
            "non_splitting_tags": self.non_splitting_tags,
            "ignore_tags": self.ignore_tags,
        }
        unused = [name for name, value in given.items() if value and value != [""]]
        if unused and self.tag_handling != "xml":
            advice = '; in HTML, mark what is not to be translated by translate="no"' * (
                self.tag_handling == "html"
            )
            raise LexalignError(f"{', '.join(unused)}: only with tag_handling=xml{advice}")

    @property
    def tag_options(self) -> TagOptions:
        usual = TagOptions()
        return TagOptions(
            splitting_tags=usual.splitting_tags | set(self.splitting_tags or ()),
            non_splitting_tags=frozenset(self.non_splitting_tags or ()),
            ignore_tags=frozenset(self.ignore_tags or ()),
            outline_detection=self.outline_detection is not False,
        )

    async def to_request(self, server: Services) -> TranslationRequest:
        self.check()
        return TranslationRequest(
            texts=tuple(self.texts),
            source=self.source_lang,
            target=self.target_lang,
            stored=await self.glossaries(server),
            beam=_GREEDY if self.model_type == "latency_optimized" else _BEAM,
            sentences=self.split_sentences != "0",
            context=self.context,
            align=False,
            tags=self.tag_handling,
            tag_options=self.tag_options,
        )


class DeepLTranslation(BaseModel):
    detected_source_language: str
    text: str
    billed_characters: int | None = None
    model_type_used: str | None = None


class DeepLTranslations(BaseModel):
    translations: list[DeepLTranslation]


@router.post(
    "/v2/translate",
    openapi_extra=json_or_form_body(DeepLBody),
    response_model=DeepLTranslations,
    response_model_exclude_none=True,
    summary="Translate texts",
)
async def translate(request: Request, server: Server) -> Response:
    body = await read_json_or_form(request, DeepLBody, query=True)
    return await while_connected(request, _translate(body, server))


_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_QUERY = [
    {"name": name, "in": "query", "required": True, "schema": schema}
    for name, schema in (("text", _TEXT), ("target_lang", TypeAdapter(Language).json_schema()))
]


@router.get(
    "/v1/translate",
    response_model=DeepLTranslations,
    response_model_exclude_none=True,
    summary="Translate a text",
    openapi_extra={"parameters": _QUERY},
)
@router.get(
    "/v2/translate",
    response_model=DeepLTranslations,
    response_model_exclude_none=True,
    summary="Translate a text",
    openapi_extra={"parameters": _QUERY},
)
async def translate_query(request: Request, server: Server) -> Response:
    """As POST /v2/translate, with its fields in the URL; `auth_key` may be one of them."""
    body = await read_json_or_form(request, DeepLBody, query=True)
    return await while_connected(request, _translate(body, server))


async def _translate(body: DeepLBody, server: Services) -> Response:
    check_quota(server)
    asked = await body.to_request(server)
    result = await server.translation.translate(asked)
    server.metrics.translated(sum(map(len, body.texts)))
    make = partial(_response, body, result)
    return await server.threads.run(asked.size, partial(json_response, make, without_none=True))


def _response(body: DeepLBody, result: TranslationResult) -> DeepLTranslations:
    used = body.model_type and body.model_type.removeprefix("prefer_")
    return DeepLTranslations(
        translations=[
            DeepLTranslation(
                detected_source_language=source.upper(),
                text=found.text,
                billed_characters=len(found.source) if body.show_billed_characters else None,
                model_type_used=used,
            )
            for found, source in zip(result.translations, result.sources, strict=True)
        ]
    )
