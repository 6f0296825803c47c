"""What routes work with."""

from dataclasses import dataclass, field

from fastapi import Request

from lexalign.server.batching.dispatcher import Dispatcher
from lexalign.server.batching.lanes import Lanes
from lexalign.server.http.metrics import Metrics
from lexalign.server.storage.glossaries import GlossaryStore
from lexalign.server.storage.keys import KeyStore
from lexalign.server.translating.catalogue import Catalogue
from lexalign.server.translating.service import TranslationService


@dataclass(frozen=True, kw_only=True)
class RequestLimits:
    """Of one request; what is over is refused."""

    body_bytes: int = 4_000_000
    inline_terms: int = 1_000
    stored_terms: int = 50_000


@dataclass(frozen=True, kw_only=True)
class Services:
    catalogue: Catalogue
    dispatcher: Dispatcher
    lanes: Lanes
    translation: TranslationService
    glossaries: GlossaryStore
    keys: KeyStore
    metrics: Metrics
    limits: RequestLimits = field(default_factory=RequestLimits)
    origins: tuple[str, ...] = ()  # pages of these may call the server from a browser

    def redact(self, message: str) -> str:
        """Where models lie is nobody's business."""
        for model in self.catalogue.models.values():
            message = message.replace(str(model.choice.folder), model.name)
        return message


def services_of(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


async def services(request: Request) -> Services:
    """As a dependency: a plain function would be called in another thread."""
    return services_of(request)
