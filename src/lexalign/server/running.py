"""A server built from its options: models first, then workers, then everything that must not be forked."""

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
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
from lexalign.server.http.metrics import Metrics
from lexalign.server.http.services import RequestLimits, Services
from lexalign.server.jobs.runner import JobRunner
from lexalign.server.storage.database import Database
from lexalign.server.storage.glossaries import GlossaryStore
from lexalign.server.storage.jobs import JobStore
from lexalign.server.storage.keys import KeyStore
from lexalign.server.translating.catalogue import AlignmentChoice, Catalogue, ModelChoice, load, loader
from lexalign.server.translating.service import TranslationService
from lexalign.text import detection
from lexalign.translator.execution import keep_few_kernels
from lexalign.translator.workers import num_cores

DATABASE = "server.sqlite"


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    models: tuple[ModelChoice, ...]
    data: Path
    host: str = "127.0.0.1"
    port: int = 8080
    device: str = "auto"
    precision: Precision | None = None  # None is int8 on a CPU
    alignment: AlignmentChoice = field(default_factory=AlignmentChoice)
    workers: int | None = None  # processes on a CPU; None is one for each core
    queue: QueueLimits = field(default_factory=QueueLimits)
    limits: RequestLimits = field(default_factory=RequestLimits)
    origins: tuple[str, ...] = ()
    grace: int = 60  # seconds to finish accepted requests when the server stops


def default_data() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "lexalign"


def build(options: ServerOptions) -> FastAPI:
    keep_few_kernels()  # int8 with a scale for each row needs it too
    catalogue = load(options.models, options.device, options.precision, options.alignment)
    if len(catalogue.sources) > 1:
        detection.prepare()  # so that no request waits for it
    workers = _workers(catalogue, options)
    metrics, database = Metrics(), Database(options.data / DATABASE)
    dispatcher = Dispatcher(workers, options.queue, metrics)
    threads = ThreadPools(timeout=options.queue.timeout)
    return create_app(
        Services(
            catalogue=catalogue,
            dispatcher=dispatcher,
            threads=threads,
            translation=TranslationService(catalogue, dispatcher, threads),
            glossaries=GlossaryStore(database),
            keys=KeyStore(database),
            jobs=JobRunner(JobStore(database)),
            metrics=metrics,
            limits=options.limits,
            origins=options.origins,
        )
    )


def listen(options: ServerOptions) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((options.host, options.port))
    except OSError as error:
        listener.close()
        address = f"{options.host}:{options.port}"
        raise LexalignError(f"cannot listen at {address} ({error.strerror}); choose another --port") from None
    return listener


def run(app: FastAPI, options: ServerOptions, listener: socket.socket) -> None:
    """Serve until a signal comes; requests that were accepted before it are finished."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        timeout_graceful_shutdown=options.grace,
        timeout_keep_alive=30,
        server_header=False,
    )
    app.openapi()  # it is cached, so no client waits for it
    configure_garbage_collection()
    uvicorn.Server(config).run(sockets=[listener])


def _workers(catalogue: Catalogue, options: ServerOptions) -> Sequence[Worker]:
    if parse_device(options.device).type != "cpu":
        return [ThreadWorker(catalogue.translators())]
    load_again = loader(options.models, options.device, options.precision)
    return [ProcessWorker(catalogue.translators, load_again) for _ in range(options.workers or num_cores())]
