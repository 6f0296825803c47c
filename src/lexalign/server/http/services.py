"""The objects that routes work with."""

from dataclasses import dataclass, field

from fastapi import Request

from lexalign.server.batching.dispatcher import Dispatcher
from lexalign.server.batching.thread_pools import ThreadPools
from lexalign.server.http.metrics import Metrics
from lexalign.server.jobs.runner import JobRunner
from lexalign.server.storage.glossaries import GlossaryStore
from lexalign.server.storage.keys import KeyStore
from lexalign.server.translating.catalogue import Catalogue
from lexalign.server.translating.service import TranslationService


@dataclass(frozen=True, kw_only=True)
class RequestLimits:
    """Limits of one request; a larger one is refused."""

    body_bytes: int = 4_000_000
    inline_terms: int = 1_000
    stored_terms: int = 50_000


@dataclass(frozen=True, kw_only=True)
class Services:
    catalogue: Catalogue
    dispatcher: Dispatcher
    threads: ThreadPools
    translation: TranslationService
    glossaries: GlossaryStore
    keys: KeyStore
    jobs: JobRunner
    metrics: Metrics
    limits: RequestLimits = field(default_factory=RequestLimits)
    origins: tuple[str, ...] = ()  # web pages of these origins may call the server (CORS)

    def redact(self, message: str) -> str:
        """Replace the paths of models, which clients must not know, by their names."""
        for model in self.catalogue.models.values():
            message = message.replace(str(model.choice.folder), model.name)
        return message


def services_of(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


async def services(request: Request) -> Services:
    """A FastAPI dependency; it is async because a plain function would be called in another thread."""
    return services_of(request)
