"""GET /live, /ready, /health, /metrics and /v1/models."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel

from lexalign import __version__
from lexalign.server.http.errors import ERROR_RESPONSES
from lexalign.server.http.security import require_key
from lexalign.server.http.services import Services, services
from lexalign.text.languages import language_name

router = APIRouter(tags=["Status"])
Server = Annotated[Services, Depends(services)]


class Health(BaseModel):
    """The state of the server."""

    status: Literal["ok", "stopping", "no workers"]
    version: str
    models: list[str]
    workers: int
    waiting_tokens: int
    database: Literal["ok", "unreachable"]


class Life(BaseModel):
    """The process answers."""

    status: Literal["ok"] = "ok"


class ModelSchema(BaseModel):
    """A loaded model; `aligner` is the alignment method of its searches."""

    name: str
    source_language: str
    source_name: str
    target_language: str
    target_name: str
    aligner: str


@router.head("/live", include_in_schema=False)
@router.get("/live", summary="Check that the process answers")
async def live() -> Life:
    return Life()


@router.head("/ready", include_in_schema=False)
@router.get("/ready", summary="Check whether to send requests here", responses={503: {"model": Health}})
@router.head("/health", include_in_schema=False)
@router.get("/health", summary="The same as /ready", responses={503: {"model": Health}})
async def health(server: Server, response: Response) -> Health:
    """503 while the server is stopping, or has no worker.

    Without its database it translates on; only glossaries, jobs and documents have to wait.
    """
    dispatcher = server.dispatcher
    status: Literal["ok", "stopping", "no workers"] = "ok" if dispatcher.num_alive else "no workers"
    if dispatcher.stopping:
        status = "stopping"
    response.status_code = 200 if status == "ok" else 503
    return Health(
        status=status,
        version=__version__,
        models=sorted(server.catalogue.models),
        workers=dispatcher.num_alive,
        waiting_tokens=dispatcher.waiting_tokens,
        database="ok" if server.metrics.database_up else "unreachable",
    )


@router.get(
    "/metrics",
    summary="Metrics for Prometheus",
    dependencies=[Depends(require_key)],
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **ERROR_RESPONSES},
)
def metrics(server: Server) -> Response:
    return Response(server.metrics.render(), media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get(
    "/v1/models",
    summary="List the loaded models",
    dependencies=[Depends(require_key)],
    responses=ERROR_RESPONSES,
)
def models(server: Server) -> list[ModelSchema]:
    return [
        ModelSchema(
            name=model.name,
            source_language=model.choice.source,
            source_name=language_name(model.choice.source),
            target_language=model.choice.target,
            target_name=language_name(model.choice.target),
            aligner=model.translator.aligner_name(model.alignment.aligner),
        )
        for model in server.catalogue.models.values()
    ]
