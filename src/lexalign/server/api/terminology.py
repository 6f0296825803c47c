"""Jobs: glossaries made from translation memories, and translations checked against glossaries."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from lexalign.glossary import Glossary
from lexalign.server.api.entries import Entries, Language, requested_glossary
from lexalign.server.api.idempotency import REPEATED, IdempotentRoute
from lexalign.server.api.owners import Owner
from lexalign.server.http.bodies import json_body, read_json
from lexalign.server.http.errors import ERROR_RESPONSES, Problem
from lexalign.server.http.security import require_key
from lexalign.server.http.services import Services, services
from lexalign.server.storage.jobs import Job, JobKind, JobStatus, UnknownJobError

_NOT_FOUND: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "There is no such job."}
}
router = APIRouter(
    prefix="/v1",
    tags=["Terminology"],
    dependencies=[Depends(require_key)],
    responses={**ERROR_RESPONSES, **_NOT_FOUND, **REPEATED},
    route_class=IdempotentRoute,
)
Server = Annotated[Services, Depends(services)]
_EXAMPLE: dict[str, Any] = {
    "units": [{"source": "The order is posted.", "target": "Der Auftrag wird gebucht."}]
}


class UnitBody(BaseModel):
    """A segment and its translation."""

    model_config = ConfigDict(extra="forbid")

    source: str = Field(max_length=200_000)
    target: str = Field(max_length=200_000)
    id: str | None = Field(None, max_length=200)


class FileBody(BaseModel):
    """A bilingual file as text; its name tells the format: .tmx, .xlf, .po, .tsv."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200)
    content: str


class MaterialBody(BaseModel):
    """Bilingual material: units, files, or both."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [_EXAMPLE]})

    units: list[UnitBody] = Field(default_factory=list, max_length=100_000)
    files: list[FileBody] = Field(default_factory=list, max_length=100)
    source_language: Language | None = Field(None, description="Detected if left out.")
    target_language: Language | None = Field(None, description="Detected if left out.")
    glossary: Entries | None = Field(None, description="Terms for this job.")
    glossary_id: str | None = Field(None, max_length=64, description="The id of a stored glossary.")

    @model_validator(mode="after")
    def _has_material(self) -> "MaterialBody":
        if not self.units and not self.files:
            raise ValueError("give units or files")
        return self


class ExtractBody(MaterialBody):
    """A translation memory from which a glossary is made; terms of a given glossary are not made again."""

    max_terms: int = Field(2_000, ge=1, le=20_000, description="Maximum number of candidates.")
    min_count: int = Field(2, ge=1, description="Minimum number of occurrences of a term.")
    min_confidence: float = Field(0.5, ge=0, le=1, description="Of `terms` in the result.")


class CheckBody(MaterialBody):
    """Translations to be held against a glossary and against their sources."""

    min_confidence: float = Field(0.0, ge=0, le=1, description="Of findings in the result.")


class JobSchema(BaseModel):
    """A job; ask for it again until its status is done or failed."""

    id: str
    kind: JobKind
    status: JobStatus
    created: str
    message: str = Field("", description="Why it failed.")

    @classmethod
    def from_job(cls, job: Job) -> "JobSchema":
        return cls(id=job.id, kind=job.kind, status=job.status, created=job.created, message=job.message)


class JobResultSchema(JobSchema):
    """A job with its result, once it is done."""

    result: dict[str, Any] | None = None


@router.post(
    "/glossaries/extract",
    summary="Make a glossary from a translation memory",
    status_code=202,
    openapi_extra=json_body(ExtractBody),
)
async def extract(request: Request, server: Server, owner: Owner) -> JobSchema:
    """Begins a job. Its result has `terms` for a glossary, and `candidates` with their evidence."""
    return await _submit(server, "extract", await read_json(request, ExtractBody), owner)


@router.post(
    "/check",
    summary="Check translations against a glossary",
    status_code=202,
    openapi_extra=json_body(CheckBody),
)
async def check(request: Request, server: Server, owner: Owner) -> JobSchema:
    """Begins a job. Its result has the `findings` and their `counts`."""
    return await _submit(server, "check", await read_json(request, CheckBody), owner)


@router.get("/jobs", summary="List jobs")
async def list_jobs(server: Server, owner: Owner) -> list[JobSchema]:
    found = await server.threads.read(0, partial(server.jobs.store.list, owner=owner))
    return [JobSchema.from_job(job) for job in found]


@router.get("/jobs/{job_id}", summary="Read a job and its result", responses=_NOT_FOUND)
async def read_job(job_id: str, server: Server, owner: Owner) -> JobResultSchema:
    job, result = await _read(server, job_id, owner)
    return JobResultSchema(**dict(JobSchema.from_job(job)), result=result)


@router.delete("/jobs/{job_id}", summary="Cancel and delete a job", status_code=204, responses=_NOT_FOUND)
async def delete_job(job_id: str, server: Server, owner: Owner) -> Response:
    await _read(server, job_id, owner)
    await server.threads.write(0, server.jobs.delete, job_id)
    return Response(status_code=204)


async def _read(server: Services, identifier: str, owner: str) -> tuple[Job, Any]:
    """A job of this owner; another's is not there."""
    found = await server.threads.read(0, server.jobs.store.get, identifier)
    if found[0].owner != owner:
        raise UnknownJobError
    return found


async def _submit(server: Services, kind: JobKind, body: MaterialBody, owner: str) -> JobSchema:
    size = sum(len(one.source) + len(one.target) for one in body.units) + sum(
        len(one.content) for one in body.files
    )
    glossary = await server.threads.read(size, requested_glossary, server, body.glossary, body.glossary_id)
    request = {**body.model_dump(exclude={"glossary", "glossary_id"}), "glossary": _entries(glossary)}
    return JobSchema.from_job(await server.threads.write(size, server.jobs.submit, kind, request, owner))


def _entries(glossary: Glossary) -> list[dict[str, Any]]:
    return [
        {
            "source": entry.source,
            "targets": list(entry.targets),
            "policy": entry.policy,
            "case": entry.case,
            "forms": entry.forms,
            "compounds": entry.compounds,
            "note": entry.note,
            "source_language": entry.source_language,
            "target_language": entry.target_language,
        }
        for entry in glossary
    ]
