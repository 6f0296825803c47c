"""A model trained by the command line itself, for a few updates, and a way to call commands."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from lexalign.alignment.head_files import HeadSettings, save_head
from lexalign.alignment.learned import PosteriorHead
from lexalign.cli.main import app
from lexalign.data.synthetic import generate

RECIPE = """
[model]
width = 32
feedforward_width = 64
encoder_layers = 1
decoder_layers = 1
max_positions = 128
dropout = 0.0
[training]
updates = 20
batch_tokens = 500
learning_rate = 0.003
warmup = 10
log_every = 5
validate_every = 10
save_every = 10
[tokenizer]
vocabulary_size = 500
"""
FAST = ("--beam", 4, "--max-length", 24, "--device", "cpu")
TEXT = "Anna kaufte rote Äpfel."


@dataclass(frozen=True)
class Outcome:
    status: int
    output: str
    errors: str


Run = Callable[..., Outcome]


def call(arguments: tuple[object, ...]) -> int:
    try:
        app([str(argument) for argument in arguments], prog_name="lexalign")
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Threads of several test processes that wait for one another slow all of them down."""
    torch.set_num_threads(1)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process."""

    def run_command(*arguments: object) -> Outcome:
        capfd.readouterr()
        status = call(arguments)
        sys.stdout.flush()
        captured = capfd.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run_command


@pytest.fixture
def feed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bytes], None]]:
    """Put bytes on standard input."""
    kept = os.dup(0)

    def put(content: bytes) -> None:
        path = tmp_path / "standard-input"
        path.write_bytes(content)
        descriptor = os.open(path, os.O_RDONLY)
        os.dup2(descriptor, 0)
        os.close(descriptor)

    # The stand-in that pytest puts here has no descriptor.
    with os.fdopen(0, closefd=False) as standard_input:
        monkeypatch.setattr(sys, "stdin", standard_input)
        yield put
    os.dup2(kept, 0)
    os.close(kept)


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of train.de, train.en, valid.tsv and recipe.toml."""
    folder = tmp_path_factory.mktemp("corpus")
    pairs = generate(330)
    for name, column in (("train.de", 0), ("train.en", 1)):
        lines = [pair[column] + "\n" for pair in pairs[:300]]
        (folder / name).write_text("".join(lines), encoding="utf-8")
    (folder / "valid.tsv").write_text("".join(f"{s}\t{t}\n" for s, t in pairs[300:]), encoding="utf-8")
    (folder / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def trained(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a training run."""
    folder = tmp_path_factory.mktemp("trained") / "run"
    files = (
        "--source",
        corpus / "train.de",
        "--target",
        corpus / "train.en",
        "--valid-data",
        corpus / "valid.tsv",
    )
    assert call(("train", *files, "--config", corpus / "recipe.toml", "--to", folder, "--device", "cpu")) == 0
    return folder


@pytest.fixture(scope="session")
def model(trained: Path) -> Path:
    return trained / "model"


@pytest.fixture(scope="session")
def aligned(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("aligned") / "model"
    shutil.copytree(model, folder)
    torch.manual_seed(3)
    save_head(folder, PosteriorHead(32, 4), HeadSettings(layer=0))
    return folder


@pytest.fixture
def glossary(tmp_path: Path) -> Path:
    path = tmp_path / "terms.csv"
    path.write_text("de,en,note\nApfel,pear,<fruit>\nAnna,Otto,\n", encoding="utf-8")
    return path
