"""A server built from its options: models first, then workers, then everything that must not be forked."""

import os
import resource
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from errno import EADDRNOTAVAIL
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from lexalign.contracts.errors import LexalignError
from lexalign.models.folder import parse_device
from lexalign.models.projection import Precision
from lexalign.server.app import create_app
from lexalign.server.batching.dispatcher import Dispatcher, QueueLimits
from lexalign.server.batching.processes import ProcessWorker
from lexalign.server.batching.thread_pools import ThreadPools
from lexalign.server.batching.worker import ThreadWorker, Worker
from lexalign.server.garbage_collection import configure_garbage_collection
from lexalign.server.http.connections import ConnectionLimits, limited_protocol
from lexalign.server.http.hosts import allowed_hosts, is_local
from lexalign.server.http.logs import log
from lexalign.server.http.metrics import Metrics
from lexalign.server.http.services import Protection, RequestLimits, Services
from lexalign.server.http.throttling import KeyLimits
from lexalign.server.http.tracing import make_tracer
from lexalign.server.jobs.documents import DocumentRunner
from lexalign.server.jobs.following import Followers
from lexalign.server.jobs.runner import JobRunner
from lexalign.server.storage.blobs import BlobStore
from lexalign.server.storage.database import Database
from lexalign.server.storage.documents import DocumentStore
from lexalign.server.storage.glossaries import GlossaryStore
from lexalign.server.storage.jobs import JobStore
from lexalign.server.storage.keys import KeyStore
from lexalign.server.storage.replies import ReplyStore
from lexalign.server.storage.usage import UsageStore
from lexalign.server.translating.catalogue import AlignmentChoice, Catalogue, ModelChoice, load, loader
from lexalign.server.translating.service import TranslationService
from lexalign.text import detection
from lexalign.translator.execution import keep_few_kernels
from lexalign.translator.workers import num_cores

DATABASE = "server.sqlite"
_FILES_BESIDE_CONNECTIONS = 200  # of the database, workers, the page, threads


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    models: tuple[ModelChoice, ...]
    data: Path
    database: str | None = None  # the URL of PostgreSQL; None is an SQLite file in `data`
    host: str = "127.0.0.1"
    port: int = 8080
    device: str = "auto"
    precision: Precision | None = None  # None is int8 on a CPU
    alignment: AlignmentChoice = field(default_factory=AlignmentChoice)
    workers: int | None = None  # processes on a CPU; None is one for each core
    queue: QueueLimits = field(default_factory=QueueLimits)
    limits: RequestLimits = field(default_factory=RequestLimits)
    connections: ConnectionLimits = field(default_factory=ConnectionLimits)
    protection: Protection = field(default_factory=Protection)
    trusted_proxies: tuple[str, ...] = ()  # whose X-Forwarded-For tells the address of a client
    traces: str | None = None  # where OpenTelemetry traces are sent
    grace: int = 30  # seconds to finish accepted requests when the server stops


def default_data() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "lexalign"


def build(options: ServerOptions, listener: socket.socket | None = None, *, fork: bool = True) -> FastAPI:
    """The application; its workers are forked here, and do not hold the listener.

    A process that has threads already must not fork: its workers then load the models for themselves.
    """
    keep_few_kernels()  # int8 with a scale for each row needs it too
    catalogue = load(options.models, options.device, options.precision, options.alignment)
    if len(catalogue.sources) > 1:
        detection.prepare()  # so that no request waits for it
    workers = _workers(catalogue, options, listener) if fork else _new_workers(catalogue, options)
    database = Database(options.database or options.data / DATABASE)
    usage = UsageStore(database)
    metrics = Metrics(usage)
    tracer = make_tracer(options.traces) if options.traces else None
    dispatcher = Dispatcher(workers, options.queue, metrics, tracer)
    threads = ThreadPools(timeout=options.queue.timeout)

    def load_again() -> tuple[Catalogue, Dispatcher]:
        fresh = load(options.models, options.device, options.precision, options.alignment)
        return fresh, Dispatcher(_new_workers(fresh, options), options.queue, metrics, tracer)

    translation = TranslationService(catalogue, dispatcher, threads)
    glossaries, blobs, jobs = GlossaryStore(database), BlobStore(database), JobStore(database)
    documents = DocumentRunner(DocumentStore(jobs, blobs), glossaries, translation, usage)
    services = Services(
        catalogue=catalogue,
        dispatcher=dispatcher,
        threads=threads,
        translation=translation,
        glossaries=glossaries,
        keys=KeyStore(database),
        key_limits=KeyLimits(usage),
        usage=usage,
        blobs=blobs,
        replies=ReplyStore(database),
        jobs=JobRunner(jobs),
        documents=documents,
        followers=Followers(lambda *document: threads.read(0, documents.store.get, *document)),
        metrics=metrics,
        tracer=tracer,
        limits=options.limits,
        protection=replace(options.protection, hosts=allowed_hosts(options.host, options.protection.hosts)),
    )
    return create_app(services, load_again)


def listen(options: ServerOptions) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((options.host, options.port))
    except OSError as error:
        listener.close()
        address = f"{options.host}:{options.port}"
        wrong = "--host" if isinstance(error, socket.gaierror) or error.errno == EADDRNOTAVAIL else "--port"
        raise LexalignError(
            f"cannot listen at {address} ({error.strerror}); choose another {wrong}"
        ) from None
    return listener


def run(app: FastAPI, options: ServerOptions, listener: socket.socket) -> None:
    """Serve until a signal comes; requests that were accepted before it are finished."""
    app.openapi()  # it is cached, so no client waits for it
    if not is_local(options.host) and not app.state.generations.current.keys.required:
        log.warning(
            "everybody who reaches %s may use this server: there are no keys; lexalign serve keys add NAME",
            options.host,
        )
    configure_garbage_collection()
    uvicorn.Server(server_config(app, options)).run(sockets=[listener])


def server_config(app: FastAPI, options: ServerOptions) -> uvicorn.Config:
    limits = replace(
        options.connections, max_connections=_max_connections(options.connections.max_connections)
    )
    return uvicorn.Config(
        app,
        http=limited_protocol(limits, app.state.generations.current.followers.stop),
        ws="none",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=options.grace,
        timeout_keep_alive=limits.idle_seconds,
        server_header=False,
        proxy_headers=bool(options.trusted_proxies),
        forwarded_allow_ips=list(options.trusted_proxies),
    )


def _max_connections(wanted: int) -> int:
    """As many as are wanted, where the system lets a process have as many files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _FILES_BESIDE_CONNECTIONS
    if soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(hard, needed)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(16, min(wanted, soft - _FILES_BESIDE_CONNECTIONS))


def _workers(
    catalogue: Catalogue, options: ServerOptions, listener: socket.socket | None
) -> Sequence[Worker]:
    """Workers that share the models of this process, which has no threads yet."""
    if parse_device(options.device).type != "cpu":
        return [ThreadWorker(catalogue.translators())]
    load_again = loader(options.models, options.device, options.precision)
    inherited = () if listener is None else (listener,)
    return [ProcessWorker(catalogue.translators, load_again, inherited) for _ in range(_num_workers(options))]


def _new_workers(catalogue: Catalogue, options: ServerOptions) -> Sequence[Worker]:
    if parse_device(options.device).type != "cpu":
        return [ThreadWorker(catalogue.translators())]
    load_again = loader(options.models, options.device, options.precision)
    return [ProcessWorker(None, load_again) for _ in range(_num_workers(options))]


def _num_workers(options: ServerOptions) -> int:
    return options.workers or num_cores()
