"""Packed batches have the loss and the gradients of padded ones."""

from pathlib import Path

import pytest
import torch

from lexalign.data.batching import PlannedBatch
from lexalign.data.collate import TensorBatch, collate
from lexalign.data.packing import PackedPlan, collate_packed
from lexalign.data.store import TokenStore
from lexalign.models.config import ModelConfig
from lexalign.models.layers import drop_by_bytes
from lexalign.models.transformer import Transformer
from lexalign.training.loss import TrainingLoss, TranslationLoss
from lexalign.training.packed_loss import PackedTranslationLoss
from tests.training.small_runs import MODEL, Corpus, log_of, train

LONGEST = 128


@pytest.fixture(scope="module")
def batches(undisturbed: Path) -> tuple[TensorBatch, TensorBatch]:
    """The same pairs, padded and packed."""
    store = TokenStore(undisturbed / "data" / "train")
    plan = PackedPlan(store.source_lengths, store.target_lengths, max_tokens=512, seed=1)
    batch = plan.epoch(0)[1]
    padded = PlannedBatch(
        rows=batch.rows, source_length=LONGEST, target_length=LONGEST, target_tokens=batch.target_tokens
    )
    ids = {"pad_id": 0, "eos_id": 1, "target_prefix_id": 0}
    return collate(store, padded, **ids), collate_packed(store, batch, plan, **ids)


def learnt(criterion: TrainingLoss, batch: TensorBatch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    criterion.zero_grad()
    loss, nll = criterion(**batch.tensors)
    (loss / batch.target_tokens).backward()
    return (
        loss,
        nll,
        torch.cat([value.grad.flatten() for value in criterion.parameters() if value.grad is not None]),
    )


@pytest.mark.parametrize("chunk_rows", [0, 100])
@pytest.mark.parametrize("changes", [{}, {"norm": "pre", "final_norm": True}, {"output_bias": True}], ids=str)
def test_losses_and_gradients_are_those_of_padded_batches(
    batches: tuple[TensorBatch, TensorBatch], changes: dict[str, object], chunk_rows: int
) -> None:
    torch.manual_seed(1)
    config = ModelConfig.from_dict({**MODEL, "dropout": 0.0, "vocabulary_size": 340, **changes})
    model = Transformer(config).train()
    padded, packed = batches
    expected = learnt(TranslationLoss(model, 0.1), padded)
    criterion = PackedTranslationLoss(model, 0.1, longest=LONGEST, chunk_rows=chunk_rows, byte_dropout=True)
    for found, wanted in zip(learnt(criterion, packed), expected, strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-6)


def test_byte_dropout_keeps_the_mean() -> None:
    torch.manual_seed(1)
    noise = torch.randint(0, 256, (1000, 1000), dtype=torch.uint8)
    dropped = drop_by_bytes(torch.ones(1000, 1000), 0.3, noise)
    assert float(dropped.mean()) == pytest.approx(1.0, abs=0.005)
    assert float((dropped == 0).float().mean()) == pytest.approx(77 / 256, abs=0.005)


def test_a_run_may_be_packed(corpus: Corpus, tmp_path: Path) -> None:
    """With dropout by bytes and the loss in chunks."""
    log = log_of(train(corpus, tmp_path / "run", packed=True, updates=20, log_every=20))
    plain = log_of(train(corpus, tmp_path / "plain", updates=20, log_every=20))
    assert log[0]["loss"] < 6.1
    assert log[0]["loss"] == pytest.approx(plain[0]["loss"], rel=0.1)
