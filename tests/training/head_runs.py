"""Runs of heads of a second, beside models that have learnt nothing."""

import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from lexalign.data.reader import ParallelText
from lexalign.models.config import ModelConfig
from lexalign.models.folder import save_model
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from lexalign.training.heads import label_choice
from lexalign.training.heads.frozen_models import ObservedLayers
from lexalign.training.heads.labels import LabelFiles
from lexalign.training.heads.options import HeadOptions
from lexalign.training.heads.run import train_aligner
from lexalign.training.heads.trainer import HeadTrainer
from lexalign.training.log import read_log
from tests.training import permuted_copy

PAIRS = permuted_copy.pairs(300)
NUM_TRAIN = 260
# No interval divides another, so that a stop falls between two logs and saves.
OPTIONS: dict[str, Any] = {
    "updates": 17,
    "batch_tokens": 300,
    "warmup": 5,
    "log_every": 4,
    "save_every": 7,
}
ALL_LAYERS = ObservedLayers(frozenset({0, 1}), frozenset({0, 1}))


@dataclass(frozen=True)
class ModelPair:
    """A folder of train.tsv, valid.tsv, their links and two models, beside which heads are put."""

    folder: Path

    @property
    def forward(self) -> Path:
        return self.folder / "forward"

    @property
    def backward(self) -> Path:
        return self.folder / "backward"

    def copy(self, folder: Path) -> "ModelPair":
        shutil.copytree(self.folder, folder)
        return ModelPair(folder)

    def train(
        self,
        folder: Path,
        *,
        reverse: bool = True,
        labels: LabelFiles | None = None,
        picture: bool = False,
        **changes: Any,
    ) -> None:
        """With the usual options but for `changes`. Drawing the `picture` takes as long as all the rest."""
        torch.set_num_threads(1)
        with pytest.MonkeyPatch.context() as patch:
            if not picture:
                patch.setattr(label_choice, "plot_layers", lambda *_: None)
            train_aligner(
                self.forward,
                self.backward if reverse else None,
                [ParallelText(self.folder / "train.tsv")],
                ParallelText(self.folder / "valid.tsv"),
                folder,
                HeadOptions(**{**OPTIONS, **changes}),
                labels=labels,
                device="cpu",
            )

    def interrupt(self, folder: Path, update: int, number: int = signal.SIGINT, **changes: Any) -> None:
        """Send this process a signal in an update, and expect the run to stop with a checkpoint of it."""
        plain = HeadTrainer._learn

        def learn(trainer: HeadTrainer, *given: Any) -> None:
            nonlocal update
            update -= 1
            if update == 0:
                signal.raise_signal(number)
            plain(trainer, *given)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(HeadTrainer, "_learn", learn)
            with pytest.raises(KeyboardInterrupt):
                self.train(folder, **changes)


def create_model_pair(folder: Path) -> ModelPair:
    texts = [text for pair in PAIRS for text in (pair.source, pair.target)]
    tokenizer = Tokenizer.train(texts, permuted_copy.tokenizer_options(), folder / "tokenizer.model")
    shape = {**permuted_copy.MODEL, "width": 16, "feedforward_width": 16, "decoder_layers": 2}
    for seed, name in enumerate(("forward", "backward")):
        torch.manual_seed(seed)
        model = Transformer(ModelConfig(vocabulary_size=tokenizer.vocabulary_size, **shape))
        save_model(folder / name, model, tokenizer)
    for name, part in (("train", PAIRS[:NUM_TRAIN]), ("valid", PAIRS[NUM_TRAIN:])):
        permuted_copy.write(folder / f"{name}.tsv", part)
        permuted_copy.write_links(folder / f"{name}.links", part)
    return ModelPair(folder)


def head(model: Path, kind: str = "post-aln") -> dict[str, torch.Tensor]:
    return load_file(model / f"{kind}.safetensors")


def same(found: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> bool:
    """To the last bit."""
    return found.keys() == expected.keys() and all(
        torch.equal(found[name], value) for name, value in expected.items()
    )


def log_of(path: Path) -> list[dict[str, Any]]:
    """The log without what depends on the clock."""
    return [
        {name: value for name, value in entry.items() if name != "tokens_per_second"}
        for entry in read_log(path)
    ]


def files_of(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
