from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from lexalign.server.batching.dispatcher import QueueLimits
from lexalign.server.http.services import RequestLimits
from lexalign.server.running import ServerOptions
from lexalign.server.translating.catalogue import ModelChoice
from tests.server.small_server import LiveServer, live_server, make_model


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("server-model"))


@pytest.fixture(scope="package")
def server(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server for both directions, with the same untrained weights; it stops after this package."""
    options = ServerOptions(
        models=(
            ModelChoice(source="de", target="en", folder=model_folder),
            ModelChoice(source="en", target="de", folder=model_folder),
        ),
        data=tmp_path_factory.mktemp("server-data"),
        port=0,
        device="cpu",
        workers=1,
        queue=QueueLimits(timeout=20),
        limits=RequestLimits(body_bytes=1_000_000),
    )
    with live_server(options) as live:
        yield live


@pytest.fixture(scope="package")
def client(server: LiveServer) -> httpx.Client:
    return server.client
