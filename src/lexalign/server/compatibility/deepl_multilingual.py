"""DeepL's glossaries for several pairs of languages, /v3/glossaries."""

from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, BeforeValidator, Field

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary
from lexalign.server.api.entries import Language
from lexalign.server.api.idempotency import REPEATED, IdempotentRoute
from lexalign.server.compatibility.deepl_entries import render_entries
from lexalign.server.compatibility.deepl_glossaries import DictionaryBody, check_size, creation_time
from lexalign.server.compatibility.deepl_options import DEEPL_ERROR_RESPONSES
from lexalign.server.http.bodies import json_or_form_body, parse_json, read_json_or_form
from lexalign.server.http.forms import refuse_foreign_pages
from lexalign.server.http.json_responses import json_response
from lexalign.server.http.security import require_deepl_key
from lexalign.server.http.services import Services, services
from lexalign.server.storage.glossaries import GlossaryInfo, UnknownGlossaryError
from lexalign.text.languages import primary

router = APIRouter(
    prefix="/v3/glossaries",
    tags=["DeepL"],
    dependencies=[Depends(require_deepl_key), Depends(refuse_foreign_pages)],
    responses={**DEEPL_ERROR_RESPONSES, **REPEATED},
    route_class=IdempotentRoute,
)
Server = Annotated[Services, Depends(services)]


def _as_list(value: Any) -> Any:
    """A form may have the list as JSON, in one field; deepl-node sends `dictionaries[0].entries`."""
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value.encode())
    except ValueError:
        raise LexalignError("dictionaries: not JSON; send a list of objects") from None


class GlossaryV3Body(BaseModel):
    name: str = Field(min_length=1, max_length=200)
    dictionaries: Annotated[list[DictionaryBody], BeforeValidator(_as_list)] = Field(
        min_length=1, max_length=100
    )


class GlossaryPatchBody(BaseModel):
    name: str | None = Field(None, min_length=1, max_length=200)
    dictionaries: Annotated[list[DictionaryBody], BeforeValidator(_as_list)] = Field(
        default_factory=list, max_length=100
    )


class DictionaryInfo(BaseModel):
    source_lang: str
    target_lang: str
    entry_count: int


class GlossaryV3(BaseModel):
    glossary_id: str
    name: str
    dictionaries: list[DictionaryInfo]
    creation_time: str

    @classmethod
    def of(cls, info: GlossaryInfo) -> "GlossaryV3":
        return cls(
            glossary_id=info.id,
            name=info.name,
            creation_time=creation_time(info),
            dictionaries=[
                DictionaryInfo(source_lang=source or "", target_lang=target or "", entry_count=size)
                for (source, target), size in info.sizes.items()
            ],
        )


class GlossariesV3(BaseModel):
    glossaries: list[GlossaryV3]


class Dictionary(BaseModel):
    source_lang: str
    target_lang: str
    entries: str
    entries_format: str = "tsv"


class Dictionaries(BaseModel):
    dictionaries: list[Dictionary]


@router.post("", status_code=201, summary="Store a glossary", openapi_extra=json_or_form_body(GlossaryV3Body))
async def create(request: Request, server: Server) -> GlossaryV3:
    body = await read_json_or_form(request, GlossaryV3Body)
    size = _size(body.dictionaries)
    glossary = await server.threads.run(size, _parse, body.dictionaries)
    check_size(server, len(glossary))
    return GlossaryV3.of(await server.threads.write(size, server.glossaries.add, body.name, glossary))


@router.get("", summary="List glossaries", response_model=GlossariesV3)
async def list_all(server: Server) -> Response:
    def answer() -> GlossariesV3:
        return GlossariesV3(glossaries=[GlossaryV3.of(info) for info in server.glossaries.list()])

    return await server.threads.read(0, json_response, answer)


@router.get("/{glossary_id}", summary="A glossary")
async def read(glossary_id: str, server: Server) -> GlossaryV3:
    return GlossaryV3.of(await server.threads.read(0, server.glossaries.info, glossary_id))


@router.patch(
    "/{glossary_id}",
    summary="Rename a glossary, or add entries to it",
    openapi_extra=json_or_form_body(GlossaryPatchBody),
)
async def change(glossary_id: str, request: Request, server: Server) -> GlossaryV3:
    body = await read_json_or_form(request, GlossaryPatchBody)
    size = _size(body.dictionaries)
    added = await server.threads.run(size, _parse, body.dictionaries)

    def modify(before: Glossary) -> Glossary:
        return _checked(server, _merged(before, added))

    change = partial(server.glossaries.change, glossary_id, modify if len(added) else None, name=body.name)
    return GlossaryV3.of(await server.threads.write(size, change))


@router.put(
    "/{glossary_id}/dictionaries",
    summary="Replace the entries of a pair of languages",
    openapi_extra=json_or_form_body(DictionaryBody),
)
async def replace(glossary_id: str, request: Request, server: Server) -> DictionaryInfo:
    body = await read_json_or_form(request, DictionaryBody)
    added = await server.threads.run(body.size, body.glossary)

    def modify(before: Glossary) -> Glossary:
        return _checked(server, _merged(_without(before, body.source_lang, body.target_lang), added))

    changed = await server.threads.write(body.size, server.glossaries.change, glossary_id, modify)
    pair = primary(body.source_lang), primary(body.target_lang)
    found = GlossaryV3.of(changed).dictionaries
    return next(one for one in found if (one.source_lang, one.target_lang) == pair)


@router.get(
    "/{glossary_id}/entries", summary="The entries of a pair of languages", response_model=Dictionaries
)
async def entries(glossary_id: str, source_lang: Language, target_lang: Language, server: Server) -> Response:
    def answer() -> Dictionaries:
        found = list(_entries_of(server.glossaries.get(glossary_id), source_lang, target_lang))
        if not found:
            raise UnknownGlossaryError
        dictionary = Dictionary(
            source_lang=primary(source_lang), target_lang=primary(target_lang), entries=render_entries(found)
        )
        return Dictionaries(dictionaries=[dictionary])

    return await server.threads.read(0, json_response, answer)


@router.delete("/{glossary_id}/dictionaries", status_code=204, summary="Delete a pair of languages")
async def delete_dictionary(
    glossary_id: str, source_lang: Language, target_lang: Language, server: Server
) -> None:
    def modify(before: Glossary) -> Glossary:
        rest = _without(before, source_lang, target_lang)
        if len(rest) == len(before):
            raise UnknownGlossaryError
        return rest

    await server.threads.write(0, server.glossaries.change, glossary_id, modify)


@router.delete("/{glossary_id}", status_code=204, summary="Delete a glossary")
async def delete(glossary_id: str, server: Server) -> None:
    await server.threads.write(0, server.glossaries.delete, glossary_id)


def _size(dictionaries: Iterable[DictionaryBody]) -> int:
    return sum(body.size for body in dictionaries)


def _checked(server: Services, glossary: Glossary) -> Glossary:
    check_size(server, len(glossary))
    return glossary


def _parse(dictionaries: Iterable[DictionaryBody]) -> Glossary:
    found = Glossary()
    for body in dictionaries:
        found = _merged(found, body.glossary())
    return found


def _merged(glossary: Glossary, added: Glossary) -> Glossary:
    """Both glossaries in one; an added entry replaces an old one with the same source."""
    entries = {_key(entry): entry for entry in glossary}
    entries.update({_key(entry): entry for entry in added})
    return Glossary(tuple(entries.values()))


def _key(entry: Entry) -> tuple[str | None, str | None, str]:
    return entry.source_language, entry.target_language, entry.source


def _entries_of(glossary: Glossary, source: str, target: str) -> Iterable[Entry]:
    pair = primary(source), primary(target)
    return (entry for entry in glossary if (entry.source_language, entry.target_language) == pair)


def _without(glossary: Glossary, source: str, target: str) -> Glossary:
    removed = set(map(_key, _entries_of(glossary, source, target)))
    return Glossary(tuple(entry for entry in glossary if _key(entry) not in removed))
