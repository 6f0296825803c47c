"""Glossaries: kept ones, and their files. None of it needs a worker, so it runs in threads."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from lexalign.glossary import GlossaryFormat, parse_glossary, render_glossary
from lexalign.server.api.terms import (
    GlossaryBody,
    GlossaryContent,
    GlossarySummary,
    Language,
    TermBody,
    make_glossary,
)
from lexalign.server.http.responses import NOT_FOUND, PROBLEMS
from lexalign.server.http.security import require_key
from lexalign.server.http.services import Services, services

router = APIRouter(prefix="/v1", tags=["Glossaries"], dependencies=[Depends(require_key)], responses=PROBLEMS)
Server = Annotated[Services, Depends(services)]
_ADVICE = "divide them into several glossaries"
_TYPES: dict[GlossaryFormat, str] = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "tbx": "application/xml",
    "tmx": "application/xml",
}


@router.get("/glossaries", summary="List glossaries")
def list_glossaries(server: Server) -> list[GlossarySummary]:
    return [GlossarySummary.of(info) for info in server.glossaries.list()]


@router.post("/glossaries", summary="Keep a glossary", status_code=201)
def add_glossary(body: GlossaryBody, server: Server) -> GlossarySummary:
    glossary = make_glossary(body.terms, server.limits.stored_terms, _ADVICE)
    return GlossarySummary.of(server.glossaries.add(body.name, glossary))


@router.get("/glossaries/{glossary_id}", summary="Read a glossary", responses=NOT_FOUND)
def read_glossary(glossary_id: str, server: Server) -> GlossaryContent:
    return _content(server, glossary_id)


@router.put("/glossaries/{glossary_id}", summary="Replace a glossary", responses=NOT_FOUND)
def replace_glossary(glossary_id: str, body: GlossaryBody, server: Server) -> GlossarySummary:
    glossary = make_glossary(body.terms, server.limits.stored_terms, _ADVICE)
    return GlossarySummary.of(server.glossaries.replace(glossary_id, name=body.name, glossary=glossary))


@router.delete("/glossaries/{glossary_id}", summary="Forget a glossary", status_code=204, responses=NOT_FOUND)
def delete_glossary(glossary_id: str, server: Server) -> None:
    server.glossaries.delete(glossary_id)


@router.post(
    "/glossary-files/read",
    summary="Read a glossary file",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def read_file(
    request: Request,
    server: Server,
    format: Annotated[GlossaryFormat, Query(description="The file's format.")],
    source_language: Language | None = None,
    target_language: Language | None = None,
) -> list[TermBody]:
    """The terms of a file, of which nothing is kept."""
    content = await request.body()
    return await run_in_threadpool(_parse, server, content, format, source_language, target_language)


@router.post(
    "/glossary-files/write",
    summary="Write a glossary file",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}},
)
def write_file(
    body: GlossaryBody,
    server: Server,
    format: Annotated[GlossaryFormat, Query(description="The file's format.")],
    source_language: Language | None = None,
    target_language: Language | None = None,
) -> Response:
    """A file of these terms; XML formats need their languages."""
    glossary = make_glossary(body.terms, server.limits.stored_terms, _ADVICE)
    content = render_glossary(glossary.with_languages(source_language, target_language), format)
    return Response(content, media_type=_TYPES[format])


def _parse(
    server: Services, content: bytes, format: GlossaryFormat, source: str | None, target: str | None
) -> list[TermBody]:
    found = parse_glossary(content, format, name="the file", source_language=source, target_language=target)
    terms = [TermBody.of(entry) for entry in found]
    make_glossary(terms, server.limits.stored_terms, _ADVICE)
    return terms


def _content(server: Services, identifier: str) -> GlossaryContent:
    info = server.glossaries.info(identifier)
    entries = [TermBody.of(entry) for entry in server.glossaries.get(identifier)]
    return GlossaryContent.model_construct(
        id=info.id, name=info.name, created=info.created, terms=len(entries), entries=entries
    )
