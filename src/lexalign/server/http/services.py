"""The objects that routes work with."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from lexalign.server.batching.dispatcher import Dispatcher
from lexalign.server.batching.thread_pools import ThreadPools
from lexalign.server.http.metrics import Metrics
from lexalign.server.http.throttling import KeyLimits
from lexalign.server.http.tracing import OpenTelemetryTracer
from lexalign.server.jobs.documents import DocumentRunner
from lexalign.server.jobs.following import Followers
from lexalign.server.jobs.runner import JobRunner
from lexalign.server.storage.blobs import BlobStore
from lexalign.server.storage.glossaries import GlossaryStore
from lexalign.server.storage.keys import KeyStore
from lexalign.server.storage.replies import ReplyStore
from lexalign.server.storage.usage import UsageStore
from lexalign.server.translating.catalogue import Catalogue
from lexalign.server.translating.service import TranslationService


@dataclass(frozen=True, kw_only=True)
class RequestLimits:
    """Limits of one request; a larger one is refused."""

    body_bytes: int = 4_000_000
    document_bytes: int = 32_000_000
    inline_terms: int = 1_000
    stored_terms: int = 50_000


@dataclass(frozen=True, kw_only=True)
class Protection:
    """Whom the server answers, how much of one client, and what it notes of it."""

    hosts: tuple[str, ...] = ()  # names by which it may be called; none means all
    origins: tuple[str, ...] = ()  # web pages of these origins may call the server (CORS)
    client_requests: int = 512  # of one address, at a time
    access_log: bool = False
    slow_seconds: float = 30.0  # after which a request is logged as slow


@dataclass(frozen=True, kw_only=True)
class Services:
    catalogue: Catalogue
    dispatcher: Dispatcher
    threads: ThreadPools
    translation: TranslationService
    glossaries: GlossaryStore
    keys: KeyStore
    key_limits: KeyLimits
    usage: UsageStore
    blobs: BlobStore
    replies: ReplyStore
    jobs: JobRunner
    documents: DocumentRunner
    followers: Followers
    metrics: Metrics
    tracer: OpenTelemetryTracer | None = None
    limits: RequestLimits = field(default_factory=RequestLimits)
    protection: Protection = field(default_factory=Protection)

    def redact(self, message: str) -> str:
        """Replace the paths of models, which clients must not know, by their names."""
        for model in self.catalogue.models.values():
            message = message.replace(str(model.choice.folder), model.name)
        return message


class Generations:
    """The services of requests: those that began before models were loaded again keep theirs to their end."""

    def __init__(self, services: Services) -> None:
        self.current = services
        self._active: Counter[int] = Counter()

    def enter(self) -> Services:
        self._active[id(self.current)] += 1
        return self.current

    def leave(self, services: Services) -> None:
        self._active[id(services)] -= 1

    def replace(self, services: Services) -> None:
        """Give these to all that come from now on."""
        self.current = services

    async def until_unused(self, services: Services) -> None:
        """Wait for the requests that have these."""
        while self._active[id(services)]:
            await asyncio.sleep(0.05)
        del self._active[id(services)]


class GenerationMiddleware:
    """ASGI middleware: a request has the same services from its beginning to its end."""

    def __init__(self, app: ASGIApp, generations: Generations) -> None:
        self._app, self._generations = app, generations

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        services = scope["lexalign.services"] = self._generations.enter()
        try:
            await self._app(scope, receive, send)
        finally:
            self._generations.leave(services)


def services_of(request: Request) -> Services:
    found: Services = request.scope["lexalign.services"]
    return found


async def services(request: Request) -> Services:
    """A FastAPI dependency; it is async because a plain function would be called in another thread."""
    return services_of(request)
