"""Two ranks learn what one learns from two batches an update.

Ranks add their gradients in another order, so losses agree to one part in ten thousand and not to the bit.
"""

import signal
from pathlib import Path
from typing import Any

import pytest
from small_runs import Corpus, command, finish, interrupt, log_of, start, train, train_on_ranks

from lexalign.contracts.errors import LexalignError

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
