"""Stored glossaries, and glossary files. None of it needs a worker, so it runs in threads."""

import re
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request, Response

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary, GlossaryFormat, parse_glossary, render_glossary
from lexalign.server.api.entries import (
    EntrySchema,
    GlossaryBody,
    GlossaryInfoSchema,
    GlossarySchema,
    Language,
    build_glossary,
)
from lexalign.server.api.idempotency import REPEATED, IdempotentRoute
from lexalign.server.http.bodies import json_body, read_json
from lexalign.server.http.errors import CHANGED, ERROR_RESPONSES, NOT_FOUND
from lexalign.server.http.json_responses import json_response
from lexalign.server.http.security import require_key
from lexalign.server.http.services import Services, services
from lexalign.server.storage.glossaries import GlossaryInfo

router = APIRouter(
    prefix="/v1",
    tags=["Glossaries"],
    dependencies=[Depends(require_key)],
    responses={**ERROR_RESPONSES, **REPEATED},
    route_class=IdempotentRoute,
)
Server = Annotated[Services, Depends(services)]
_ADVICE = "divide them into several glossaries"
_VERSION = re.compile(r'(?:W/)?"?([0-9]{1,18})"?', re.ASCII)
_MEDIA_TYPES: dict[GlossaryFormat, str] = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "tbx": "application/xml",
    "tmx": "application/xml",
}


async def _expected_version(
    if_match: Annotated[str | None, Header(description="Refuse (412) unless it has this version.")] = None,
) -> int | None:
    if if_match is None or if_match.strip() == "*":
        return None
    found = _VERSION.fullmatch(if_match.strip())
    if found is None:
        raise LexalignError('If-Match is not a version; send the value of ETag: "1"')
    return int(found[1])


ExpectedVersion = Annotated[int | None, Depends(_expected_version)]


@router.get("/glossaries", summary="List glossaries", response_model=list[GlossaryInfoSchema])
async def list_glossaries(server: Server) -> Response:
    def answer() -> list[GlossaryInfoSchema]:
        return [GlossaryInfoSchema.from_info(info) for info in server.glossaries.list()]

    return await server.threads.read(0, json_response, answer)


@router.post(
    "/glossaries", summary="Store a glossary", status_code=201, openapi_extra=json_body(GlossaryBody)
)
async def add_glossary(request: Request, response: Response, server: Server) -> GlossaryInfoSchema:
    body = await read_json(request, GlossaryBody)
    glossary = await _build(server, body)
    return summary(
        response, await server.threads.write(body.size, server.glossaries.add, body.name, glossary)
    )


@router.get(
    "/glossaries/{glossary_id}",
    summary="Read a glossary",
    response_model=GlossarySchema,
    responses=NOT_FOUND,
)
async def read_glossary(glossary_id: str, server: Server) -> Response:
    return await server.threads.read(0, _content, server, glossary_id)


@router.put(
    "/glossaries/{glossary_id}",
    summary="Replace a glossary",
    responses={**NOT_FOUND, **CHANGED},
    openapi_extra=json_body(GlossaryBody),
)
async def replace_glossary(
    glossary_id: str, version: ExpectedVersion, request: Request, response: Response, server: Server
) -> GlossaryInfoSchema:
    body = await read_json(request, GlossaryBody)
    glossary = await _build(server, body)
    replace = partial(
        server.glossaries.replace, glossary_id, name=body.name, glossary=glossary, version=version
    )
    return summary(response, await server.threads.write(body.size, replace))


@router.delete(
    "/glossaries/{glossary_id}",
    summary="Delete a glossary",
    status_code=204,
    responses={**NOT_FOUND, **CHANGED},
)
async def delete_glossary(glossary_id: str, version: ExpectedVersion, server: Server) -> None:
    await server.threads.write(0, partial(server.glossaries.delete, glossary_id, version=version))


@router.post(
    "/glossary-files/read",
    summary="Read a glossary file",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
    response_model=list[EntrySchema],
)
async def read_file(
    request: Request,
    server: Server,
    format: Annotated[GlossaryFormat, Query(description="The file's format.")],
    source_language: Language | None = None,
    target_language: Language | None = None,
) -> Response:
    """Convert a glossary file to terms; nothing is stored."""
    content = await request.body()
    terms = partial(_parse, server, content, format, source_language, target_language)
    return await server.threads.run(len(content), json_response, terms)


@router.post(
    "/glossary-files/write",
    summary="Write a glossary file",
    response_class=Response,
    responses={
        200: {
            "content": {
                kind.partition(";")[0]: {"schema": {"type": "string"}}
                for kind in sorted(set(_MEDIA_TYPES.values()))
            }
        }
    },
    openapi_extra=json_body(GlossaryBody),
)
async def write_file(
    request: Request,
    server: Server,
    format: Annotated[GlossaryFormat, Query(description="The file's format.")],
    source_language: Language | None = None,
    target_language: Language | None = None,
) -> Response:
    """Convert terms to a glossary file; XML formats need the languages of the terms."""
    body = await read_json(request, GlossaryBody)
    glossary = await _build(server, body)

    def write() -> Response:
        content = render_glossary(glossary.with_languages(source_language, target_language), format)
        return Response(content, media_type=_MEDIA_TYPES[format])

    return await server.threads.run(body.size, write)


async def _build(server: Services, body: GlossaryBody) -> Glossary:
    limit = server.limits.stored_terms
    return await server.threads.run(body.size, build_glossary, body.terms, limit, _ADVICE)


def summary(response: Response, info: GlossaryInfo) -> GlossaryInfoSchema:
    response.headers.update(_etag(info.version))
    return GlossaryInfoSchema.from_info(info)


def _parse(
    server: Services, content: bytes, format: GlossaryFormat, source: str | None, target: str | None
) -> list[EntrySchema]:
    found = parse_glossary(content, format, name="the file", source_language=source, target_language=target)
    terms = [EntrySchema.from_entry(entry) for entry in found]
    build_glossary(terms, server.limits.stored_terms, _ADVICE)
    return terms


def _content(server: Services, identifier: str) -> Response:
    info, glossary = server.glossaries.read(identifier)
    entries = [EntrySchema.from_entry(entry) for entry in glossary]
    content = GlossarySchema.model_construct(**dict(GlossaryInfoSchema.from_info(info)), entries=entries)
    return json_response(lambda: content, headers=_etag(info.version))


def _etag(version: int) -> dict[str, str]:
    return {"ETag": f'"{version}"'}
