"""A head that learns, with the layer of the model that it looks at."""

import torch
from torch import Tensor, nn

from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.learned import HEADS, AlignmentHead, alignment_loss
from lexalign.contracts.alignment import ForcedTarget
from lexalign.models.transformer import Transformer
from lexalign.training.heads.views import Views


class Student(nn.Module):
    """A head of a kind on one layer of a frozen model."""

    head: AlignmentHead

    def __init__(self, model: Transformer, kind: str, layer: int, heads: int) -> None:
        super().__init__()
        config = model.config
        self.head = HEADS[kind](config.width, heads or config.decoder_heads).to(model.device)
        self.layer = layer
        self._embedding = model.target_embedding

    def loss(self, views: Views, labels: Tensor) -> Tensor:
        """The mean over the target tokens with a label (B, T, S)."""
        total, rows = alignment_loss(self.log_probabilities(views[self.layer]), labels)
        return total / rows.clamp(min=1)

    def log_probabilities(self, view: ForcedTarget) -> Tensor:
        """(B, T, S)"""
        num_tokens, delay = view.token_ids.shape[1], self.head.delay
        states = view.query[:, delay : delay + num_tokens]
        vectors = self._embedding[view.token_ids]
        found: Tensor = self.head(states, vectors, self.head.keys(view.source.states), view.source.mask)
        return found

    @torch.no_grad()
    def aligner(self, temperature: float = 1.0) -> LearnedAligner:
        return LearnedAligner(self.head, self._embedding, layer=self.layer, temperature=temperature)
