"""A run that was stopped, however it was stopped, is the run that was not."""

import os
import random
import signal
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from tests.training.small_runs import (
    Corpus,
    assert_same_run,
    assert_same_weights,
    checkpoint_of,
    command,
    finish,
    interrupt,
    log_of,
    start,
    train,
    train_in_fork,
    wait_for,
    weights_of,
)


def log_reaches(folder: Path, update: int) -> bool:
    path = folder / "log.jsonl"
    return path.exists() and f'"update": {update},' in path.read_text()


def changed_at(folder: Path) -> int:
    """When the log was last begun, cut or written."""
    path = folder / "log.jsonl"
    return path.stat().st_mtime_ns if path.exists() else 0


def validations(folder: Path) -> list[dict[str, Any]]:
    return [entry for entry in log_of(folder) if entry["kind"] == "valid"]


def snapshots(folder: Path) -> set[str]:
    return {path.stem for path in (folder / "checkpoints").glob("model-*")}


def test_the_same_recipe_makes_the_same_run(corpus: Corpus, undisturbed: Path, tmp_path: Path) -> None:
    assert_same_run(train(corpus, tmp_path), undisturbed)
    assert [entry["update"] for entry in log_of(undisturbed)][-3:] == [44, 45, 45]


@pytest.mark.parametrize("seed", [1, 2])
def test_kills_at_random_moments_change_nothing(
    corpus: Corpus, undisturbed: Path, tmp_path: Path, seed: int
) -> None:
    generator = random.Random(seed)
    reached: list[int] = []
    for kills in range(20):
        # On a busy machine the first few may come before there is a checkpoint to go on from.
        if kills >= 5 and any(0 < update < 45 for update in reached):
            break
        before = changed_at(tmp_path)
        process = train_in_fork(corpus, tmp_path)
        wait_for(partial(_changed_or_over, tmp_path, before, process))
        process.join(generator.uniform(0.0, 0.15))
        process.kill()
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL)
        if (tmp_path / "checkpoints" / "checkpoint.pt").exists():
            reached.append(checkpoint_of(tmp_path)["progress"]["update"])
    assert any(0 < update < 45 for update in reached)
    assert_same_run(train(corpus, tmp_path), undisturbed)


def _changed_or_over(folder: Path, before: int, process: BaseProcess) -> bool:
    return changed_at(folder) > before or not process.is_alive()


def test_a_killed_command_goes_on_from_its_checkpoint(
    corpus: Corpus, undisturbed: Path, tmp_path: Path
) -> None:
    process = start(command(corpus, tmp_path))
    wait_for(lambda: log_reaches(tmp_path, 12) or process.poll() is not None)
    process.kill()
    finish(process, -signal.SIGKILL)
    assert 7 <= checkpoint_of(tmp_path)["progress"]["update"] < 45
    assert not (tmp_path / "model").exists()
    assert_same_run(train(corpus, tmp_path), undisturbed)


def test_ctrl_c_saves_and_says_how_to_go_on(corpus: Corpus, undisturbed: Path, tmp_path: Path) -> None:
    process = start(command(corpus, tmp_path))
    wait_for(lambda: log_reaches(tmp_path, 8) or process.poll() is not None)
    os.kill(process.pid, signal.SIGINT)
    said = finish(process, 130)
    assert said.splitlines()[-1] == "stopped; run the same command again to continue"
    assert 8 <= checkpoint_of(tmp_path)["progress"]["update"] < 45
    assert_same_run(train(corpus, tmp_path), undisturbed)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_beside_the_schedule_leaves_the_average_alone(
    corpus: Corpus, undisturbed: Path, tmp_path: Path, number: signal.Signals
) -> None:
    for updates in (3, 6, 30):  # to update 3, 9 and 39; no save is due at any
        interrupt(corpus, tmp_path, updates, number)
    assert checkpoint_of(tmp_path)["progress"]["update"] == 39
    assert "model-39" not in snapshots(tmp_path)
    assert_same_run(train(corpus, tmp_path), undisturbed)


def test_sums_since_the_last_log_survive(corpus: Corpus, tmp_path: Path) -> None:
    """Stops after 3 and 5 updates of the 6 that make up one line of the log."""
    straight, stopped = tmp_path / "straight", tmp_path / "stopped"
    train(corpus, straight, updates=6, log_every=6)
    interrupt(corpus, stopped, 3, signal.SIGINT, updates=6, log_every=6)
    interrupt(corpus, stopped, 2, signal.SIGINT, updates=6, log_every=6)
    assert_same_run(train(corpus, stopped, updates=6, log_every=6), straight)


def test_a_finished_run_goes_on_when_given_more_updates(
    corpus: Corpus, undisturbed: Path, tmp_path: Path
) -> None:
    """Update 40 is no multiple of `save_every`: the model of that end must leave the average again."""
    train(corpus, tmp_path, updates=40)
    assert snapshots(tmp_path) == {"model-28", "model-35", "model-40"}
    train(corpus, tmp_path)
    assert snapshots(tmp_path) == {"model-35", "model-42", "model-45"}
    assert_same_weights(weights_of(tmp_path), weights_of(undisturbed))
    assert validations(tmp_path) == validations(undisturbed)


def test_a_finished_run_is_left_as_it_is(corpus: Corpus, tmp_path: Path) -> None:
    train(corpus, tmp_path, updates=9)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    train(corpus, tmp_path, updates=9)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_stopped_run_can_be_told_to_end_where_it_is(corpus: Corpus, tmp_path: Path) -> None:
    """There is no saved model yet to average."""
    interrupt(corpus, tmp_path, 5, signal.SIGINT)
    train(corpus, tmp_path, updates=5)
    assert_same_weights(weights_of(tmp_path), checkpoint_of(tmp_path)["model"])


def test_saved_models_of_a_lost_future_are_not_averaged(
    corpus: Corpus, undisturbed: Path, tmp_path: Path
) -> None:
    """As a kill between the saved model and the checkpoint leaves them, or a deleted checkpoint."""
    train(corpus, tmp_path, updates=50, seed=2)
    (tmp_path / "checkpoints" / "checkpoint.pt").unlink()
    assert_same_run(train(corpus, tmp_path), undisturbed)


def test_patience_ends_a_run_for_good(corpus: Corpus, tmp_path: Path) -> None:
    """At such a rate the validation loss goes up and down."""
    options: dict[str, Any] = {"learning_rate": 0.3, "clip_norm": 0.0, "validate_every": 2, "updates": 60}
    train(corpus, tmp_path, **options, patience=2)
    losses = [entry["loss"] for entry in validations(tmp_path)]
    assert len(losses) < 30
    assert min(losses[-2:]) >= min(losses[:-2])
    assert all(min(losses[n - 2 : n]) < min(losses[: n - 2]) for n in range(3, len(losses)))
    before = log_of(tmp_path), weights_of(tmp_path)
    train(corpus, tmp_path, **options, patience=2)
    assert log_of(tmp_path) == before[0]
    assert_same_weights(weights_of(tmp_path), before[1])
    # More patience, given later, is heard.
    train(corpus, tmp_path, **options)
    assert validations(tmp_path)[-1]["update"] == 60
