"""On words whose origin is known, PostAln finds it, and NaiveATT cannot."""

from pathlib import Path

import pytest
import torch

from lexalign.metrics.aer import score_alignments
from lexalign.training.heads.options import HeadOptions
from lexalign.training.heads.run import train_aligner
from lexalign.training.run import train_model
from lexalign.translator.options import OnlineMethod
from lexalign.translator.word_aligner import WordAligner, read_words
from tests.training import permuted_copy
from tests.training.permuted_copy import Pair

NUM_IDEAS = 6
UPDATES = 200
HELD_OUT = permuted_copy.pairs(200, seed=100, num_ideas=NUM_IDEAS)
OPTIONS = HeadOptions(
    kinds=("post-aln", "prior-att"),
    updates=60,
    batch_tokens=600,
    learning_rate=5e-3,
    warmup=10,
    rounds=2,
)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return train(tmp_path_factory.mktemp("permuted"), seed=1)


def train(folder: Path, seed: int) -> tuple[Path, Path]:
    """Models of both directions with heads, trained on ShiftATT's labels and then on their own."""
    torch.set_num_threads(1)
    train, valid = (
        permuted_copy.pairs(count, seed=number, num_ideas=NUM_IDEAS)
        for count, number in ((4000, seed), (200, 101))
    )
    texts = permuted_copy.write(folder / "train.tsv", train), permuted_copy.write(folder / "valid.tsv", valid)
    turned = (
        permuted_copy.write(folder / "turned-train.tsv", train, turned=True),
        permuted_copy.write(folder / "turned-valid.tsv", valid, turned=True),
    )
    recipe = permuted_copy.small_recipe(UPDATES, seed, NUM_IDEAS)
    forward = train_model([texts[0]], texts[1], folder / "forward", recipe, device="cpu")
    vocabulary = folder / "forward" / "tokenizer.model"
    backward = train_model(
        [turned[0]], turned[1], folder / "backward", recipe, device="cpu", tokenizer=vocabulary
    )
    train_aligner(forward, backward, [texts[0]], texts[1], folder / "heads", OPTIONS, device="cpu")
    return forward, backward


def aer(model: Path, method: OnlineMethod, some: list[Pair] = HELD_OUT) -> float:
    aligner = WordAligner.load(model, method, device="cpu")
    found = aligner.align([(read_words(pair.source), read_words(pair.target)) for pair in some])
    return score_alignments([pair.links for pair in some], [pair.words.links for pair in found]).aer


def test_post_aln_knows_what_attention_before_the_word_cannot(models: tuple[Path, Path]) -> None:
    methods: tuple[OnlineMethod, ...] = "post-aln", "prior-att", "naive-att"
    found = {method: aer(models[0], method) for method in methods}
    assert found["post-aln"] < 0.01, found
    assert min(found["naive-att"], found["prior-att"]) > 0.2, found
