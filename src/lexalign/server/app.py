"""The routes put together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from lexalign import __version__
from lexalign.server.api import glossaries, status, translation
from lexalign.server.fronts import deepl_glossaries, deepl_multilingual, deepl_translation, libretranslate
from lexalign.server.garbage import collect_when_idle
from lexalign.server.http import errors
from lexalign.server.http.bodies import hoist
from lexalign.server.http.limits import LimitedBodies
from lexalign.server.http.metrics import MeasuredRequests
from lexalign.server.http.services import Services

PAGE = Path(__file__).parent / "page"
_DESCRIPTION = """\
Translation that knows where every word came from, and puts your terms where they belong.

Offsets count characters (Unicode code points): the first and the last + 1. Every error is one line in
`message`. Where the server has keys, send one as `Authorization: Bearer KEY`.
"""
# The page asks nobody but the server it came from.
_POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'"


class _Application(FastAPI):
    def openapi(self) -> dict[str, Any]:
        return hoist(super().openapi())


def create_app(services: Services) -> FastAPI:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        services.dispatcher.start()
        collecting = asyncio.create_task(collect_when_idle(services.lanes))
        yield
        collecting.cancel()
        await services.dispatcher.stop()
        services.lanes.close()

    app = _Application(
        title="Lexalign",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,  # those of FastAPI load their scripts from elsewhere
        redoc_url=None,
        license_info={"name": "Apache-2.0"},
    )
    app.state.services = services
    errors.install(app, services.redact)
    for part in (
        translation,
        glossaries,
        deepl_translation,
        deepl_glossaries,
        deepl_multilingual,
        libretranslate,
        status,
    ):
        app.include_router(part.router)
    _add_page(app)
    app.add_middleware(LimitedBodies, max_bytes=services.limits.body_bytes)
    if services.origins:
        app.add_middleware(
            CORSMiddleware, allow_origins=list(services.origins), allow_methods=["*"], allow_headers=["*"]
        )
    app.add_middleware(MeasuredRequests, metrics=services.metrics)
    return app


def _add_page(app: FastAPI) -> None:
    headers: dict[str, Any] = {
        "Content-Security-Policy": _POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }

    @app.get("/", include_in_schema=False)
    def index() -> FileResponse:
        return FileResponse(PAGE / "index.html", headers=headers)

    @app.get("/docs", include_in_schema=False)
    def docs() -> FileResponse:
        return FileResponse(PAGE / "docs.html", headers=headers)

    app.mount("/page", StaticFiles(directory=PAGE), name="page")
