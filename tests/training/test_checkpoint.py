"""The files of a run: whole or not there, and averaged as promised."""

import os
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from lexalign.contracts.errors import LexalignError
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer
from lexalign.training.checkpoint import Checkpoints, Progress
from tests.training.small_runs import MODEL, Corpus, assert_same_run, checkpoint_of, train, weights_of


@pytest.fixture
def model() -> Transformer:
    return Transformer(ModelConfig(**MODEL, vocabulary_size=50))


def save(checkpoints: Checkpoints, model: Transformer, update: int) -> None:
    optimizer = torch.optim.AdamW(model.parameters())
    checkpoints.save(model, optimizer, Progress(update=update), torch.tensor([1.0, 2.0]), "signature")


def test_a_failed_write_leaves_the_old_checkpoint(
    model: Transformer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints = Checkpoints(tmp_path, keep=1)
    save(checkpoints, model, 1)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def write_half(_: object, path: Path) -> None:
        path.write_bytes(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", write_half)
    with pytest.raises(OSError, match="No space"):
        save(checkpoints, model, 2)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    found = checkpoints.load(model, "signature")
    assert found is not None
    assert found.progress.update == 1


@pytest.mark.parametrize("file", ["torch.save", "save_file"])
def test_a_kill_amid_writing_changes_nothing(
    corpus: Corpus, undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    """What a kill leaves behind is half a file under another name, and no exception was handled."""
    writes = 0

    def write_some(content: Any, path: Path) -> None:
        nonlocal writes
        writes += 1
        if writes == 3:
            path.write_bytes(b"half of it")
            monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)
            raise _KilledError
        plain(content, path)

    place = "torch.save" if file == "torch.save" else "lexalign.training.checkpoint.save_file"
    plain = torch.save if file == "torch.save" else pytest.importorskip("safetensors.torch").save_file
    monkeypatch.setattr(place, write_some)
    with pytest.raises(_KilledError):
        train(corpus, tmp_path)
    monkeypatch.undo()
    assert any(path.read_bytes() == b"half of it" for path in (tmp_path / "checkpoints").iterdir())
    assert checkpoint_of(tmp_path)["progress"]["update"] == 14
    assert_same_run(train(corpus, tmp_path), undisturbed)


class _KilledError(BaseException):
    """Nothing handles it."""


def test_a_damaged_checkpoint_is_named(model: Transformer, tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, keep=1)
    save(checkpoints, model, 1)
    path = tmp_path / "checkpoint.pt"
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(LexalignError, match=r"checkpoint\.pt: cannot be read .* delete it to start again"):
        checkpoints.load(model, "signature")


def test_other_options_are_refused(model: Transformer, tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, keep=1)
    save(checkpoints, model, 1)
    with pytest.raises(LexalignError, match=r"other options, models or data; use another folder"):
        checkpoints.load(model, "other")


@pytest.mark.parametrize("average", [1, 2, 4])
def test_the_final_model_is_the_mean_of_the_last(corpus: Corpus, tmp_path: Path, average: int) -> None:
    """Saves at 3, 6, 9 and, as the run ends there, at 10."""
    train(corpus, tmp_path, updates=10, save_every=3, average=average)
    names = [f"model-{update}.safetensors" for update in (3, 6, 9, 10)[-average:]]
    assert sorted(path.name for path in (tmp_path / "checkpoints").glob("model-*")) == sorted(names)
    parts = [load_file(tmp_path / "checkpoints" / name) for name in names]
    for name, value in weights_of(tmp_path).items():
        mean = torch.stack([part[name].double() for part in parts]).mean(dim=0)
        torch.testing.assert_close(value.double(), mean, rtol=1e-6, atol=1e-8)
        assert torch.equal(parts[-1][name], checkpoint_of(tmp_path)["model"][name])


def test_snapshots_are_in_the_order_of_their_updates(model: Transformer, tmp_path: Path) -> None:
    """1000 comes after 999, and before it in the alphabet."""
    checkpoints = Checkpoints(tmp_path, keep=2)
    for update in (998, 999, 1000):
        with torch.no_grad():
            model.output.weight.fill_(update)
        checkpoints.snapshot(model, update)
    assert {path.name for path in tmp_path.iterdir()} == {"model-999.safetensors", "model-1000.safetensors"}
    assert float(checkpoints.average()["encoder.embedding.tokens.weight"].mean()) == 999.5
