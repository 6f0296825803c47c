"""Keys, as the clients of several services send them."""

from fastapi import HTTPException, Request

from lexalign.server.http.services import Services, services

_SCHEMES = ("bearer", "deepl-auth-key")


def require_key(request: Request) -> None:
    check_key(services(request), offered_key(request), denied=401)


def require_deepl_key(request: Request) -> None:
    """DeepL's clients know a refused key by 403."""
    check_key(services(request), offered_key(request), denied=403)


def check_key(server: Services, key: str | None, *, denied: int) -> None:
    if not server.keys.accepts(key):
        headers = {"WWW-Authenticate": "Bearer"} if denied == 401 else None
        raise HTTPException(denied, "a valid API key is needed: Authorization: Bearer KEY", headers)


def offered_key(request: Request) -> str | None:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() in _SCHEMES:
        return key.strip()
    return request.headers.get("x-api-key")
