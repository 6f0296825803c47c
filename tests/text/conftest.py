"""Small tokenizers over a few languages, trained once for all tests."""

import random

import pytest

from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions

PHRASES = [
    "Das Haus",
    "die Straße",
    "über zwei Äpfel",
    "läuft und hat",
    "the house",
    "street runs",
    "and has",
    "मैं घर जाता हूँ",
    "東京タワーへ",
    "Ödipus",
    "l'été 1,5",
    "don't",
]


def make_sentences(num_sentences: int = 400) -> list[str]:
    generator = random.Random(3)
    return [" ".join(generator.choices(PHRASES, k=5)) for _ in range(num_sentences)]


@pytest.fixture(scope="session")
def sentences() -> list[str]:
    return make_sentences()


@pytest.fixture(scope="session", params=["bpe", "unigram", "lowercase"])
def tokenizer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    options = TokenizerOptions(
        vocabulary_size=330,
        kind="unigram" if request.param == "unigram" else "bpe",
        lowercase=request.param == "lowercase",
    )
    path = tmp_path_factory.mktemp("tokenizers") / f"{request.param}.model"
    return Tokenizer.train(make_sentences(), options, path)
