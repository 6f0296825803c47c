"""A run that is carried from machine to machine in parts is the run that was not, but for rounding.

Every part has a folder of its own, as on a machine that has seen nothing of the run. In 16 bits, losses agree
with those of the whole run to one part in a thousand; without the optimiser's state, to one in ten.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from lexalign.contracts.errors import LexalignError
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer
from lexalign.training.portable import PART_BYTES, PartOptions, pack
from lexalign.training.run import train_model
from lexalign.training.trainer import PartEnd
from tests.training.small_runs import (
    Corpus,
    assert_same_run,
    command,
    finish,
    interrupt,
    log_of,
    recipe,
    start,
    train,
    weights_of,
)

WITH_OPTIMIZER, WITHOUT_OPTIMIZER = 1e-3, 1e-1
# A last part that makes all models of the average, as the others stay where they were made.
OPTIONS: dict[str, Any] = {"save_every": 100, "log_every": 1}


def train_in_parts(corpus: Corpus, folder: Path, updates: int = 12, **options: Any) -> Path:
    """Until the run is finished; each part goes on from a copy of the checkpoint of the one before."""
    before: Path | None = None
    for number in range(9):
        own = folder / f"machine-{number}"
        parts = PartOptions(
            portable=own / "portable", continue_from=before, stop_after_updates=updates, **options
        )
        try:
            return train(corpus, own / "run", parts=parts, **OPTIONS)
        except PartEnd:
            before = folder / f"copy-{number}"
            shutil.copytree(own / "portable", before)
    raise AssertionError("the run does not come to its end")


@pytest.fixture(scope="module")
def whole(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(corpus, tmp_path_factory.mktemp("whole"), **OPTIONS)


@pytest.fixture(scope="module")
def portable(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a run of five updates."""
    folder = tmp_path_factory.mktemp("first")
    with pytest.raises(PartEnd, match="stopped after update 5"):
        train(corpus, folder / "run", parts=PartOptions(portable=folder / "portable", stop_after_updates=5))
    assert not (folder / "run" / "model").exists()
    return folder / "portable"


def losses(folder: Path) -> list[float]:
    return [entry["loss"] for entry in log_of(folder)]


def others(folder: Path) -> list[dict[str, Any]]:
    """The log without what rounding changes: updates, rates, and tokens, which tell the order of batches."""
    return [{name: entry[name] for name in entry if name not in ("loss", "nll")} for entry in log_of(folder)]


def test_four_parts_in_32_bits_are_the_whole_run(corpus: Corpus, whole: Path, tmp_path: Path) -> None:
    assert_same_run(train_in_parts(corpus, tmp_path, bits=32), whole)
    assert len(list(tmp_path.glob("copy-*"))) == 3


def test_four_parts_in_16_bits_are_the_whole_run_but_for_rounding(
    corpus: Corpus, whole: Path, tmp_path: Path
) -> None:
    found = train_in_parts(corpus, tmp_path)
    assert others(found) == others(whole)
    assert losses(found) == pytest.approx(losses(whole), rel=WITH_OPTIMIZER)
    assert losses(found) != losses(whole)


def test_parts_without_the_optimizers_state_come_near(corpus: Corpus, whole: Path, tmp_path: Path) -> None:
    """The learning rate rises for some updates of a part, and is then that of the whole run."""
    changes = {**OPTIONS, "optimizer_warmup": 6}
    parts = PartOptions(portable=tmp_path / "portable", with_optimizer=False, stop_after_updates=20)
    with pytest.raises(PartEnd):
        train(corpus, tmp_path / "one", parts=parts, **changes)
    parts = PartOptions(continue_from=tmp_path / "portable")
    found = train(corpus, tmp_path / "two", parts=parts, **changes)
    assert losses(found) == pytest.approx(losses(whole), rel=WITHOUT_OPTIMIZER)
    rates, expected = (
        {entry["update"]: entry["learning_rate"] for entry in log_of(path) if entry["kind"] == "train"}
        for path in (found, whole)
    )
    for update, rate in rates.items():
        share = (update - 20) / 6 if 20 < update < 26 else 1.0
        assert rate == pytest.approx(share * expected[update], rel=1e-12)


def test_a_part_ends_by_the_clock(corpus: Corpus, tmp_path: Path) -> None:
    parts = PartOptions(portable=tmp_path / "portable", stop_after_seconds=1e-3)
    with pytest.raises(PartEnd, match=r"stopped after update 1$"):
        train(corpus, tmp_path / "run", parts=parts)
    assert json.loads((tmp_path / "portable" / "manifest.json").read_text())["update"] == 1


def test_an_interrupted_run_leaves_a_portable_checkpoint(corpus: Corpus, tmp_path: Path) -> None:
    parts = PartOptions(portable=tmp_path / "portable")
    interrupt(corpus, tmp_path / "run", 3, 2, parts=parts)
    assert json.loads((tmp_path / "portable" / "manifest.json").read_text())["update"] == 3


def test_the_vocabulary_comes_along(corpus: Corpus, portable: Path, tmp_path: Path) -> None:
    """Nothing has to be learnt again, or to be given."""
    parts = PartOptions(continue_from=portable)
    train_model([corpus.train], corpus.valid, tmp_path, recipe(updates=6), device="cpu", parts=parts)
    assert (tmp_path / "tokenizer.model").read_bytes() == corpus.tokenizer.read_bytes()
    assert log_of(tmp_path)[-1]["update"] == 6


def test_a_folder_that_is_further_goes_on_by_itself(corpus: Corpus, portable: Path, tmp_path: Path) -> None:
    """So that a command can be given again."""
    for updates in (7, 9):
        train(corpus, tmp_path, parts=PartOptions(continue_from=portable), updates=updates)
    assert [entry["update"] for entry in log_of(tmp_path) if entry["kind"] == "train"] == [4, 7, 8, 9]


def _remove(folder: Path) -> None:
    (folder / "part-000").unlink()


def _shorten(folder: Path) -> None:
    path = folder / "part-000"
    path.write_bytes(path.read_bytes()[:-1])


def _flip(folder: Path) -> None:
    content = bytearray((folder / "part-000").read_bytes())
    content[-1] ^= 1
    (folder / "part-000").write_bytes(content)


def _garble(folder: Path) -> None:
    (folder / "manifest.json").write_text("{")


def _renumber(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (_remove, "part-000: No such file or directory; 1 parts are needed"),
        (_shorten, r"part-000 has \d+ bytes, not \d+; copy it again"),
        (_flip, "part-000 is damaged: its SHA-256 is not that of the manifest"),
        (_garble, r"manifest\.json is damaged; copy it again"),
        (_renumber, r"manifest\.json is of format 99; this version reads 1"),
        (shutil.rmtree, "is not a portable checkpoint: .*No such file"),
    ],
)
def test_what_is_not_whole_is_refused(
    corpus: Corpus, portable: Path, tmp_path: Path, harm: Callable[[Path], None], message: str
) -> None:
    copy = shutil.copytree(portable, tmp_path / "copy")
    harm(copy)
    with pytest.raises(LexalignError, match=message) as caught:
        train(corpus, tmp_path / "run", parts=PartOptions(continue_from=copy))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"width": 64}, r"another model \(width = 32, here 64\)"),
        ({"seed": 2}, r"other options \(seed = 1, here 2\)"),
        ({"accumulate": 2}, "updates of another size"),
    ],
)
def test_another_run_does_not_go_on_from_it(
    corpus: Corpus, portable: Path, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(LexalignError, match=f"belongs to a run with {message}"):
        train(corpus, tmp_path, parts=PartOptions(continue_from=portable), **change)
    assert not (tmp_path / "checkpoints").exists()


def test_other_data_does_not_go_on_from_it(corpus: Corpus, portable: Path, tmp_path: Path) -> None:
    parts = PartOptions(continue_from=portable)
    with pytest.raises(LexalignError, match="belongs to a run with other data; give the command"):
        train_model([corpus.valid], corpus.valid, tmp_path, recipe(), device="cpu", parts=parts)


@pytest.mark.parametrize("missing", [(), ("rms_norm", "norm_epsilon")])
def test_an_older_version_named_other_defaults_of_the_same_model(
    corpus: Corpus, portable: Path, tmp_path: Path, missing: tuple[str, ...]
) -> None:
    copy = shutil.copytree(portable, tmp_path / "copy")
    manifest = json.loads((copy / "manifest.json").read_text())
    model = ModelConfig.from_dict(manifest["identity"]["model"]).to_dict()
    manifest["identity"]["model"] = {name: model[name] for name in model if name not in missing}
    manifest["signature"] = "of the older version"
    (copy / "manifest.json").write_text(json.dumps(manifest))
    train(corpus, tmp_path / "run", parts=PartOptions(continue_from=copy), updates=6)
    assert log_of(tmp_path / "run")[-1]["update"] == 6


def test_no_part_is_over_its_limit(tmp_path: Path) -> None:
    """Also where a tensor is."""
    config = ModelConfig(vocabulary_size=40_000, width=512, encoder_layers=1, decoder_layers=1)
    model = Transformer(config)
    content = {
        "progress": {"update": 1, "position": {"epoch": 0, "index": 1}, "best_loss": float("inf")},
        "model": dict(model.named_parameters()),
        "losses": torch.zeros(2),
        "signature": "",
    }
    options = PartOptions(portable=tmp_path / "portable", with_optimizer=False)
    pack(content, options, tmp_path, {}, {})
    sizes = sorted(path.stat().st_size for path in (tmp_path / "portable").glob("part-*"))
    assert sizes[1:] == [PART_BYTES] * (len(sizes) - 1)
    assert sum(sizes) == pytest.approx(2 * sum(value.numel() for value in model.parameters()), rel=1e-3)
    assert len(sizes) > 2


def test_a_failed_write_leaves_the_old_one(
    portable: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = shutil.copytree(portable, tmp_path / "copy")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    values = json.loads((copy / "manifest.json").read_text())
    content = {"progress": values["progress"], "model": {"x": torch.ones(1)}, "losses": torch.zeros(2)}
    with pytest.raises(OSError, match="No space"):
        pack({**content, "signature": ""}, PartOptions(portable=copy, with_optimizer=False), tmp_path, {}, {})
    assert (copy / "manifest.json").read_bytes() == (portable / "manifest.json").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["copy"]


def test_another_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(LexalignError, match="exists and is not a portable checkpoint"):
        PartOptions(portable=tmp_path)


def test_a_weight_too_large_for_16_bits_is_told(tmp_path: Path) -> None:
    content = {"progress": {"update": 1, "position": {}}, "model": {"x": torch.tensor([1e6])}}
    options = PartOptions(portable=tmp_path / "portable", with_optimizer=False)
    with pytest.raises(LexalignError, match="use --portable-bits 32"):
        pack(content, options, tmp_path, {}, {})


def test_the_command_trains_in_parts(corpus: Corpus, tmp_path: Path) -> None:
    """And says in one line what is wrong with a part."""
    kept = str(tmp_path / "portable")
    first = [*command(corpus, tmp_path / "one"), "--portable", kept, "--stop-after-updates", "5"]
    said = finish(start(first))
    assert "stopped after update 5; run the same command again to continue" in said
    assert f", or elsewhere with --continue-from {kept}" in said
    finish(start([*command(corpus, tmp_path / "two", updates=6), "--continue-from", kept]))
    assert weights_of(tmp_path / "two")
    (tmp_path / "portable" / "part-000").unlink()
    said = finish(start([*command(corpus, tmp_path / "three"), "--continue-from", kept]), status=2)
    assert said.count("\n") == 1
    assert "part-000: No such file or directory" in said
