"""DeepL's glossaries for one pair of languages, /v2/glossaries."""

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from pydantic import BaseModel, Field

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary
from lexalign.server.api.entries import Language
from lexalign.server.api.idempotency import REPEATED, IdempotentRoute
from lexalign.server.compatibility.deepl_entries import EntriesFormat, parse_entries, render_entries
from lexalign.server.compatibility.deepl_options import DEEPL_ERROR_RESPONSES
from lexalign.server.http.bodies import json_or_form_body, read_json_or_form
from lexalign.server.http.forms import refuse_foreign_pages
from lexalign.server.http.json_responses import json_response
from lexalign.server.http.security import require_deepl_key
from lexalign.server.http.services import Services, services
from lexalign.server.storage.glossaries import GlossaryInfo

router = APIRouter(
    prefix="/v2",
    tags=["DeepL"],
    dependencies=[Depends(require_deepl_key), Depends(refuse_foreign_pages)],
    responses={**DEEPL_ERROR_RESPONSES, **REPEATED},
    route_class=IdempotentRoute,
)
Server = Annotated[Services, Depends(services)]


class DictionaryBody(BaseModel):
    source_lang: Language
    target_lang: Language
    entries: str = Field(max_length=4_000_000, examples=["Haus\tmansion"])
    entries_format: EntriesFormat

    @property
    def size(self) -> int:
        """The cost of parsing it, for `ThreadPools`."""
        return len(self.entries)

    def glossary(self) -> Glossary:
        return parse_entries(self.entries, self.entries_format, self.source_lang, self.target_lang)


class GlossaryV2Body(DictionaryBody):
    name: str = Field(min_length=1, max_length=200)


class GlossaryV2(BaseModel):
    glossary_id: str
    name: str
    ready: bool
    source_lang: str
    target_lang: str
    creation_time: str
    entry_count: int

    @classmethod
    def of(cls, info: GlossaryInfo) -> "GlossaryV2":
        if not info.sizes:
            raise HTTPException(404, "the glossary has no entries, which /v2 cannot show; ask /v3/glossaries")
        ((source, target), size), *_ = info.sizes.items()
        return cls(
            glossary_id=info.id,
            name=info.name,
            ready=True,
            source_lang=source or "",
            target_lang=target or "",
            creation_time=creation_time(info),
            entry_count=size,
        )


class GlossariesV2(BaseModel):
    glossaries: list[GlossaryV2]


class PairV2(BaseModel):
    source_lang: str
    target_lang: str


class PairsV2(BaseModel):
    supported_languages: list[PairV2]


@router.get("/glossary-language-pairs", summary="Pairs of languages for glossaries")
def pairs(server: Server) -> PairsV2:
    choices = [model.choice for model in server.catalogue.models.values()]
    return PairsV2(
        supported_languages=[PairV2(source_lang=one.source, target_lang=one.target) for one in choices]
    )


@router.post(
    "/glossaries",
    status_code=201,
    summary="Store a glossary",
    openapi_extra=json_or_form_body(GlossaryV2Body),
)
async def create(request: Request, server: Server) -> GlossaryV2:
    body = await read_json_or_form(request, GlossaryV2Body)
    glossary = await server.threads.run(body.size, body.glossary)
    check_size(server, len(glossary))
    return GlossaryV2.of(await server.threads.write(body.size, server.glossaries.add, body.name, glossary))


@router.get("/glossaries", summary="List glossaries", response_model=GlossariesV2)
async def list_all(server: Server) -> Response:
    """The glossaries of one language pair."""

    def answer() -> GlossariesV2:
        found = [info for info in server.glossaries.list() if len(info.sizes) == 1]
        return GlossariesV2(glossaries=[GlossaryV2.of(info) for info in found])

    return await server.threads.read(0, json_response, answer)


@router.get("/glossaries/{glossary_id}", summary="A glossary")
async def read(glossary_id: str, server: Server) -> GlossaryV2:
    return GlossaryV2.of(await server.threads.read(0, server.glossaries.info, glossary_id))


@router.get(
    "/glossaries/{glossary_id}/entries",
    summary="The entries of a glossary",
    response_class=Response,
    responses={200: {"content": {"text/tab-separated-values": {"schema": {"type": "string"}}}}},
)
async def entries(glossary_id: str, server: Server) -> Response:
    def answer() -> Response:
        content = render_entries(server.glossaries.get(glossary_id))
        return Response(content, media_type="text/tab-separated-values; charset=utf-8")

    return await server.threads.read(0, answer)


@router.delete("/glossaries/{glossary_id}", status_code=204, summary="Delete a glossary")
async def delete(glossary_id: str, server: Server) -> None:
    await server.threads.write(0, server.glossaries.delete, glossary_id)


def creation_time(info: GlossaryInfo) -> str:
    return info.created.replace("+00:00", "Z")


def check_size(server: Services, size: int) -> None:
    if size > server.limits.stored_terms:
        raise LexalignError(f"{size} entries are more than {server.limits.stored_terms}; divide them")
