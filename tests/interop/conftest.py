"""One tokenizer and one trained model for all tests of the export."""

import random
from collections.abc import Iterator

import pytest
import torch

from lexalign.interop.hub_export import export_huggingface
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions
from tests.interop.copy_model import SIZE, Exported, train_to_copy


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """More threads than cores make small products a hundred times slower."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def sentences() -> list[str]:
    generator = random.Random(1)
    words = ["".join(generator.choices("abcdefghijklmnop", k=generator.randint(2, 6))) for _ in range(120)]
    return [" ".join(generator.choices(words, k=generator.randint(2, 7))) for _ in range(500)]


@pytest.fixture(scope="session")
def tokenizer(sentences: list[str], tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.model"
    return Tokenizer.train(sentences, TokenizerOptions(vocabulary_size=SIZE), path)


@pytest.fixture(scope="session")
def copying(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    model = train_to_copy()
    folder = tmp_path_factory.mktemp("marian") / "model"
    export_huggingface(model, tokenizer, folder, "de", "en")
    return Exported(model=model, tokenizer=tokenizer, folder=folder)


@pytest.fixture(scope="session")
def sources(tokenizer: Tokenizer, sentences: list[str]) -> list[list[int]]:
    """Sentences of different lengths, for one batch."""
    return [[*tokenizer.encode(sentence), tokenizer.eos_id] for sentence in sentences[:40]]
