"""Glossaries: kept ones, and their files. None of it needs a worker, so it runs in threads."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from lexalign.glossary import Glossary, GlossaryFormat, parse_glossary, render_glossary
from lexalign.server.api.terms import (
    GlossaryBody,
    GlossaryContent,
    GlossarySummary,
    Language,
    TermBody,
    make_glossary,
)
from lexalign.server.http.answers import respond
from lexalign.server.http.bodies import documented, read_body
from lexalign.server.http.responses import CHANGED, NOT_FOUND, PROBLEMS
from lexalign.server.http.security import require_key
from lexalign.server.http.services import Services, services
from lexalign.server.http.versions import ExpectedVersion, version_tag
from lexalign.server.storage.glossaries import GlossaryInfo

router = APIRouter(prefix="/v1", tags=["Glossaries"], dependencies=[Depends(require_key)], responses=PROBLEMS)
Server = Annotated[Services, Depends(services)]
_ADVICE = "divide them into several glossaries"
_TYPES: dict[GlossaryFormat, str] = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "tbx": "application/xml",
    "tmx": "application/xml",
}


@router.get("/glossaries", summary="List glossaries", response_model=list[GlossarySummary])
async def list_glossaries(server: Server) -> Response:
    def answer() -> list[GlossarySummary]:
        return [GlossarySummary.of(info) for info in server.glossaries.list()]

    return await server.lanes.read(0, respond, answer)


@router.post(
    "/glossaries", summary="Keep a glossary", status_code=201, openapi_extra=documented(GlossaryBody)
)
async def add_glossary(request: Request, response: Response, server: Server) -> GlossarySummary:
    body = await read_body(request, GlossaryBody)
    glossary = await _checked(server, body)
    return _summary(response, await server.lanes.write(body.size, server.glossaries.add, body.name, glossary))


@router.get(
    "/glossaries/{glossary_id}",
    summary="Read a glossary",
    response_model=GlossaryContent,
    responses=NOT_FOUND,
)
async def read_glossary(glossary_id: str, server: Server) -> Response:
    return await server.lanes.read(0, _content, server, glossary_id)


@router.put(
    "/glossaries/{glossary_id}",
    summary="Replace a glossary",
    responses={**NOT_FOUND, **CHANGED},
    openapi_extra=documented(GlossaryBody),
)
async def replace_glossary(
    glossary_id: str, version: ExpectedVersion, request: Request, response: Response, server: Server
) -> GlossarySummary:
    body = await read_body(request, GlossaryBody)
    glossary = await _checked(server, body)
    replace = partial(
        server.glossaries.replace, glossary_id, name=body.name, glossary=glossary, version=version
    )
    return _summary(response, await server.lanes.write(body.size, replace))


@router.delete(
    "/glossaries/{glossary_id}",
    summary="Forget a glossary",
    status_code=204,
    responses={**NOT_FOUND, **CHANGED},
)
async def delete_glossary(glossary_id: str, version: ExpectedVersion, server: Server) -> None:
    await server.lanes.write(0, partial(server.glossaries.delete, glossary_id, version=version))


@router.post(
    "/glossary-files/read",
    summary="Read a glossary file",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
    response_model=list[TermBody],
)
async def read_file(
    request: Request,
    server: Server,
    format: Annotated[GlossaryFormat, Query(description="The file's format.")],
    source_language: Language | None = None,
    target_language: Language | None = None,
) -> Response:
    """The terms of a file, of which nothing is kept."""
    content = await request.body()
    terms = partial(_parse, server, content, format, source_language, target_language)
    return await server.lanes.run(len(content), respond, terms)


@router.post(
    "/glossary-files/write",
    summary="Write a glossary file",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}},
    openapi_extra=documented(GlossaryBody),
)
async def write_file(
    request: Request,
    server: Server,
    format: Annotated[GlossaryFormat, Query(description="The file's format.")],
    source_language: Language | None = None,
    target_language: Language | None = None,
) -> Response:
    """A file of these terms; XML formats need their languages."""
    body = await read_body(request, GlossaryBody)
    glossary = await _checked(server, body)

    def write() -> Response:
        content = render_glossary(glossary.with_languages(source_language, target_language), format)
        return Response(content, media_type=_TYPES[format])

    return await server.lanes.run(body.size, write)


async def _checked(server: Services, body: GlossaryBody) -> Glossary:
    limit = server.limits.stored_terms
    return await server.lanes.run(body.size, make_glossary, body.terms, limit, _ADVICE)


def _summary(response: Response, info: GlossaryInfo) -> GlossarySummary:
    response.headers.update(version_tag(info.version))
    return GlossarySummary.of(info)


def _parse(
    server: Services, content: bytes, format: GlossaryFormat, source: str | None, target: str | None
) -> list[TermBody]:
    found = parse_glossary(content, format, name="the file", source_language=source, target_language=target)
    terms = [TermBody.of(entry) for entry in found]
    make_glossary(terms, server.limits.stored_terms, _ADVICE)
    return terms


def _content(server: Services, identifier: str) -> Response:
    info, glossary = server.glossaries.read(identifier)
    entries = [TermBody.of(entry) for entry in glossary]
    content = GlossaryContent.model_construct(**dict(GlossarySummary.of(info)), entries=entries)
    return respond(lambda: content, headers=version_tag(info.version))
