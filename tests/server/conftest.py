from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import pytest

from harness.serving.postgresql import PostgreSQL, programs
from lexalign.server.batching.dispatcher import QueueLimits
from lexalign.server.http.services import RequestLimits
from lexalign.server.running import ServerOptions
from lexalign.server.storage.database import Database
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


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    if programs() is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with TemporaryDirectory(prefix="lexalign-postgresql-") as folder:  # where its own user may go
        running = PostgreSQL(Path(folder))
        yield running
        running.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """Where a new database is, of either kind."""
    if request.param == "sqlite":
        return tmp_path / "new" / "server.sqlite"
    cluster: PostgreSQL = request.getfixturevalue("postgresql")
    return cluster.new_database()


@pytest.fixture
def database(location: str | Path) -> Iterator[Database]:
    opened = Database(location)
    yield opened
    opened.close()
