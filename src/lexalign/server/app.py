"""The FastAPI application: routes, middleware and the web page."""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from lexalign import __version__
from lexalign.server.api import (
    administration,
    alternatives,
    documents,
    glossaries,
    glossary_changes,
    glossary_imports,
    sentences,
    status,
    terminology,
    translation,
)
from lexalign.server.background import follow_database, stop_following
from lexalign.server.compatibility import (
    deepl_documents,
    deepl_glossaries,
    deepl_languages,
    deepl_multilingual,
    deepl_refused,
    deepl_translation,
    libretranslate,
    libretranslate_files,
    libretranslate_suggestions,
)
from lexalign.server.garbage_collection import collect_when_idle
from lexalign.server.http import errors
from lexalign.server.http.bodies import move_definitions
from lexalign.server.http.concurrency import ConcurrencyMiddleware
from lexalign.server.http.hosts import HostMiddleware, SecurityHeadersMiddleware
from lexalign.server.http.limits import BodyLimitMiddleware
from lexalign.server.http.logs import RequestLogMiddleware
from lexalign.server.http.metrics import MetricsMiddleware
from lexalign.server.http.services import GenerationMiddleware, Generations, Services
from lexalign.server.http.tracing import TracingMiddleware
from lexalign.server.reloading import LoadModels, ModelReloader

PAGE = Path(__file__).parent / "page"
_DESCRIPTION = """\
Translation that knows where every word came from, and puts your terms where they belong.

Offsets count characters (Unicode code points): the first and the last + 1. Every error is one line in
`message`. Where the server has keys, send one as `Authorization: Bearer KEY`.
"""


class _App(FastAPI):
    def openapi(self) -> dict[str, Any]:
        return move_definitions(super().openapi())


def create_app(services: Services, load_models: LoadModels) -> FastAPI:
    """The application; `load_models` loads them once more, with workers of their own."""
    generations = Generations(services)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        services.dispatcher.start()
        await asyncio.to_thread(services.jobs.start)
        services.documents.start()
        app.state.reloader = reloader = ModelReloader(generations, load_models)
        _on_hangup(reloader.reload_soon)
        garbage_collection = asyncio.create_task(collect_when_idle(services.threads))
        following = asyncio.create_task(follow_database(services))
        yield
        garbage_collection.cancel()
        await services.documents.stop()
        await reloader.stop()
        await generations.current.dispatcher.stop()
        await asyncio.to_thread(services.jobs.stop)
        await stop_following(following, services)
        services.threads.close()
        if services.tracer is not None:
            await asyncio.to_thread(services.tracer.close)

    app = _App(
        title="Lexalign",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,  # FastAPI's own pages load their scripts from other hosts
        redoc_url=None,
        license_info={"name": "Apache-2.0"},
    )
    app.state.generations = generations
    errors.install_handlers(app, lambda message: generations.current.redact(message))
    for routes in (
        translation,
        sentences,
        alternatives,
        documents,
        terminology,
        glossaries,
        glossary_changes,
        glossary_imports,
        deepl_translation,
        deepl_documents,
        deepl_languages,
        deepl_glossaries,
        deepl_multilingual,
        deepl_refused,
        libretranslate,
        libretranslate_files,
        libretranslate_suggestions,
        administration,
        status,
    ):
        app.include_router(routes.router)
    _add_page(app)
    _add_middleware(app, services, generations)
    return app


def _add_middleware(app: FastAPI, services: Services, generations: Generations) -> None:
    """The last one that is added is the first that sees a request."""
    protection = services.protection
    app.add_middleware(
        BodyLimitMiddleware,
        max_bytes=services.limits.body_bytes,
        document_bytes=services.limits.document_bytes,
    )
    app.add_middleware(GenerationMiddleware, generations=generations)
    if protection.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(protection.origins),
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=["X-Request-Id", "Retry-After", "ETag"],
        )
    app.add_middleware(ConcurrencyMiddleware, max_requests=protection.client_requests)
    app.add_middleware(HostMiddleware, names=protection.hosts)
    app.add_middleware(SecurityHeadersMiddleware)
    app.add_middleware(MetricsMiddleware, metrics=services.metrics)
    if services.tracer is not None:
        app.add_middleware(TracingMiddleware, tracer=services.tracer)
    app.add_middleware(
        RequestLogMiddleware, every=protection.access_log, slow_seconds=protection.slow_seconds
    )


def _on_hangup(act: Callable[[], None]) -> None:
    """SIGHUP loads the models again; only the main thread can have signals."""
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "SIGHUP"):
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, act)


def _add_page(app: FastAPI) -> None:
    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    def index() -> FileResponse:
        return FileResponse(PAGE / "index.html")

    @app.get("/docs", include_in_schema=False)
    def docs() -> FileResponse:
        return FileResponse(PAGE / "docs.html")

    @app.get("/service-worker.js", include_in_schema=False)
    def service_worker() -> FileResponse:
        """It stands beside the page: a worker may only serve what lies below it."""
        return FileResponse(PAGE / "service-worker.js")

    app.mount("/page", StaticFiles(directory=PAGE), name="page")
