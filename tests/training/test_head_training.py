"""Heads and their trainer, one by one."""

from pathlib import Path
from typing import Any

import pytest
import torch

from lexalign.alignment.formats.link_table import LinkTable
from lexalign.alignment.head_files import HeadSettings
from lexalign.alignment.learned import HEADS, PosteriorHead
from lexalign.contracts.errors import LexalignError
from lexalign.data.batching import START
from lexalign.data.store import TokenStore
from lexalign.training.heads.frozen_models import FrozenModels, PairBatch
from lexalign.training.heads.head_set import HeadSet, SavedHead, TrainableHead, create_heads
from lexalign.training.heads.label_sources import TableLinks
from lexalign.training.heads.options import HeadOptions
from lexalign.training.heads.trainer import HeadTrainer, RoundFiles, learning_rate
from lexalign.training.ranks import Ranks
from tests.training.head_runs import ModelPair, files_of, head


@pytest.mark.parametrize("kind", HEADS)
def test_a_head_learns_what_its_aligner_says(
    frozen_models: FrozenModels, batch: PairBatch, kind: str
) -> None:
    head = TrainableHead(frozen_models.forward, kind, 1, 4)
    view = batch.forward[1]
    with torch.no_grad():
        learnt = head.log_probabilities(view).exp()
    torch.testing.assert_close(learnt, head.aligner().align(view))


def test_a_head_of_both_directions_learns_from_the_mean_over_all_its_tokens(
    frozen_models: FrozenModels, valid_store: TokenStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, options = frozen_models.forward, HeadOptions(updates=1, batch_tokens=200, log_every=1)
    models = FrozenModels(model, model)
    head = TrainableHead(model, "post-aln", 1, 4)
    source = TableLinks(table=LinkTable.from_sentences([[(0, 0), (1, 2)]] * 40))
    heads, files = HeadSet(forward={"post-aln": head}, backward={"post-aln": head}), RoundFiles(tmp_path, 1)
    trainer = HeadTrainer(models, heads, source, valid_store, options, files, ranks=Ranks(), signature="")
    learnt: list[torch.Tensor] = []
    monkeypatch.setattr(trainer._optimizer, "step", lambda: learnt.extend(_gradients(head)))
    trainer.run()

    batch = next(iter(trainer._plan.iterate_groups(START, 1)))[1][0]
    (_, tokens) = next(iter(models.read(valid_store, [batch])))
    views = models.observe(batch, tokens, heads.layers)
    labels = source.label(views)
    ahead, back = head.loss(views.forward, labels), head.loss(views.backward, labels.transpose(1, 2))
    head.zero_grad()
    ((ahead[0] + back[0]) / (ahead[1] + back[1])).backward()  # type: ignore[no-untyped-call]
    torch.testing.assert_close(learnt, _gradients(head))
    assert ahead[1] > 0
    assert back[1] > 0


def _gradients(head: TrainableHead) -> list[torch.Tensor]:
    return [weight.grad.clone() for weight in head.parameters() if weight.grad is not None]


def test_heads_start_from_saved_heads_of_their_shape(frozen_models: FrozenModels) -> None:
    model = frozen_models.forward
    saved = {"post-aln": SavedHead(head=PosteriorHead(16, 4), settings=HeadSettings(layer=1))}

    def starts_from_it(**changes: Any) -> bool:
        head = create_heads(model, HeadOptions(**changes), saved)["post-aln"]
        return torch.equal(head.head.key.weight, saved["post-aln"].head.key.weight)

    assert starts_from_it()
    assert starts_from_it(layer=1, heads=4)
    assert not starts_from_it(layer=0)
    assert not starts_from_it(heads=2)
    assert create_heads(model, HeadOptions(), saved)["post-aln"].layer == 1
    assert create_heads(model, HeadOptions(), {})["post-aln"].layer == 1


def test_the_learning_rate_rises_and_comes_to_rest() -> None:
    options = HeadOptions(updates=100, warmup=10, learning_rate=1.0)
    rates = [learning_rate(update, options) for update in range(1, 101)]
    assert rates[0] == 0.1
    assert max(rates) == rates[9]
    assert rates[-1] == pytest.approx(0.01)
    assert learning_rate(1, HeadOptions(updates=10, warmup=0, learning_rate=1.0)) == 1.0


def test_heads_taught_together_learn_what_they_learn_alone(models: ModelPair, tmp_path: Path) -> None:
    models.train(tmp_path / "alone", label_layers=(0, 0))
    alone = head(models.forward)
    models.train(tmp_path / "together", label_layers=(0, 0), kinds=("post-aln", "prior-att"))
    for name, value in head(models.forward).items():
        torch.testing.assert_close(value, alone[name])


def test_frozen_models_stay_as_they_are(models: ModelPair, tmp_path: Path) -> None:
    before = files_of(models.forward)
    models.train(tmp_path / "run")
    after = files_of(models.forward)
    assert {path: after[path] for path in before} == before


def test_a_loss_that_is_no_number_ends_the_run(models: ModelPair, tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match=r"not a number at update .*; lower the learning rate"):
        models.train(tmp_path / "run", learning_rate=1e38)
    assert not (models.forward / "post-aln.json").exists()
