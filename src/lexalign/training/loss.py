"""Cross-entropy with label smoothing, summed over the target tokens of a batch."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lexalign.models.transformer import Transformer


class TranslationLoss(nn.Module):
    """A model and its loss in one module, so that both are compiled and replicated together."""

    def __init__(self, model: Transformer, label_smoothing: float) -> None:
        super().__init__()
        self.model = model
        self.label_smoothing = label_smoothing

    def forward(
        self, source_ids: Tensor, target_input_ids: Tensor, target_output_ids: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The smoothed loss to minimise, and the plain negative log-likelihood; both sums in nats."""
        logits = self.model(source_ids, target_input_ids)
        log_probabilities = F.log_softmax(logits.flatten(0, 1), dim=-1, dtype=torch.float32)  # (B·T, V)
        labels = target_output_ids.flatten()
        real = labels != self.model.config.pad_id
        nll = -log_probabilities.gather(1, labels[:, None])[:, 0] * real
        uniform = -log_probabilities.mean(dim=-1) * real
        smoothed = (1 - self.label_smoothing) * nll + self.label_smoothing * uniform
        return smoothed.sum(), nll.detach().sum()
