"""The batches of a run and the loss that is computed from them, padded or packed."""

from typing import Protocol

from lexalign.data.batching import BatchIterator, BatchOptions, BatchPlan, PlannedBatch
from lexalign.data.collate import TensorBatch, collate
from lexalign.data.packing import PackedPlan, collate_packed
from lexalign.data.store import TokenStore
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer
from lexalign.training.loss import TrainingLoss, TranslationLoss
from lexalign.training.options import TrainingOptions
from lexalign.training.packed_loss import PackedTranslationLoss

_CHUNK_ROWS = 4_608  # of logits, 92 MB at a vocabulary of 10,000


class BatchSource(Protocol):
    @property
    def plan(self) -> BatchIterator:
        """Which pairs come together, and when."""

    def collate(self, batch: PlannedBatch, config: ModelConfig) -> TensorBatch:
        """The tensors of a batch of the plan."""

    def loss(self, model: Transformer) -> TrainingLoss:
        """What is to be minimised."""


class PaddedBatches:
    """Sentences of like length, padded to the longest; some shapes."""

    def __init__(self, store: TokenStore, options: TrainingOptions) -> None:
        batch_options = BatchOptions(max_tokens=options.batch_tokens, seed=options.seed)
        self.plan = BatchPlan(store.source_lengths, store.target_lengths, batch_options)
        self._store, self._options = store, options

    def collate(self, batch: PlannedBatch, config: ModelConfig) -> TensorBatch:
        return collate(
            self._store,
            batch,
            pad_id=config.pad_id,
            eos_id=config.eos_id,
            target_prefix_id=config.target_prefix[-1],
        )

    def loss(self, model: Transformer) -> TrainingLoss:
        return TranslationLoss(model, self._options.label_smoothing)


class PackedBatches:
    """Sentences of all lengths without padding; one shape."""

    def __init__(self, store: TokenStore, options: TrainingOptions) -> None:
        self.plan = PackedPlan(
            store.source_lengths, store.target_lengths, max_tokens=options.batch_tokens, seed=options.seed
        )
        self._store, self._options = store, options

    def collate(self, batch: PlannedBatch, config: ModelConfig) -> TensorBatch:
        return collate_packed(
            self._store,
            batch,
            self.plan,
            pad_id=config.pad_id,
            eos_id=config.eos_id,
            target_prefix_id=config.target_prefix[-1],
        )

    def loss(self, model: Transformer) -> TrainingLoss:
        return PackedTranslationLoss(
            model,
            self._options.label_smoothing,
            longest=self.plan.longest,
            kernel="triton",
            chunk_rows=_CHUNK_ROWS,
            byte_dropout=True,
            fused_norm=True,
        )
