"""One update: accumulated, clipped, compiled, and of the right kind for where it runs."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from lexalign.data.batching import BatchOptions, BatchPlan, PlannedBatch
from lexalign.data.collate import TokenBatch, collate
from lexalign.data.store import TokenStore
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer
from lexalign.training.loss import TranslationLoss
from lexalign.training.options import TrainingOptions
from lexalign.training.ranks import Ranks
from lexalign.training.step import RecordedStep, Step, make_step
from tests.training.small_runs import MODEL, Corpus, log_of, train

SIZE = 340


@pytest.fixture(scope="module")
def store(undisturbed: Path) -> TokenStore:
    return TokenStore(undisturbed / "data" / "train")


def criterion(**changes: Any) -> TranslationLoss:
    torch.manual_seed(1)
    config = ModelConfig(**{**MODEL, "dropout": 0.0, "vocabulary_size": SIZE, **changes})
    return TranslationLoss(Transformer(config).train(), 0.1)


def batch_of(store: TokenStore, rows: Sequence[int], lengths: tuple[int, int] = (0, 0)) -> TokenBatch:
    """These pairs, padded at least to these lengths."""
    plan = BatchPlan(
        store.source_lengths[list(rows)], store.target_lengths[list(rows)], BatchOptions(max_tokens=100_000)
    )
    (shape,) = plan.epoch(0)
    batch = PlannedBatch(
        rows=torch.tensor(rows).numpy(),
        source_length=max(shape.source_length, lengths[0]),
        target_length=max(shape.target_length, lengths[1]),
        target_tokens=shape.target_tokens,
    )
    return collate(store, batch, pad_id=0, eos_id=1, target_prefix_id=0)


def weights(step_criterion: TranslationLoss) -> torch.Tensor:
    return torch.cat([value.detach().flatten() for value in step_criterion.parameters()])


def learn(batches: list[TokenBatch], **changes: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Weights and summed losses after one update."""
    loss = criterion()
    step = Step(loss, TrainingOptions(**changes), Ranks())
    step.run(batches, list(range(len(batches))), sum(batch.target_tokens for batch in batches), 1.0)
    return weights(loss), step.losses.clone()


@pytest.fixture
def descent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shows gradients as they are, where Adam's first step shows little more than their signs."""

    def plain(parameters: Any, lr: torch.Tensor, **_: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(parameters, lr=lr)

    monkeypatch.setattr(torch.optim, "AdamW", plain)


@pytest.mark.usefixtures("descent")
def test_gradients_of_parts_add_up_to_those_of_the_whole(store: TokenStore) -> None:
    """Parts of different sizes: tokens count the same whichever part they are in."""
    rows = list(range(24))
    whole = learn([batch_of(store, rows)], clip_norm=0.0)
    parts = learn([batch_of(store, rows[:4]), batch_of(store, rows[4:])], clip_norm=0.0)
    before = weights(criterion())
    assert float((whole[0] - before).norm()) > 0.1
    torch.testing.assert_close(parts[0] - before, whole[0] - before, rtol=1e-3, atol=1e-6)
    torch.testing.assert_close(parts[1], whole[1], rtol=1e-6, atol=0)


@pytest.mark.usefixtures("descent")
def test_gradients_do_not_see_padding(store: TokenStore) -> None:
    rows = list(range(8))
    before = weights(criterion())
    tight, loose = (learn([batch_of(store, rows, lengths)]) for lengths in ((0, 0), (96, 104)))
    torch.testing.assert_close(loose[0] - before, tight[0] - before, rtol=1e-3, atol=1e-6)
    torch.testing.assert_close(loose[1], tight[1], rtol=1e-6, atol=0)


@pytest.mark.usefixtures("descent")
def test_gradients_are_clipped_to_their_norm(store: TokenStore) -> None:
    before = weights(criterion())
    for norm in (0.5, 0.01):
        after, _ = learn([batch_of(store, range(8))], clip_norm=norm)
        assert float((after - before).norm()) == pytest.approx(norm, rel=1e-3)


def test_losses_add_up_until_they_are_taken(store: TokenStore) -> None:
    batch = batch_of(store, range(8))
    loss = criterion()
    with torch.no_grad():
        expected = torch.stack(loss(batch.source_ids, batch.target_input_ids, batch.target_output_ids))
    step = Step(loss, TrainingOptions(), Ranks())
    for _ in range(2):
        step.run([batch], [1], batch.target_tokens, 0.0)
    torch.testing.assert_close(step.losses, 2 * expected.double(), rtol=1e-6, atol=0)


def test_dropout_depends_on_the_seed_of_the_batch_alone(store: TokenStore) -> None:
    def losses(seed: int) -> list[float]:
        step = Step(criterion(dropout=0.3), TrainingOptions(), Ranks())
        torch.rand(int(torch.randint(1, 9, ())))  # chance from elsewhere
        step.run([batch_of(store, range(8))], [seed], 100, 0.0)
        found: list[float] = step.losses.tolist()
        return found

    assert losses(1) == losses(1)
    assert losses(1) != losses(2)


@pytest.mark.parametrize("accumulate", [1, 2])
def test_a_cpu_gets_the_plain_step(accumulate: int) -> None:
    assert type(make_step(criterion(), TrainingOptions(accumulate=accumulate), Ranks())) is Step


@pytest.mark.parametrize(("accumulate", "world", "kind"), [(1, 1, RecordedStep), (2, 1, Step), (1, 2, Step)])
def test_a_gpu_records_where_an_update_is_one_batch(
    monkeypatch: pytest.MonkeyPatch, accumulate: int, world: int, kind: type[Step]
) -> None:
    """Without a GPU only the choice can be seen."""
    chosen = []
    for step in (Step, RecordedStep):
        monkeypatch.setattr(step, "__init__", lambda self, *_: chosen.append(type(self)))
    monkeypatch.setattr(Transformer, "device", torch.device("cuda"))
    make_step(criterion(), TrainingOptions(accumulate=accumulate), Ranks(world=world))
    assert chosen == [kind]


def test_a_cloned_batch_takes_over_another(store: TokenStore) -> None:
    """As a recorded update does, whose tensors stay where they are."""
    first, second = batch_of(store, range(8), (96, 96)), batch_of(store, range(8, 16), (96, 96))
    static = first.clone()
    places = static.source_ids, static.target_input_ids, static.target_output_ids
    static.copy_(second)
    for place, name in zip(places, ("source_ids", "target_input_ids", "target_output_ids"), strict=True):
        assert getattr(static, name) is place
        assert torch.equal(place, getattr(second, name))
        assert not torch.equal(place, getattr(first, name))


def test_a_batch_of_another_shape_is_not_taken_over(store: TokenStore) -> None:
    with pytest.raises(RuntimeError, match="must match"):
        batch_of(store, range(8), (96, 96)).copy_(batch_of(store, range(7), (96, 96)))


@pytest.mark.skipif("LEXALIGN_SLOW_TESTS" not in os.environ, reason="takes a minute; set LEXALIGN_SLOW_TESTS")
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
def test_a_compiled_run_has_the_losses_of_a_plain_one(corpus: Corpus, tmp_path: Path) -> None:
    """Without dropout, whose random numbers the compiler draws in another order; to one part in 10 000."""
    options: dict[str, Any] = {"updates": 8, "log_every": 1, "dropout": 0.0}
    plain = log_of(train(corpus, tmp_path / "plain", **options))
    compiled = log_of(train(corpus, tmp_path / "compiled", **options, compile=True))
    assert [entry["loss"] for entry in compiled] == pytest.approx(
        [entry["loss"] for entry in plain], rel=1e-4
    )
