"""Cross-entropy with label smoothing, summed over the target tokens of a batch."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn
from torch.fx.experimental import _config as shapes
from torch.nn import functional as F

from lexalign.models.transformer import Transformer


class TrainingLoss(nn.Module, ABC):
    """A model and its loss in one module, so that both are compiled and replicated together.

    Given the tensors of a batch, it returns the smoothed loss to minimise, and the plain negative
    log-likelihood; both are sums in nats.
    """

    model: Transformer

    @abstractmethod
    def compile_once(self) -> None:
        """Compile layer by layer, since layers of a kind share their code."""


class TranslationLoss(TrainingLoss):
    """Of padded batches."""

    def __init__(self, model: Transformer, label_smoothing: float) -> None:
        super().__init__()
        self.model = model
        self.cross_entropy = SmoothedCrossEntropy(model.config.pad_id, label_smoothing)

    def forward(
        self, source_ids: Tensor, target_input_ids: Tensor, target_output_ids: Tensor
    ) -> tuple[Tensor, Tensor]:
        losses: tuple[Tensor, Tensor] = self.cross_entropy(
            self.model(source_ids, target_input_ids), target_output_ids
        )
        return losses

    def compile_once(self) -> None:
        """For all shapes together; nothing is concluded from sizes that happen to be equal."""
        shapes.use_duck_shape = False
        for layer in (*self.model.encoder.layers, *self.model.decoder.layers):
            layer.compile(dynamic=True)
        self.cross_entropy.compile(dynamic=True)


class SmoothedCrossEntropy(nn.Module):
    def __init__(self, pad_id: int, smoothing: float) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.smoothing = smoothing

    def forward(self, logits: Tensor, target_ids: Tensor) -> tuple[Tensor, Tensor]:
        log_probabilities = F.log_softmax(logits.flatten(0, -2), dim=-1, dtype=torch.float32)  # (B·T, V)
        labels = target_ids.flatten()
        real = labels != self.pad_id
        nll = -log_probabilities.gather(1, labels[:, None])[:, 0] * real
        uniform = -log_probabilities.mean(dim=-1) * real
        smoothed = (1 - self.smoothing) * nll + self.smoothing * uniform
        return smoothed.sum(), nll.detach().sum()
