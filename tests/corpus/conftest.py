"""A small random model, and a corpus in which some rows are broken."""

import random
from pathlib import Path

import pytest
import torch

from lexalign.alignment.head_files import HeadSettings, save_head
from lexalign.alignment.learned import HEADS
from lexalign.corpus.options import ModelSpec
from lexalign.models.config import ModelConfig
from lexalign.models.folder import save_model
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions

WORDS = "das Haus ist groß und der kleine Hund läuft über die lange Straße nach München".split()  # noqa: SIM905
MAX_POSITIONS = 64


def make_sentences(num_sentences: int, seed: int = 1) -> list[str]:
    generator = random.Random(seed)
    return [" ".join(generator.choices(WORDS, k=generator.randint(1, 12))) for _ in range(num_sentences)]


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> ModelSpec:
    folder = tmp_path_factory.mktemp("model")
    options = TokenizerOptions(vocabulary_size=320)
    tokenizer = Tokenizer.train(make_sentences(300), options, folder / "tokenizer.model")
    config = ModelConfig(
        vocabulary_size=tokenizer.vocabulary_size,
        width=32,
        feedforward_width=64,
        encoder_layers=2,
        decoder_layers=2,
        max_positions=MAX_POSITIONS,
    )
    torch.manual_seed(7)
    transformer = Transformer(config)
    with torch.no_grad():  # peaked, so that translations end
        transformer.output.weight.mul_(4)
    save_model(folder / "model", transformer, tokenizer)
    save_head(folder / "model", HEADS["post-aln"](config.width, 2), HeadSettings(layer=0, temperature=0.5))
    return ModelSpec(path=folder / "model")


@pytest.fixture(scope="session")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """160 lines, of which 3 cannot be translated: bytes that are no text, a NUL, and far too many words."""
    lines = [line.encode() for line in make_sentences(160, seed=2)]
    lines[40], lines[41], lines[150], lines[7] = b"a\xffb", b"das\0Haus", b"Haus " * 200, b""
    path = tmp_path_factory.mktemp("text") / "corpus.de"
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path
