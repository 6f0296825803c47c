"""A small corpus and a vocabulary for all runs."""

from pathlib import Path

import pytest
import torch

from lexalign.data.filters import FilterOptions
from lexalign.data.preparation import prepare
from lexalign.data.reader import ParallelText
from lexalign.data.store import TokenStore
from lexalign.data.synthetic import generate
from lexalign.models.folder import load_model
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions
from lexalign.training.heads.frozen_models import FrozenModels, PairBatch
from lexalign.training.heads.held_out import HeldOut
from tests.training.head_runs import ALL_LAYERS, ModelPair, create_model_pair
from tests.training.small_runs import Corpus, train


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Threads of several test processes that wait for one another slow all of them down."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("corpus")
    pairs = generate(320)
    Tokenizer.train(
        [sentence for pair in pairs for sentence in pair],
        TokenizerOptions(vocabulary_size=340),
        folder / "tokenizer.model",
    )
    for name, part in (("train.tsv", pairs[:300]), ("valid.tsv", pairs[300:])):
        lines = [f"{source}\t{target}\n" for source, target in part]
        (folder / name).write_text("".join(lines), encoding="utf-8")
    return Corpus(folder)


@pytest.fixture(scope="session")
def undisturbed(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of the usual recipe that nothing stopped."""
    return train(corpus, tmp_path_factory.mktemp("undisturbed"))


@pytest.fixture(scope="session")
def shared_models(tmp_path_factory: pytest.TempPathFactory) -> ModelPair:
    return create_model_pair(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def frozen_models(shared_models: ModelPair) -> FrozenModels:
    return FrozenModels(load_model(shared_models.forward)[0], load_model(shared_models.backward)[0])


@pytest.fixture(scope="session")
def valid_store(shared_models: ModelPair, tmp_path_factory: pytest.TempPathFactory) -> TokenStore:
    tokenizer = Tokenizer.load(shared_models.forward / "tokenizer.model")
    text, folder = ParallelText(shared_models.folder / "valid.tsv"), tmp_path_factory.mktemp("store")
    return prepare(text, tokenizer, FilterOptions(), folder / "store")[0]


@pytest.fixture(scope="session")
def held_out(frozen_models: FrozenModels, valid_store: TokenStore) -> HeldOut:
    return HeldOut(frozen_models, valid_store, 200)


@pytest.fixture
def batch(held_out: HeldOut) -> PairBatch:
    return next(iter(held_out.observe(ALL_LAYERS)))


@pytest.fixture
def models(shared_models: ModelPair, tmp_path: Path) -> ModelPair:
    """Text and models in a folder of the test's own."""
    return shared_models.copy(tmp_path / "models")
