"""OpenTelemetry traces of requests, which go on from those of the caller (`traceparent`).

A request is a span, with what its workers did for it below:

    POST /v1/translate          http.route, http.response.status_code, lexalign.request_id
      lexalign.search           lexalign.sentences, lexalign.source_tokens: waiting in the queue included
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lexalign import __version__
from lexalign.contracts.errors import LexalignError, MissingExtraError
from lexalign.server.http.logs import current_request_id


def make_tracer(url: str) -> "OpenTelemetryTracer":
    """A tracer that sends spans to a collector, in batches and from a thread of its own."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise MissingExtraError("traces need OpenTelemetry: pip install 'lexalign[tracing]'") from None
    if not url.startswith(("http://", "https://")):
        raise LexalignError(f"--traces {url}: give a URL such as http://localhost:4318/v1/traces")
    provider = TracerProvider(
        resource=Resource.create({"service.name": "lexalign", "service.version": __version__})
    )
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=url)))
    return OpenTelemetryTracer(provider)


class OpenTelemetryTracer:
    """Spans of a provider of its own, so that tests and other libraries do not meet."""

    def __init__(self, provider: Any) -> None:
        self._provider, self._tracer = provider, provider.get_tracer("lexalign", __version__)

    @contextmanager
    def search(self, sentences: int, source_tokens: int) -> Iterator[None]:
        attributes = {"lexalign.sentences": sentences, "lexalign.source_tokens": source_tokens}
        with self._tracer.start_as_current_span("lexalign.search", attributes=attributes):
            yield

    @contextmanager
    def request(self, scope: Scope) -> Iterator[Any]:
        from opentelemetry.propagate import extract
        from opentelemetry.trace import SpanKind

        context = extract(dict(Headers(scope=scope)))
        with self._tracer.start_as_current_span(
            scope["method"], context=context, kind=SpanKind.SERVER
        ) as span:
            yield span

    def close(self) -> None:
        self._provider.shutdown()


class TracingMiddleware:
    """ASGI middleware: a span for each request, named by its route, since paths are without number."""

    def __init__(self, app: ASGIApp, tracer: OpenTelemetryTracer) -> None:
        self._app, self._tracer = app, tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with self._tracer.request(scope) as span:

            async def note_status(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                await send(message)

            try:
                await self._app(scope, receive, note_status)
            finally:
                route = getattr(scope.get("route"), "path", "other")
                span.update_name(f"{scope['method']} {route}")
                span.set_attributes({"http.route": route, "lexalign.request_id": current_request_id()})
