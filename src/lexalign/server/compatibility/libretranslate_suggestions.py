"""LibreTranslate's API: better translations that users suggest. They are kept for people to read.

`/v1/suggestions` lists them as units, which /v1/glossaries/extract and /v1/check take.
"""

import json
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from lexalign.server.api.owners import Owner, owner_name
from lexalign.server.compatibility.libretranslate import (
    LIBRE_ERROR_RESPONSES,
    KeyBody,
    Server,
    require_api_key,
)
from lexalign.server.http.bodies import json_or_form_body, read_json_or_form
from lexalign.server.http.errors import ERROR_RESPONSES, NOT_FOUND
from lexalign.server.http.forms import refuse_foreign_pages
from lexalign.server.http.security import key_of, require_key
from lexalign.server.http.services import Services
from lexalign.server.storage.blobs import BlobInfo, UnknownBlobError

router = APIRouter()
_KIND = "suggestion"
_SECONDS = 10 * 365 * 86_400.0
_MAX_LISTED = 1_000
_MAX_BYTES = 50_000_000  # of all together: they are kept for long, and documents need room too
Suggested = Annotated[str, Field(min_length=1, max_length=20_000)]


class SuggestBody(KeyBody):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"q": "Das Haus.", "s": "The house.", "source": "de", "target": "en"}]
        }
    )

    q: Suggested
    s: Suggested
    source: str = Field(min_length=1, max_length=16)
    target: str = Field(min_length=1, max_length=16)


class Success(BaseModel):
    success: bool = True


class SuggestionSchema(BaseModel):
    id: str
    created: str
    source: str
    target: str
    source_language: str
    target_language: str


@router.post(
    "/suggest",
    tags=["LibreTranslate"],
    summary="Suggest a better translation",
    openapi_extra=json_or_form_body(SuggestBody),
    responses=LIBRE_ERROR_RESPONSES,
    dependencies=[Depends(refuse_foreign_pages)],
)
async def suggest(request: Request, server: Server) -> Success:
    body = await read_json_or_form(request, SuggestBody, query=True)
    await require_api_key(request, server, body.api_key)
    owner = owner_name(server, body.api_key or key_of(request))
    content = json.dumps(
        {
            "source": body.q,
            "target": body.s,
            "source_language": body.source,
            "target_language": body.target,
        }
    )
    await server.threads.write(len(content), _keep, server, content, owner)
    return Success()


@router.get(
    "/v1/suggestions",
    tags=["Terminology"],
    summary="List suggestions, newest first",
    dependencies=[Depends(require_key)],
    responses=ERROR_RESPONSES,
)
async def list_suggestions(server: Server, owner: Owner) -> list[SuggestionSchema]:
    return await server.threads.read(0, _list, server, owner)


@router.delete(
    "/v1/suggestions/{suggestion_id}",
    tags=["Terminology"],
    summary="Delete a suggestion",
    status_code=204,
    dependencies=[Depends(require_key)],
    responses={**ERROR_RESPONSES, **NOT_FOUND},
)
async def delete_suggestion(suggestion_id: str, server: Server, owner: Owner) -> Response:
    await server.threads.write(0, _delete, server, suggestion_id, owner)
    return Response(status_code=204)


def _keep(server: Services, content: str, owner: str) -> None:
    server.blobs.put(content.encode(), kind=_KIND, owner=owner, seconds=_SECONDS, kind_bytes=_MAX_BYTES)


def _list(server: Services, owner: str) -> list[SuggestionSchema]:
    newest = server.blobs.list(owner=owner, kind=_KIND)[: -_MAX_LISTED - 1 : -1]
    return [_suggestion(server, info) for info in newest]


def _suggestion(server: Services, info: BlobInfo) -> SuggestionSchema:
    values = json.loads(server.blobs.get(info.id)[1])
    return SuggestionSchema(id=info.id, created=info.created, **values)


def _delete(server: Services, identifier: str, owner: str) -> None:
    found = server.blobs.info(identifier)
    if (found.kind, found.owner) != (_KIND, owner):
        raise UnknownBlobError
    server.blobs.delete(identifier)
