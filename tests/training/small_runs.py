"""Training runs of a second, in this process or in one that can be killed.

No interval of the usual recipe divides another, so that a stop falls between two logs, validations and saves,
and dropout is on, so that chance has to be taken up where it was.
"""

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from lexalign.data.reader import ParallelText
from lexalign.training.log import read_log
from lexalign.training.options import TrainingOptions
from lexalign.training.portable import PartOptions
from lexalign.training.recipe import Recipe
from lexalign.training.run import train_model
from lexalign.training.step import Step

MODEL: dict[str, Any] = {
    "width": 32,
    "feedforward_width": 64,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "max_positions": 128,
    "dropout": 0.2,
}
TRAINING: dict[str, Any] = {
    "updates": 45,
    "batch_tokens": 300,
    "learning_rate": 0.003,
    "warmup": 10,
    "log_every": 4,
    "validate_every": 10,
    "validate_bleu": False,
    "save_every": 7,
    "average": 3,
}
# What a log says that depends on the clock.
TIMES = ("seconds", "tokens_per_second")
# Processes that are forked from one that has imported torch, and what its first optimizer imports, start in
# milliseconds.
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["lexalign.training.run", "lexalign.training.heads.run", "torch._dynamo"])


@dataclass(frozen=True)
class Corpus:
    """A folder of train.tsv, valid.tsv and tokenizer.model."""

    folder: Path

    @property
    def train(self) -> ParallelText:
        return ParallelText(self.folder / "train.tsv")

    @property
    def valid(self) -> ParallelText:
        return ParallelText(self.folder / "valid.tsv")

    @property
    def tokenizer(self) -> Path:
        return self.folder / "tokenizer.model"


def recipe(**changes: Any) -> Recipe:
    """The usual recipe with other options of the training or the model."""
    of_training = {field.name for field in fields(TrainingOptions)}
    training = {**TRAINING, **{name: value for name, value in changes.items() if name in of_training}}
    model = {**MODEL, **{name: value for name, value in changes.items() if name not in of_training}}
    return Recipe(model=model, training=TrainingOptions(**training))


def train(corpus: Corpus, folder: Path, *, parts: PartOptions | None = None, **changes: Any) -> Path:
    torch.set_num_threads(1)
    train_model(
        [corpus.train],
        corpus.valid,
        folder,
        recipe(**changes),
        device="cpu",
        tokenizer=corpus.tokenizer,
        parts=parts,
    )
    return folder


def train_in_fork(corpus: Corpus, folder: Path, **changes: Any) -> BaseProcess:
    """A run that can be killed."""
    process = _FORKS.Process(target=train, args=(corpus, folder), kwargs=changes)
    process.start()
    return process


def train_on_ranks(corpus: Corpus, folder: Path, world: int, **changes: Any) -> None:
    """One run on several ranks."""
    finish_ranks(start_ranks(world, train, corpus, folder, **changes))


def start_ranks(world: int, target: Callable[..., Any], *given: Any, **named: Any) -> list[BaseProcess]:
    """Processes that do the same, and find one another as under torchrun."""
    address = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    places = [
        {**address, "WORLD_SIZE": str(world), "RANK": str(rank), "LOCAL_RANK": str(rank)}
        for rank in range(world)
    ]
    processes: list[BaseProcess] = [
        _FORKS.Process(target=_at, args=(place, target, given, named)) for place in places
    ]
    for process in processes:
        process.start()
    return processes


def finish_ranks(processes: list[BaseProcess]) -> None:
    for process in processes:
        process.join(60)
        process.kill()  # if it is still there
    assert [process.exitcode for process in processes] == [0] * len(processes)


def kill_ranks(processes: list[BaseProcess]) -> None:
    for process in processes:
        process.kill()
        process.join()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def _at(place: dict[str, str], target: Callable[..., Any], given: Any, named: dict[str, Any]) -> None:
    os.environ.update(place)
    torch.set_num_threads(1)
    target(*given, **named)


def interrupt(corpus: Corpus, folder: Path, update: int, number: int, **changes: Any) -> None:
    """Send this process a signal in an update, and expect the run to stop with a checkpoint of it."""
    plain = Step.run

    def run(step: Step, *given: Any) -> None:
        nonlocal update
        update -= 1
        if update == 0:
            signal.raise_signal(number)
        plain(step, *given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Step, "run", run)
        with pytest.raises(KeyboardInterrupt):
            train(corpus, folder, **changes)


def command(corpus: Corpus, folder: Path, **changes: Any) -> list[str]:
    """The usual recipe for a command line, behind `python` or `torchrun`."""
    folder.mkdir(exist_ok=True, parents=True)
    config = folder / "recipe.toml"
    tables = {"model": MODEL, "training": {**TRAINING, **changes}}
    config.write_text("".join(f"[{name}]\n{_toml(values)}" for name, values in tables.items()))
    files = ("--data", corpus.train.source, "--valid-data", corpus.valid.source, "--config", config)
    flags = ("--tokenizer", corpus.tokenizer, "--to", folder, "--device", "cpu", "--no-plot")
    return ["-m", "lexalign", "train", *map(str, (*files, *flags))]


def start(arguments: list[str]) -> subprocess.Popen[str]:
    """A Python process with these arguments."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, *arguments], env=environment, stderr=subprocess.PIPE, text=True, process_group=0
    )


def finish(process: subprocess.Popen[str], status: int = 0) -> str:
    """What a process said on standard error; it must end with this status."""
    try:
        _, errors = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == status, errors
    return errors


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come in time"
        time.sleep(0.002)


def log_of(folder: Path) -> list[dict[str, Any]]:
    """The log without what depends on the clock."""
    return [
        {name: value for name, value in entry.items() if name not in TIMES}
        for entry in read_log(folder / "log.jsonl")
    ]


def weights_of(folder: Path) -> dict[str, torch.Tensor]:
    """Of the finished model."""
    return load_file(folder / "model" / "model.safetensors")


def checkpoint_of(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = torch.load(folder / "checkpoints" / "checkpoint.pt", weights_only=True)
    return content


def assert_same_weights(found: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> None:
    """The same to the last bit."""
    assert found.keys() == expected.keys()
    different = [name for name in expected if not torch.equal(found[name], expected[name])]
    assert not different


def assert_same_run(folder: Path, expected: Path) -> None:
    assert log_of(folder) == log_of(expected)
    assert_same_weights(weights_of(folder), weights_of(expected))
    assert_same_weights(checkpoint_of(folder)["model"], checkpoint_of(expected)["model"])


def _toml(values: dict[str, Any]) -> str:
    return "".join(f"{name} = {str(value).lower()}\n" for name, value in values.items())
