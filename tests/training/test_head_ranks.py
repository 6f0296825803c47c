"""Two ranks train the heads that one trains from two batches an update, killed or not.

Ranks add their gradients in another order, so losses agree to one part in ten thousand and not to the bit.
"""

import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from lexalign.contracts.errors import LexalignError
from lexalign.training.heads.labels import LabelFile, LabelFiles
from tests.training.head_runs import ModelPair, head, log_of, same
from tests.training.small_runs import finish_ranks, kill_ranks, start_ranks, wait_for

TOLERANCE = 1e-4


def losses(folder: Path, round: int = 1) -> list[float]:
    log = log_of(folder / f"heads-{round}.jsonl")
    return [loss for entry in log for loss in (entry["update"], *entry["losses"].values())]


def labels(models: ModelPair) -> LabelFiles:
    train, held_out = (LabelFile(path=models.folder / f"{name}.links") for name in ("train", "valid"))
    return LabelFiles(train=train, valid=held_out)


def on_ranks(models: ModelPair, folder: Path, **changes: Any) -> None:
    finish_ranks(start_ranks(2, models.train, folder, **changes))


@pytest.mark.parametrize("teacher", ["models", "a file"])
def test_ranks_have_the_curve_of_accumulated_batches(models: ModelPair, tmp_path: Path, teacher: str) -> None:
    """In two rounds where the heads of the first can teach; layers are chosen from shares of the text."""
    rounds, given = (2, None) if teacher == "models" else (1, labels(models))
    other = models.copy(tmp_path / "other")
    models.train(tmp_path / "alone", accumulate=2, rounds=rounds, labels=given)
    on_ranks(other, tmp_path / "ranks", rounds=rounds, labels=given)
    for number in range(1, rounds + 1):
        expected = losses(tmp_path / "alone", number)
        assert losses(tmp_path / "ranks", number) == pytest.approx(expected, rel=TOLERANCE)
    for name in ("layers.json", "heads.json"):
        found, wanted = (json.loads((tmp_path / run / name).read_text()) for run in ("ranks", "alone"))
        assert _numbers(found) == pytest.approx(_numbers(wanted), rel=1e-3, abs=1e-3)
    for one, another in ((models.forward, other.forward), (models.backward, other.backward)):
        for name, value in head(one).items():
            torch.testing.assert_close(head(another)[name], value, rtol=1e-3, atol=1e-4)


def test_killed_ranks_go_on_to_the_same_heads(models: ModelPair, tmp_path: Path) -> None:
    """To the last bit, on two ranks again; and on the same curve on one."""
    other, third = models.copy(tmp_path / "other"), models.copy(tmp_path / "third")
    on_ranks(models, tmp_path / "straight")
    generator = random.Random(7)
    for folder, pair in ((tmp_path / "two", other), (tmp_path / "one", third)):
        processes = start_ranks(2, pair.train, folder)
        aim = generator.randrange(8, 17)
        wait_for(partial(_reaches, folder, aim), 60)
        kill_ranks(processes)
    on_ranks(other, tmp_path / "two")
    assert log_of(tmp_path / "two" / "heads-1.jsonl") == log_of(tmp_path / "straight" / "heads-1.jsonl")
    assert same(head(other.forward), head(models.forward))
    third.train(tmp_path / "one")
    assert losses(tmp_path / "one") == pytest.approx(losses(tmp_path / "straight"), rel=TOLERANCE)


def _reaches(folder: Path, update: int) -> bool:
    path = folder / "heads-1.jsonl"
    return path.exists() and any(entry["update"] >= update for entry in log_of(path))


def test_another_number_of_batches_is_refused(models: ModelPair, tmp_path: Path) -> None:
    models.train(tmp_path / "run", accumulate=2)
    with pytest.raises(LexalignError, match="other options"):
        models.train(tmp_path / "run", accumulate=3)


def _numbers(content: Any) -> list[float]:
    """All numbers of a JSON document, in order."""
    if isinstance(content, dict):
        content = [content[name] for name in sorted(content)]
    if isinstance(content, list):
        return [number for entry in content for number in _numbers(entry)]
    return [float(content)] if isinstance(content, int | float) else []
