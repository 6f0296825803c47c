"""PATCH /v1/glossaries/ID: single terms are put into a stored glossary, and taken out of it."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary
from lexalign.server.api.entries import Entries, GlossaryInfoSchema
from lexalign.server.api.glossaries import ExpectedVersion, summary
from lexalign.server.batching.thread_pools import size_of
from lexalign.server.http.bodies import json_body, read_json
from lexalign.server.http.errors import CHANGED, ERROR_RESPONSES, NOT_FOUND
from lexalign.server.http.security import require_key
from lexalign.server.http.services import Services, services
from lexalign.server.translating.matcher_cache import check_conflicts

router = APIRouter(
    prefix="/v1", tags=["Glossaries"], dependencies=[Depends(require_key)], responses=ERROR_RESPONSES
)
Server = Annotated[Services, Depends(services)]


class GlossaryChangeBody(BaseModel):
    """What is to be changed; a term is removed where all of it is the same."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "remove": [{"source": "Haus", "targets": ["mansion"]}],
                    "add": [{"source": "Haus", "targets": ["house"]}],
                }
            ]
        },
    )

    name: str | None = Field(None, min_length=1, max_length=200)
    remove: Entries = Field(default_factory=list)
    add: Entries = Field(default_factory=list, description="New terms, which come last.")


@router.patch(
    "/glossaries/{glossary_id}",
    summary="Change a glossary's name or single terms",
    responses={**NOT_FOUND, **CHANGED},
    openapi_extra=json_body(GlossaryChangeBody),
)
async def change_glossary(
    glossary_id: str, version: ExpectedVersion, request: Request, response: Response, server: Server
) -> GlossaryInfoSchema:
    body = await read_json(request, GlossaryChangeBody)
    modify = partial(_changed, body, server.limits.stored_terms) if body.remove or body.add else None
    change = partial(server.glossaries.change, glossary_id, modify, name=body.name, version=version)
    size = size_of(0, num_terms=len(body.remove) + len(body.add))
    return summary(response, await server.threads.write(size, change))


def _changed(body: GlossaryChangeBody, limit: int, before: Glossary) -> Glossary:
    removed = {term.to_entry() for term in body.remove}
    kept = tuple(entry for entry in before if entry not in removed)
    added = tuple(term.to_entry() for term in body.add)
    if len(kept) + len(added) > limit:
        raise LexalignError(f"a glossary has at most {limit} terms; divide them into several glossaries")
    if len(before) - len(kept) < len(removed):
        raise LexalignError("a term to be removed is not in the glossary; read it again")
    check_conflicts(Glossary(_same_sources(kept, added)))
    return Glossary((*kept, *added))


def _same_sources(kept: tuple[Entry, ...], added: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The new entries, and those that they could contradict."""
    sources = {entry.source.casefold() for entry in added}
    return (*(entry for entry in kept if entry.source.casefold() in sources), *added)
