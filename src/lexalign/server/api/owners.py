"""To whom jobs, documents and replies belong: to a key's name, or without keys to everybody."""

from typing import Annotated

from fastapi import Depends, Request

from lexalign.server.http.security import key_of
from lexalign.server.http.services import Services, services_of


def owner_name(server: Services, key: str | None) -> str:
    found = server.keys.find(key)
    return "" if found is None else found.name


async def owner_of(request: Request) -> str:
    return owner_name(services_of(request), key_of(request) or request.query_params.get("auth_key"))


Owner = Annotated[str, Depends(owner_of)]
