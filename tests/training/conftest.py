"""A small corpus and a vocabulary for all runs."""

from pathlib import Path

import pytest
import torch
from head_runs import School, open_school
from small_runs import Corpus, train

from lexalign.data.synthetic import generate
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions


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
def first_school(tmp_path_factory: pytest.TempPathFactory) -> School:
    return open_school(tmp_path_factory.mktemp("school"))


@pytest.fixture
def school(first_school: School, tmp_path: Path) -> School:
    """Text and models in a folder of the test's own."""
    return first_school.copy(tmp_path / "school")
