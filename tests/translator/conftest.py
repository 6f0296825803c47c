"""A small random model, whose translations are nonsense but must be the same on every way to them."""

import random
from pathlib import Path

import pytest
import torch

from lexalign.alignment.attention_files import write_attention
from lexalign.alignment.head_files import HeadSettings, save_head
from lexalign.alignment.learned import HEADS
from lexalign.models.config import ModelConfig
from lexalign.models.folder import save_model
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions
from lexalign.translator import Translator

WORDS = "das Haus ist groß und der kleine Hund läuft über die lange Straße nach München".split()  # noqa: SIM905
MAX_POSITIONS = 64


def make_sentences(num_sentences: int, seed: int = 1) -> list[str]:
    generator = random.Random(seed)
    return [" ".join(generator.choices(WORDS, k=generator.randint(1, 12))) for _ in range(num_sentences)]


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("translator")
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
    model = Transformer(config)
    with torch.no_grad():  # peaked enough that a different order of additions changes no translation
        model.output.weight.mul_(4)
    save_model(folder / "model", model, tokenizer)
    for kind in HEADS:
        save_head(folder / "model", HEADS[kind](config.width, 2), HeadSettings(layer=0, temperature=0.5))
    write_attention(folder / "model", {"naive-att": (1, None), "shift-att": (0, None)})
    return folder / "model"


@pytest.fixture(scope="session")
def translator(model_folder: Path) -> Translator:
    return Translator.load(model_folder, device="cpu")


@pytest.fixture(scope="session")
def sentences() -> list[str]:
    return make_sentences(200, seed=2)
