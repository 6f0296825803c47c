"""What a run refuses, and what it holds to while it learns."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from lexalign.contracts.errors import LexalignError
from lexalign.interop.hub_export import export_huggingface
from lexalign.models.folder import load_model
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions
from lexalign.training.run import train_model
from lexalign.training.step import Step
from tests.training.small_runs import Corpus, log_of, recipe, train, weights_of


@pytest.fixture(scope="module")
def begun(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(corpus, tmp_path_factory.mktemp("begun"), updates=2)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 2},
        {"batch_tokens": 301},
        {"accumulate": 2},
        {"learning_rate": 0.004},
        {"label_smoothing": 0.2},
        {"width": 64},
        {"dropout": 0.1},
    ],
    ids=str,
)
def test_another_run_in_the_same_folder_is_refused(
    corpus: Corpus, begun: Path, change: dict[str, Any]
) -> None:
    before = log_of(begun)
    with pytest.raises(LexalignError, match="other options, models or data; use another folder"):
        train(corpus, begun, **{"updates": 4, **change})
    assert log_of(begun) == before


def test_other_data_in_the_same_folder_is_refused(corpus: Corpus, begun: Path) -> None:
    with pytest.raises(LexalignError, match="other options, models or data; use another folder"):
        train_model([corpus.valid], corpus.valid, begun, recipe(), device="cpu")
    train(corpus, begun, updates=2)  # which is as whole as before


def test_another_vocabulary_in_the_same_folder_is_refused(
    corpus: Corpus, begun: Path, tmp_path: Path
) -> None:
    """And does not take the place of the run's own."""
    other = tmp_path / "other.model"
    sentences = [source for source, _ in corpus.valid.read()]
    Tokenizer.train(sentences, TokenizerOptions(vocabulary_size=320), other)
    with pytest.raises(LexalignError, match=r"is not the vocabulary .*other\.model; use another folder"):
        train_model([corpus.train], corpus.valid, begun, recipe(), device="cpu", tokenizer=other)
    assert (begun / "tokenizer.model").read_bytes() == corpus.tokenizer.read_bytes()


@pytest.mark.parametrize(
    "change",
    [{"updates": 3}, {"log_every": 1}, {"save_every": 1}, {"average": 1}, {"validate_bleu": True}],
    ids=str,
)
def test_options_that_teach_nothing_else_may_change(
    corpus: Corpus, tmp_path: Path, change: dict[str, Any]
) -> None:
    train(corpus, tmp_path, updates=2)
    train(corpus, tmp_path, **{"updates": 3, **change})
    assert log_of(tmp_path)[-1]["update"] == 3


def test_validation_is_within_the_models_positions(corpus: Corpus, tmp_path: Path) -> None:
    """An untrained model says no end of sentence, and twice the source is over the 128 there are."""
    train(corpus, tmp_path, updates=1, validate_bleu=True)
    assert 0 <= log_of(tmp_path)[-1]["bleu"] <= 100


@pytest.mark.parametrize("tied", [True, False])
def test_the_row_of_the_padding_stays_zero(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tied: bool
) -> None:
    """With weight decay and a tied output, whose gradient reaches every row; export insists on it."""
    rows: list[torch.Tensor] = []
    plain = Step.run

    def watched(step: Step, *given: Any) -> None:
        plain(step, *given)
        rows.extend(group["params"][0][0].detach().clone() for group in step.optimizer.param_groups)

    monkeypatch.setattr(Step, "run", watched)
    train(corpus, tmp_path / "run", updates=12, tied_output=tied, weight_decay=0.1)
    assert len(rows) == 12
    assert not torch.stack(rows).any()
    tables = [value for name, value in weights_of(tmp_path / "run").items() if name.endswith("tokens.weight")]
    assert len(tables) == 1
    assert not tables[0][0].any()
    assert bool(tables[0][4:].any(dim=1).all())
    export_huggingface(*load_model(tmp_path / "run" / "model"), tmp_path / "marian", "de", "en")


@pytest.mark.parametrize(
    "intervals",
    [
        {"log_every": 2, "validate_every": 100, "save_every": 100},
        {"log_every": 100, "validate_every": 100, "save_every": 2},
        {"log_every": 100, "validate_every": 2, "save_every": 100, "validate_bleu": True},
    ],
    ids=["at a log", "at a save", "at a validation"],
)
def test_a_loss_that_is_no_number_ends_the_run(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, intervals: dict[str, Any]
) -> None:
    """Whatever comes first notices it, and nothing of it is saved."""
    plain = Step.run

    def poisoned(step: Step, *given: Any) -> None:
        with torch.no_grad():
            step.optimizer.param_groups[0]["params"][0][7] = float("nan")
        plain(step, *given)

    monkeypatch.setattr(Step, "run", poisoned)
    with pytest.raises(LexalignError, match=r"loss is nan.*; lower the learning rate"):
        train(corpus, tmp_path, **intervals)
    assert not list((tmp_path / "checkpoints").iterdir())
    assert not (tmp_path / "model").exists()


def test_too_high_a_rate_ends_the_run(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match=r"loss is (nan|inf).*; lower the learning rate"):
        train(corpus, tmp_path, learning_rate=1e30, warmup=0, clip_norm=0.0)


def test_sentences_longer_than_the_model_are_left_out(corpus: Corpus, tmp_path: Path) -> None:
    """Of training and of validation, also where a batch's padding would be too long."""
    short = train(corpus, tmp_path / "run", updates=3, max_positions=40)
    assert log_of(short)[-1]["update"] == 3


def test_a_wrong_model_is_refused_before_anything_is_made(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match="sideways"):
        train(corpus, tmp_path / "run", norm="sideways")
    assert not (tmp_path / "run").exists()


def test_a_run_may_start_from_a_model(corpus: Corpus, begun: Path, tmp_path: Path) -> None:
    """With its vocabulary and shape, and another dropout."""
    plain = replace(recipe(updates=1, learning_rate=1e-9, log_every=1), model={"dropout": 0.0})
    train_model([corpus.train], corpus.valid, tmp_path / "run", plain, device="cpu", start=begun / "model")
    started = weights_of(tmp_path / "run")
    for name, weight in weights_of(begun).items():
        torch.testing.assert_close(started[name], weight, atol=1e-6, rtol=0)


def test_a_start_of_another_shape_or_vocabulary_is_refused(
    corpus: Corpus, begun: Path, tmp_path: Path
) -> None:
    wider = replace(recipe(), model={"width": 64})
    with pytest.raises(
        LexalignError, match="has width = 32; the recipe says 64, and only dropout may change"
    ):
        train_model([corpus.train], corpus.valid, tmp_path, wider, device="cpu", start=begun / "model")
    with pytest.raises(LexalignError, match="takes its vocabulary; leave out --tokenizer"):
        train_model(
            [corpus.train],
            corpus.valid,
            tmp_path,
            recipe(),
            device="cpu",
            start=begun / "model",
            tokenizer=begun / "tokenizer.model",
        )


def test_another_start_in_the_same_folder_is_refused(corpus: Corpus, begun: Path) -> None:
    with pytest.raises(LexalignError, match="other options, models or data; use another folder"):
        train_model([corpus.train], corpus.valid, begun, recipe(), device="cpu", start=begun / "model")


def test_a_run_ends_when_its_minutes_are_over(corpus: Corpus, tmp_path: Path) -> None:
    """With a log, a validation and a model of its last update, and goes on when given more of them."""
    train(corpus, tmp_path, updates=10**6, minutes=0.01, cooldown=0.5)
    log = log_of(tmp_path)
    last = log[-1]["update"]
    assert 0 < last < 10**5
    assert [entry["kind"] for entry in log[-2:]] == ["train", "valid"]
    assert log[-2]["update"] == last
    assert (tmp_path / "checkpoints" / f"model-{last}.safetensors").exists()
    rates = [entry["learning_rate"] for entry in log if entry["kind"] == "train"]
    assert rates[-1] < 0.2 * max(rates)
    train(corpus, tmp_path, updates=10**6, minutes=0.01, cooldown=0.5)  # which is done already
    assert log_of(tmp_path)[-1]["update"] == last
    train(corpus, tmp_path, updates=10**6, minutes=0.02)
    assert log_of(tmp_path)[-1]["update"] > last
