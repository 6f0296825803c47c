"""What an administrator may do over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel

from lexalign.server.http.errors import ERROR_RESPONSES
from lexalign.server.http.security import require_admin
from lexalign.server.http.services import Services, services
from lexalign.server.storage.usage import Usage

router = APIRouter(
    prefix="/v1/admin",
    tags=["Administration"],
    dependencies=[Depends(require_admin)],
    responses={**ERROR_RESPONSES, 403: {**ERROR_RESPONSES[401]}},
)
Server = Annotated[Services, Depends(services)]


class ReloadedModels(BaseModel):
    models: list[str]


class UsageSchema(BaseModel):
    """What the owner of a key has used in a month."""

    owner: str
    month: str
    characters: int
    requests: int

    @classmethod
    def from_usage(cls, usage: Usage) -> "UsageSchema":
        return cls(**vars(usage))


@router.post("/reload", summary="Load the models again")
async def reload(request: Request) -> ReloadedModels:
    """Load the models again; answers when new requests get the new ones, and no request is lost."""
    return ReloadedModels(models=await request.app.state.reloader.reload())


@router.get("/usage", summary="Usage of all keys and months")
async def usage(server: Server) -> list[UsageSchema]:
    return [UsageSchema.from_usage(one) for one in await server.threads.read(0, server.usage.list)]
