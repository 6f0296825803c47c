"""Ray gives the same results as one process; all tests share one small cluster, which starts slowly."""

import multiprocessing
import os
import random
import signal
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.corpus.engines import ray as module
from lexalign.corpus.engines.ray import RayEngine, RayOptions
from lexalign.corpus.options import ModelSpec
from tests.corpus.small_jobs import files_of, linger, run

ray = pytest.importorskip("ray")
SHARDS: dict[str, Any] = {"shard_size": 20}


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a cluster of two cores."""
    module._ray()
    context = ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield context.address_info["gcs_address"]
    ray.shutdown()


@pytest.fixture(scope="module")
def expected(model: ModelSpec, text: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("undisturbed")
    run(text, folder, model, **SHARDS)
    return files_of(folder)


@pytest.mark.usefixtures("cluster")
def test_killed_actors_are_replaced(
    model: ModelSpec,
    text: Path,
    tmp_path: Path,
    expected: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deaths = tmp_path / "deaths"
    deaths.mkdir()

    class Mortal(module._Actor):
        def _answer(self, packed: bytes) -> Any:
            marker = deaths / str(random.Random(packed).randrange(3))
            if not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super()._answer(packed)

    monkeypatch.setattr(module, "_Actor", Mortal)
    report = run(text, tmp_path / "out", model, RayEngine(RayOptions(max_workers=2, min_workers=2)), **SHARDS)
    assert 1 <= len(list(deaths.iterdir())) <= 3
    assert files_of(tmp_path / "out") == expected
    assert report.run.segments == 158


def drive(text: Path, folder: Path, model: ModelSpec, address: str) -> None:
    options = RayOptions(address=address, max_workers=2, min_workers=1)
    try:
        run(text, folder, model, RayEngine(options), on_progress=linger, **SHARDS)
    except BaseException:
        (folder / "driver.txt").write_text(traceback.format_exc(), encoding="utf-8")
        raise


def test_a_killed_driver_that_had_joined_goes_on(
    cluster: str, model: ModelSpec, text: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    # Not by a fork server, which may be older than the cluster and know nothing of its environment.
    process = multiprocessing.get_context("spawn").Process(
        target=drive, args=(text, tmp_path, model, cluster)
    )
    process.start()
    journal, end = tmp_path / "journal.jsonl", time.monotonic() + 240
    while not (journal.exists() and journal.read_bytes().count(b"\n") >= 2):
        assert process.is_alive(), (tmp_path / "driver.txt").read_text(encoding="utf-8")
        assert time.monotonic() < end
        time.sleep(0.002)
    process.kill()
    process.join()
    assert not (tmp_path / "report.json").exists()
    report = run(text, tmp_path, model, **SHARDS)
    assert files_of(tmp_path) == expected
    assert report.run.segments < 158


@pytest.mark.usefixtures("cluster")
def test_errors_of_actors_are_one_line(model: ModelSpec, text: Path, tmp_path: Path) -> None:
    bare = ModelSpec(path=tmp_path / "model", device="cuda:9")
    bare.path.symlink_to(model.path)
    engine = RayEngine(RayOptions())
    with pytest.raises(LexalignError, match="there is no device 'cuda:9'"):
        run(text, tmp_path / "out", bare, engine)
    assert engine.num_workers == 2  # all that the cluster has room for


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(LexalignError, match="from 3 to 2 workers"):
        RayOptions(min_workers=3, max_workers=2)
