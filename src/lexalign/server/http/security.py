"""API keys, as the clients of several services send them."""

import asyncio

from fastapi import HTTPException, Request

from lexalign.server.http.services import Services, services_of

_SCHEMES = ("bearer", "deepl-auth-key")


async def require_key(request: Request) -> None:
    await check_key(services_of(request), key_of(request), status=401)


async def require_deepl_key(request: Request) -> None:
    """As `require_key`, with the status 403, by which DeepL's clients recognise a refused key."""
    await check_key(services_of(request), key_of(request), status=403)


async def check_key(server: Services, key: str | None, *, status: int) -> None:
    if server.keys.stale:
        await asyncio.to_thread(server.keys.reload)
    if not server.keys.accepts(key):
        headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
        raise HTTPException(status, "a valid API key is needed: Authorization: Bearer KEY", headers)


def key_of(request: Request) -> str | None:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() in _SCHEMES:
        return key.strip()
    return request.headers.get("x-api-key")
