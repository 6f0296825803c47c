"""API keys, as the clients of several services send them, with the limits of their owners."""

from fastapi import HTTPException, Request

from lexalign.server.http.callers import Caller, current_address, current_caller, set_caller
from lexalign.server.http.services import Services, services_of

_SCHEMES = ("bearer", "deepl-auth-key")


async def require_key(request: Request) -> Caller:
    return await check_key(services_of(request), key_of(request), status=401)


async def require_deepl_key(request: Request) -> Caller:
    """As `require_key`, with the status 403, by which DeepL's clients recognise a refused key.

    OmegaT sends its key as a parameter of the URL.
    """
    key = key_of(request) or request.query_params.get("auth_key")
    return await check_key(services_of(request), key, status=403)


async def require_admin(request: Request) -> Caller:
    """Only keys that were made with --admin; without any, there is nobody who may administer."""
    caller = await require_key(request)
    if caller.key is None or not caller.key.admin:
        raise HTTPException(403, "this needs a key of an administrator: lexalign serve keys add NAME --admin")
    return caller


async def check_key(server: Services, key: str | None, *, status: int) -> Caller:
    """The caller, whose limits are kept; `current_caller` knows it from now on."""
    if not server.keys.required:
        return set_caller(None)
    found = server.keys.find(key)
    if key:
        server.key_limits.count_guess(current_address(), found)
    if found is None:
        headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
        raise HTTPException(status, "a valid API key is needed: Authorization: Bearer KEY", headers)
    server.key_limits.admit(found)
    server.usage.count(found.name, requests=1)
    return set_caller(found)


def check_quota(server: Services) -> None:
    """To be called before a text is translated; `check_key` has found the caller."""
    key = current_caller().key
    if key is not None:
        server.key_limits.check_quota(key)


def key_of(request: Request) -> str | None:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() in _SCHEMES:
        return key.strip()
    return request.headers.get("x-api-key")
