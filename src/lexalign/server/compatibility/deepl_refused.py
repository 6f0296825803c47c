"""Parts of DeepL's API that there are not, told by their names instead of by a bare 404."""

from fastapi import APIRouter, HTTPException, Request

router = APIRouter(include_in_schema=False)
_REFUSED = {
    "/v2/write": "rephrasing and correcting",
    "/v2/admin": "administration by DeepL's API",
    "/v3/style_rules": "style rules",
    "/v3/translation_memories": "translation memories",
    "/v3/voice": "speech",
}
_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


async def refuse(request: Request) -> None:
    prefix = next(one for one in _REFUSED if request.url.path.startswith(one))
    raise HTTPException(404, f"{_REFUSED[prefix]}: this server does not offer {prefix} of DeepL's API")


for _prefix in _REFUSED:
    router.add_api_route(_prefix, refuse, methods=_METHODS)
    router.add_api_route(f"{_prefix}/{{rest:path}}", refuse, methods=_METHODS)
