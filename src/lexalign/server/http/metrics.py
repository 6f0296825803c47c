"""Metrics for Prometheus."""

import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lexalign.server.http.callers import current_caller
from lexalign.server.storage.usage import UsageStore

_SECOND_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_SIZE_BUCKETS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Metrics:
    """An observer of the dispatcher, with its own Prometheus registry."""

    def __init__(self, usage: UsageStore | None = None) -> None:
        self._usage = usage
        registry = self._registry = CollectorRegistry()
        self._requests = Counter(
            "lexalign_requests", "Requests by route and status.", ["route", "status"], registry=registry
        )
        self._latency = Histogram(
            "lexalign_request_seconds",
            "Time from request to response.",
            ["route"],
            buckets=_SECOND_BUCKETS,
            registry=registry,
        )
        self._waiting_sentences = Gauge(
            "lexalign_waiting_sentences", "Sentences in the queue.", registry=registry
        )
        self._waiting_tokens = Gauge("lexalign_waiting_tokens", "Their source tokens.", registry=registry)
        self._batch_sentences = Histogram(
            "lexalign_batch_sentences", "Sentences of a batch.", buckets=_SIZE_BUCKETS, registry=registry
        )
        self._batch_seconds = Histogram(
            "lexalign_batch_seconds", "Time of a batch.", buckets=_SECOND_BUCKETS, registry=registry
        )
        self._tokens = Counter(
            "lexalign_source_tokens", "Source tokens done; its rate is tokens/s.", registry=registry
        )
        self._abandoned = Counter(
            "lexalign_abandoned_batches",
            "Batches cancelled because no client waited for them.",
            registry=registry,
        )
        self._deaths = Counter("lexalign_worker_deaths", "Workers that died.", registry=registry)
        self._workers = Gauge("lexalign_workers", "Workers that can be given work.", registry=registry)
        self._total_workers = Gauge("lexalign_workers_configured", "Workers in all.", registry=registry)
        self._database = Gauge("lexalign_database_up", "Whether the database answers.", registry=registry)
        self._characters = Counter("lexalign_characters", "Characters translated.", registry=registry)
        self.characters = 0
        self.database_up = True

    def waiting(self, sentences: int, tokens: int) -> None:
        self._waiting_sentences.set(sentences)
        self._waiting_tokens.set(tokens)

    def finished(self, sentences: int, tokens: int, seconds: float) -> None:
        self._batch_sentences.observe(sentences)
        self._batch_seconds.observe(seconds)
        self._tokens.inc(tokens)

    def abandoned(self) -> None:
        self._abandoned.inc()

    def died(self) -> None:
        self._deaths.inc()

    def workers(self, alive: int, total: int) -> None:
        self._workers.set(alive)
        self._total_workers.set(total)

    def database(self, up: bool) -> None:
        self.database_up = up
        self._database.set(up)

    def translated(self, characters: int) -> None:
        """Count characters of the request that is being answered."""
        self.characters += characters
        if self._usage is not None:
            self._usage.count(current_caller().name, characters=characters)
        self._characters.inc(characters)

    def answered(self, route: str, status: int, seconds: float) -> None:
        self._requests.labels(route, str(status)).inc()
        self._latency.labels(route).observe(seconds)

    def render(self) -> bytes:
        return generate_latest(self._registry)


class MetricsMiddleware:
    """ASGI middleware that measures requests by route; paths are unlimited in number."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.monotonic(), 500

        async def record_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, record_status)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            self._metrics.answered(route, status, time.monotonic() - started)
