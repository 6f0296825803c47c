"""POST /v1/glossaries/import: a glossary file becomes a stored glossary, however long it is."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary, GlossaryFormat, parse_glossary
from lexalign.server.api.entries import GlossaryInfoSchema, Language
from lexalign.server.api.glossaries import summary
from lexalign.server.api.idempotency import REPEATED, IdempotentRoute
from lexalign.server.http.errors import ERROR_RESPONSES
from lexalign.server.http.forms import refuse_foreign_pages
from lexalign.server.http.security import require_key
from lexalign.server.http.services import Services, services
from lexalign.server.translating.matcher_cache import check_conflicts

router = APIRouter(
    prefix="/v1",
    tags=["Glossaries"],
    dependencies=[Depends(require_key), Depends(refuse_foreign_pages)],
    responses={**ERROR_RESPONSES, **REPEATED},
    route_class=IdempotentRoute,
)
Server = Annotated[Services, Depends(services)]


@router.post(
    "/glossaries/import",
    summary="Store a glossary file",
    status_code=201,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def import_glossary(
    request: Request,
    response: Response,
    server: Server,
    format: Annotated[GlossaryFormat, Query(description="The file's format.")],
    name: Annotated[str, Query(min_length=1, max_length=200, description="Of the glossary.")],
    source_language: Language | None = None,
    target_language: Language | None = None,
) -> GlossaryInfoSchema:
    """Store a glossary file; the languages given are those of terms that name none."""
    content = await request.body()

    def parse() -> Glossary:
        found = parse_glossary(
            content, format, name="the file", source_language=source_language, target_language=target_language
        )
        limit = server.limits.stored_terms
        if not 0 < len(found) <= limit:
            raise LexalignError(f"the file has {len(found)} terms; a glossary has 1 to {limit}")
        return check_conflicts(found.with_languages(source_language, target_language))

    glossary = await server.threads.run(len(content), parse)
    return summary(response, await server.threads.write(len(content), server.glossaries.add, name, glossary))
