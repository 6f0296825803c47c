"""Exactly once: a job that was killed, wherever and however often, writes the same files."""

import json
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.corpus.engines.engine import InProcess
from lexalign.corpus.engines.local import LocalEngine, _Worker
from lexalign.corpus.job import Progress, translate_corpus
from lexalign.corpus.options import ModelSpec
from lexalign.corpus.results import Counts, ShardResult
from lexalign.corpus.shards import RawShard, ShardPlan
from lexalign.corpus.worker import WorkerPlan
from tests.corpus.small_jobs import files_of, linger, options, run

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["lexalign.corpus.engines.local", "lexalign.corpus.job"])


@pytest.fixture(scope="module")
def expected(model: ModelSpec, text: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of an undisturbed job in one process."""
    folder = tmp_path_factory.mktemp("undisturbed")
    run(text, folder, model)
    return files_of(folder)


def journal(folder: Path) -> int:
    path = folder / "journal.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait_for(condition: Callable[[], bool], seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come in time"
        time.sleep(0.002)


def test_workers_leave_what_one_process_leaves(
    model: ModelSpec, text: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    report = run(text, tmp_path, model, LocalEngine(["cpu", "cpu"]))
    assert files_of(tmp_path) == expected
    assert (report.total, report.run.segments, report.workers) == (report.run, 158, 2)
    again = run(text, tmp_path, model, LocalEngine(["cpu"]))
    assert files_of(tmp_path) == expected
    assert (again.total, again.run) == (report.total, Counts())


def test_killed_workers_are_replaced(
    model: ModelSpec, text: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    generator = random.Random(3)
    killed: list[int | None] = []

    def watch(_: Progress) -> None:
        if len(killed) < 2 and generator.random() < 0.4:  # a third on one shard would be an error
            workers = [one for one in multiprocessing.active_children() if one.name == "lexalign worker"]
            victim = generator.choice(workers)
            time.sleep(generator.uniform(0, 0.02))
            os.kill(victim.pid or 0, signal.SIGKILL)
            killed.append(victim.pid)

    engine = LocalEngine(["cpu", "cpu"])
    report = translate_corpus([text], tmp_path, model, engine, options(), on_progress=watch)
    assert len(killed) == 2
    assert files_of(tmp_path) == expected
    assert report.run == report.total


def drive(text: Path, folder: Path, model: ModelSpec) -> None:
    run(text, folder, model, LocalEngine(["cpu", "cpu"]), on_progress=linger)


def descendants(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [one for child in children for one in (int(child), *descendants(int(child)))]


def kill_driver(text: Path, folder: Path, model: ModelSpec, num_shards: int, delay: float) -> None:
    """Start a driver, and kill it a moment after so many shards are finished."""
    process = _FORKS.Process(target=drive, args=(text, folder, model))
    process.start()
    wait_for(lambda: journal(folder) >= num_shards or not process.is_alive())
    time.sleep(delay)
    workers = descendants(process.pid or 0)
    process.kill()
    process.join()
    wait_for(lambda: not any(Path(f"/proc/{one}").exists() for one in workers))


def test_a_killed_driver_goes_on(
    model: ModelSpec, text: Path, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    generator, reached = random.Random(4), [0]
    for _ in range(3):
        num_shards = min(reached[-1] + generator.randint(1, 3), 14)
        kill_driver(text, tmp_path, model, num_shards, generator.uniform(0, 0.02))
        reached.append(journal(tmp_path))
    assert reached == sorted(set(reached)), "every run does something, and undoes nothing"
    report = run(text, tmp_path, model)
    assert files_of(tmp_path) == expected
    assert report.total.segments == 158
    assert report.run.segments < 158


class Dead(BaseException):
    """Stands for a kill: nothing is caught or tidied up after it."""


class Guillotine:
    """Ends a process before one of its writes, renames and deletions; afterwards it can do none of them."""

    def __init__(self, patch: pytest.MonkeyPatch, after: int) -> None:
        self.left = after
        for owner, name in ((os, "fsync"), (Path, "replace"), (Path, "unlink"), (Path, "mkdir")):
            patch.setattr(owner, name, self._guarded(getattr(owner, name)))

    def _guarded(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise Dead
            return plain(*given, **named)

        return call


class Canned:
    """Shards that were translated before, in any order."""

    num_workers = 1

    def __init__(self, results: list[ShardResult], seed: int = 0) -> None:
        self._results, self._seed = results, seed
        self.given: list[int] = []

    def run(self, _: ShardPlan, finished: Collection[int], __: WorkerPlan) -> Iterator[ShardResult]:
        left = [one for one in self._results if one.shard.number not in finished]
        random.Random(self._seed).shuffle(left)
        for result in left:
            self.given.append(result.shard.number)
            yield result


@pytest.fixture(scope="module")
def canned(model: ModelSpec, text: Path) -> Callable[[str], list[ShardResult]]:
    class Recorder(InProcess):
        def run(
            self, shards: ShardPlan, finished: Collection[int], worker: WorkerPlan
        ) -> Iterator[ShardResult]:
            for result in super().run(shards, finished, worker):
                found.append(result)
                yield result

    found: list[ShardResult] = []

    def record(format: str) -> list[ShardResult]:
        import tempfile

        found.clear()
        with tempfile.TemporaryDirectory() as folder:
            run(text, Path(folder) / "out", model, Recorder(), shard_size=60, output_format=format)
        return list(found)

    return record


@pytest.mark.parametrize("format", ["text", "jsonl"])
def test_a_kill_before_any_write_changes_nothing(
    model: ModelSpec,
    text: Path,
    tmp_path: Path,
    canned: Callable[[str], list[ShardResult]],
    format: str,
) -> None:
    """A driver dies before each of its writes in turn, and once more after it has resumed."""
    results = canned(format)
    kinds: dict[str, Any] = {"shard_size": 60, "output_format": format}
    run(text, tmp_path / "straight", model, Canned(results), **kinds)
    straight, point = files_of(tmp_path / "straight"), 0
    while True:
        folder, died = tmp_path / f"at-{point}", 0
        for after in (point, point // 2):
            with pytest.MonkeyPatch.context() as patch:
                Guillotine(patch, after)
                try:
                    run(text, folder, model, Canned(results, seed=point), **kinds)
                except Dead:
                    died += 1
        written = journal(folder) if folder.exists() else 0
        engine = Canned(results)
        run(text, folder, model, engine, **kinds)
        assert files_of(folder) == straight
        assert len(engine.given) <= 3 - written or not written
        if not died:
            break
        point += 1
    assert point > 15


def test_a_torn_journal_and_a_lost_shard_are_done_again(
    model: ModelSpec, text: Path, tmp_path: Path, canned: Callable[[str], list[ShardResult]]
) -> None:
    results = canned("jsonl")
    run(text, tmp_path / "straight", model, Canned(results), shard_size=60)

    def die(_: Progress) -> None:
        if journal(tmp_path / "out") == 3:
            raise Dead

    with pytest.raises(Dead):
        translate_corpus(
            [text], tmp_path / "out", model, Canned(results), options(shard_size=60), on_progress=die
        )
    lines = (tmp_path / "out" / "journal.jsonl").read_bytes()
    (tmp_path / "out" / "journal.jsonl").write_bytes(lines[:-30])
    first = json.loads(lines.split(b"\n")[0])["number"]
    (tmp_path / "out" / f"part-{first:06d}.jsonl").unlink()
    engine = Canned(results)
    run(text, tmp_path / "out", model, engine, shard_size=60)
    assert len(engine.given) == 2
    assert files_of(tmp_path / "out") == files_of(tmp_path / "straight")


def test_a_shard_that_ends_every_worker_is_an_error(
    model: ModelSpec, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(worker: _Worker, raw: RawShard) -> bool:
        worker.shards.append(raw)
        os.kill(worker.process.pid or 0, signal.SIGKILL)
        return True

    monkeypatch.setattr(_Worker, "send", kill)
    with pytest.raises(LexalignError, match=r"3 workers ended with signal 9 on rows .*use fewer workers"):
        run(text, tmp_path, model, LocalEngine(["cpu"]))
    assert not multiprocessing.active_children()


def test_errors_of_workers_are_one_line(model: ModelSpec, text: Path, tmp_path: Path) -> None:
    bare = ModelSpec(path=tmp_path / "model")
    bare.path.mkdir()
    for file in model.path.iterdir():
        if "post-aln" not in file.name:
            (bare.path / file.name).write_bytes(file.read_bytes())
    with pytest.raises(LexalignError, match="post-aln") as caught:
        run(text, tmp_path / "out", bare, LocalEngine(["cpu", "cpu"]), align=True)
    assert "\n" not in str(caught.value)


def test_other_jobs_are_refused(
    model: ModelSpec, text: Path, tmp_path: Path, canned: Callable[[str], list[ShardResult]]
) -> None:
    results = canned("jsonl")
    run(text, tmp_path / "out", model, Canned(results), shard_size=60)
    before = files_of(tmp_path / "out")
    with pytest.raises(LexalignError, match=r"shard size differs \(60 there, 50 here\)"):
        run(text, tmp_path / "out", model, Canned(results), shard_size=50)
    other = tmp_path / "other.de"
    other.write_text("das Haus\n")
    with pytest.raises(LexalignError, match="inputs differs"):
        run(other, tmp_path / "out", model, Canned(results), shard_size=60)
    with pytest.raises(LexalignError, match="holds other files"):
        run(other, tmp_path, model, Canned(results), shard_size=60)
    assert files_of(tmp_path / "out") == before


def test_two_drivers_do_not_write_in_one_folder(
    model: ModelSpec, text: Path, tmp_path: Path, canned: Callable[[str], list[ShardResult]]
) -> None:
    results = canned("jsonl")

    def intrude(_: Progress) -> None:
        with pytest.raises(LexalignError, match="another process is writing"):
            run(text, tmp_path, model, Canned(results), shard_size=60)

    translate_corpus([text], tmp_path, model, Canned(results), options(shard_size=60), on_progress=intrude)
