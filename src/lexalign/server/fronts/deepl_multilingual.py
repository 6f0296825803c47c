"""DeepL's glossaries of several pairs of languages, /v3/glossaries."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field

from lexalign.glossary import Entry, Glossary
from lexalign.server.api.terms import Language
from lexalign.server.fronts.deepl_entries import parse_entries, render_entries
from lexalign.server.fronts.deepl_glossaries import DictionaryBody, check_size, creation_time
from lexalign.server.fronts.deepl_translation import DEEPL_PROBLEMS
from lexalign.server.http.security import require_deepl_key
from lexalign.server.http.services import Services, services
from lexalign.server.storage.glossaries import GlossaryInfo, UnknownGlossaryError
from lexalign.text.languages import primary

router = APIRouter(
    prefix="/v3/glossaries",
    tags=["DeepL"],
    dependencies=[Depends(require_deepl_key)],
    responses=DEEPL_PROBLEMS,
)
Server = Annotated[Services, Depends(services)]


class GlossaryV3Body(BaseModel):
    name: str = Field(min_length=1, max_length=200)
    dictionaries: list[DictionaryBody] = Field(min_length=1, max_length=100)


class PatchBody(BaseModel):
    name: str | None = Field(None, min_length=1, max_length=200)
    dictionaries: list[DictionaryBody] = Field(default_factory=list, max_length=100)


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


@router.post("", status_code=201, summary="Keep a glossary")
def create(body: GlossaryV3Body, server: Server) -> GlossaryV3:
    glossary = _merged(Glossary(), body.dictionaries)
    check_size(server, len(glossary))
    return GlossaryV3.of(server.glossaries.add(body.name, glossary))


@router.get("", summary="List glossaries")
def list_all(server: Server) -> GlossariesV3:
    return GlossariesV3(glossaries=[GlossaryV3.of(info) for info in server.glossaries.list()])


@router.get("/{glossary_id}", summary="A glossary")
def read(glossary_id: str, server: Server) -> GlossaryV3:
    return GlossaryV3.of(server.glossaries.info(glossary_id))


@router.patch("/{glossary_id}", summary="Rename a glossary, or add entries to it")
def change(glossary_id: str, body: PatchBody, server: Server) -> GlossaryV3:
    glossary = _merged(server.glossaries.get(glossary_id), body.dictionaries) if body.dictionaries else None
    check_size(server, len(glossary or ()))
    return GlossaryV3.of(server.glossaries.replace(glossary_id, name=body.name, glossary=glossary))


@router.put("/{glossary_id}/dictionaries", summary="Replace the entries of a pair of languages")
def replace(glossary_id: str, body: DictionaryBody, server: Server) -> DictionaryInfo:
    others = _without(server.glossaries.get(glossary_id), body.source_lang, body.target_lang)
    glossary = _merged(others, [body])
    check_size(server, len(glossary))
    info = GlossaryV3.of(server.glossaries.replace(glossary_id, glossary=glossary))
    pair = primary(body.source_lang), primary(body.target_lang)
    return next(one for one in info.dictionaries if (one.source_lang, one.target_lang) == pair)


@router.get("/{glossary_id}/entries", summary="The entries of a pair of languages")
def entries(glossary_id: str, source_lang: Language, target_lang: Language, server: Server) -> Dictionaries:
    found = list(_of(server.glossaries.get(glossary_id), source_lang, target_lang))
    if not found:
        raise UnknownGlossaryError
    dictionary = Dictionary(
        source_lang=primary(source_lang), target_lang=primary(target_lang), entries=render_entries(found)
    )
    return Dictionaries(dictionaries=[dictionary])


@router.delete("/{glossary_id}/dictionaries", status_code=204, summary="Forget a pair of languages")
def forget(glossary_id: str, source_lang: Language, target_lang: Language, server: Server) -> None:
    glossary = server.glossaries.get(glossary_id)
    rest = _without(glossary, source_lang, target_lang)
    if len(rest) == len(glossary):
        raise UnknownGlossaryError
    server.glossaries.replace(glossary_id, glossary=rest)


@router.delete("/{glossary_id}", status_code=204, summary="Forget a glossary")
def delete(glossary_id: str, server: Server) -> None:
    server.glossaries.delete(glossary_id)


def _merged(glossary: Glossary, dictionaries: Iterable[DictionaryBody]) -> Glossary:
    """An entry that comes again takes the place of the old one."""
    entries = {_identity(entry): entry for entry in glossary}
    for body in dictionaries:
        added = parse_entries(body.entries, body.entries_format, body.source_lang, body.target_lang)
        entries.update({_identity(entry): entry for entry in added})
    return Glossary(tuple(entries.values()))


def _identity(entry: Entry) -> tuple[str | None, str | None, str]:
    return entry.source_language, entry.target_language, entry.source


def _of(glossary: Glossary, source: str, target: str) -> Iterable[Entry]:
    pair = primary(source), primary(target)
    return (entry for entry in glossary if (entry.source_language, entry.target_language) == pair)


def _without(glossary: Glossary, source: str, target: str) -> Glossary:
    gone = set(map(_identity, _of(glossary, source, target)))
    return Glossary(tuple(entry for entry in glossary if _identity(entry) not in gone))
