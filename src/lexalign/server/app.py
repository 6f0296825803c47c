"""The FastAPI application: routes, middleware and the web page."""

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
from lexalign.server.api import glossaries, status, terminology, translation
from lexalign.server.compatibility import (
    deepl_glossaries,
    deepl_multilingual,
    deepl_translation,
    libretranslate,
)
from lexalign.server.garbage_collection import collect_when_idle
from lexalign.server.http import errors
from lexalign.server.http.bodies import move_definitions
from lexalign.server.http.limits import BodyLimitMiddleware
from lexalign.server.http.metrics import MetricsMiddleware
from lexalign.server.http.services import Services

PAGE = Path(__file__).parent / "page"
_DESCRIPTION = """\
Translation that knows where every word came from, and puts your terms where they belong.

Offsets count characters (Unicode code points): the first and the last + 1. Every error is one line in
`message`. Where the server has keys, send one as `Authorization: Bearer KEY`.
"""
# The page loads nothing from anywhere but this server.
_CONTENT_SECURITY_POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'"


class _App(FastAPI):
    def openapi(self) -> dict[str, Any]:
        return move_definitions(super().openapi())


def create_app(services: Services) -> FastAPI:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        services.dispatcher.start()
        await asyncio.to_thread(services.jobs.start)
        garbage_collection = asyncio.create_task(collect_when_idle(services.threads))
        yield
        garbage_collection.cancel()
        await services.dispatcher.stop()
        await asyncio.to_thread(services.jobs.stop)
        services.threads.close()

    app = _App(
        title="Lexalign",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,  # FastAPI's own pages load their scripts from other hosts
        redoc_url=None,
        license_info={"name": "Apache-2.0"},
    )
    app.state.services = services
    errors.install_handlers(app, services.redact)
    for routes in (
        translation,
        terminology,
        glossaries,
        deepl_translation,
        deepl_glossaries,
        deepl_multilingual,
        libretranslate,
        status,
    ):
        app.include_router(routes.router)
    _add_page(app)
    app.add_middleware(BodyLimitMiddleware, max_bytes=services.limits.body_bytes)
    if services.origins:
        app.add_middleware(
            CORSMiddleware, allow_origins=list(services.origins), allow_methods=["*"], allow_headers=["*"]
        )
    app.add_middleware(MetricsMiddleware, metrics=services.metrics)
    return app


def _add_page(app: FastAPI) -> None:
    headers: dict[str, Any] = {
        "Content-Security-Policy": _CONTENT_SECURITY_POLICY,
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
