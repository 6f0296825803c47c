"""Two ranks learn what one learns from two batches an update, on one node or two, killed or not.

Ranks add their gradients in another order, so losses agree to one part in ten thousand and not to the bit.
"""

import os
import random
import signal
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from lexalign.contracts.errors import LexalignError
from lexalign.training.ranks import Ranks, check_shared, join_ranks, share_batches
from tests.training.small_runs import (
    Corpus,
    assert_same_run,
    checkpoint_of,
    command,
    finish,
    finish_ranks,
    free_port,
    interrupt,
    kill_ranks,
    log_of,
    start,
    start_ranks,
    train,
    train_on_ranks,
    wait_for,
)

TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def alone(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The log of one process with two batches an update."""
    return log_of(train(corpus, tmp_path_factory.mktemp("alone"), accumulate=2))


def assert_same_curve(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    assert [entry["kind"] for entry in found] == [entry["kind"] for entry in expected]
    for one, other in zip(found, expected, strict=True):
        assert _numbers(one) == pytest.approx(_numbers(other), rel=TOLERANCE)


def _numbers(entry: dict[str, Any]) -> dict[str, float]:
    return {name: value for name, value in entry.items() if isinstance(value, int | float)}


def test_ranks_have_the_curve_of_accumulated_batches(
    corpus: Corpus, alone: list[dict[str, Any]], tmp_path: Path
) -> None:
    train_on_ranks(corpus, tmp_path, 2)
    assert_same_curve(log_of(tmp_path), alone)
    assert (tmp_path / "model" / "model.safetensors").is_file()


def test_torchrun_starts_ranks(corpus: Corpus, alone: list[dict[str, Any]], tmp_path: Path) -> None:
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    said = finish(start([*torchrun, *command(corpus, tmp_path, updates=12)]))
    assert said.count("update     12 ") == 2  # training and validation, from the first rank alone
    assert_same_curve(log_of(tmp_path)[:4], alone[:4])


def test_a_run_goes_on_with_another_number_of_ranks(
    corpus: Corpus, alone: list[dict[str, Any]], tmp_path: Path
) -> None:
    """From one to two to one again; the stops lie between two logs."""
    interrupt(corpus, tmp_path, 9, signal.SIGINT, accumulate=2)
    train_on_ranks(corpus, tmp_path, 2, updates=30)
    train(corpus, tmp_path, accumulate=2)
    expected = [entry for entry in alone if entry["update"] not in (30, 32)]
    found = [entry for entry in log_of(tmp_path) if entry["update"] not in (30, 32)]
    assert_same_curve(found, expected)


def test_another_global_batch_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    train(corpus, tmp_path, updates=2, accumulate=2)
    with pytest.raises(LexalignError, match="other options"):
        train(corpus, tmp_path, updates=4, accumulate=3)


def test_the_same_command_goes_on_with_another_number_of_ranks(
    corpus: Corpus, alone: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Nothing is said of accumulation: the two batches of an update are dealt out anew."""
    train_on_ranks(corpus, tmp_path, 2, updates=14)
    train(corpus, tmp_path)
    expected = [entry for entry in alone if entry["update"] not in (14, 16)]
    found = [entry for entry in log_of(tmp_path) if entry["update"] not in (14, 16)]
    assert_same_curve(found, expected)


def test_how_batches_are_shared() -> None:
    eight = [share_batches(1, Ranks(0, world), 8) for world in (1, 2, 4, 8)]
    assert eight == [8, 4, 2, 1]
    assert share_batches(3, Ranks(0, 2), 8) == 3  # which is then refused as another run
    assert share_batches(1, Ranks(0, 5), None) == 1
    with pytest.raises(LexalignError, match="updates of 8 batches, which 3 ranks cannot share evenly"):
        share_batches(1, Ranks(0, 3), 8)


def log_reaches(folder: Path, update: int) -> bool:
    path = folder / "log.jsonl"
    return path.exists() and f'"update": {update},' in path.read_text()


def test_ranks_killed_at_random_steps_go_on_to_the_same_curve(corpus: Corpus, tmp_path: Path) -> None:
    """To the last bit: two summands have no order."""
    train_on_ranks(corpus, tmp_path / "straight", 2)
    generator, folder = random.Random(5), tmp_path / "killed"
    for update in (generator.randrange(8, 16, 4), generator.randrange(24, 36, 4)):
        processes = start_ranks(2, train, corpus, folder)
        wait_for(partial(log_reaches, folder, update))
        processes[generator.randrange(2)].join(generator.uniform(0, 0.1))
        kill_ranks(processes)
    assert 14 <= checkpoint_of(folder)["progress"]["update"] < 45
    train_on_ranks(corpus, folder, 2)
    assert_same_run(folder, tmp_path / "straight")


def ranks_of(process: subprocess.Popen[str]) -> list[int]:
    """The processes that a torchrun has started."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(child) for child in children]


@pytest.mark.parametrize("victim", [0, 1])
def test_torchrun_restarts_after_a_kill(
    corpus: Corpus, alone: list[dict[str, Any]], tmp_path: Path, victim: int
) -> None:
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "--max-restarts", "1"]
    process = start([*torchrun, *command(corpus, tmp_path)])
    wait_for(lambda: log_reaches(tmp_path, 12) or process.poll() is not None, 60)
    os.kill(sorted(ranks_of(process))[victim], signal.SIGKILL)
    finish(process)
    assert_same_curve(log_of(tmp_path), alone)


def test_two_nodes_find_one_another(corpus: Corpus, alone: list[dict[str, Any]], tmp_path: Path) -> None:
    place = ["--rdzv-backend", "c10d", "--rdzv-endpoint", f"127.0.0.1:{free_port()}", "--rdzv-id", "7"]
    torchrun = ["-m", "torch.distributed.run", "--nnodes", "2", "--nproc-per-node", "1", *place]
    arguments = [*torchrun, "--local-addr", "127.0.0.1", *command(corpus, tmp_path, updates=12)]
    nodes = [start(arguments), start(arguments)]
    for node in nodes:
        finish(node)
    assert_same_curve(log_of(tmp_path)[:4], alone[:4])


def test_a_node_that_does_not_share_the_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match=r"rank 1 does not see .*nodes must share the folder"):
        check_shared(tmp_path / "tokenizer.model", Ranks(1, 2))


def test_ranks_stop_early_together(corpus: Corpus, tmp_path: Path) -> None:
    """At such a rate the validation loss goes up and down; a rank that went on alone would wait for ever."""
    options = {"learning_rate": 0.3, "clip_norm": 0.0, "validate_every": 2, "updates": 60}
    train_on_ranks(corpus, tmp_path, 2, **options, patience=2)
    losses = [entry["loss"] for entry in log_of(tmp_path) if entry["kind"] == "valid"]
    assert len(losses) < 30
    assert min(losses[-2:]) >= min(losses[:-2])


def deal_and_gather() -> None:
    with join_ranks(torch.device("cpu")) as ranks:
        for length in range(5):
            items = [f"item {index}" for index in range(length)]
            assert len(ranks.deal(items)) == (length + 1 - ranks.rank) // 2
            assert ranks.gather(ranks.deal(items)) == items
        assert ranks.agree(ranks.rank == 1, torch.device("cpu"))


def test_what_is_dealt_comes_back_in_order() -> None:
    finish_ranks(start_ranks(2, deal_and_gather))
