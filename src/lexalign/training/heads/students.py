"""A head that learns, with the layer of the model that it looks at."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.learned import HEADS, AlignmentHead, alignment_loss
from lexalign.contracts.alignment import ForcedTarget
from lexalign.contracts.errors import LexalignError
from lexalign.models.transformer import Transformer
from lexalign.training.heads.options import HeadOptions
from lexalign.training.heads.saved_heads import SavedHead
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

    def loss(self, views: Views, labels: Tensor) -> tuple[Tensor, Tensor]:
        """The sum over the target tokens with a label (B, T, S), and how many they are."""
        view = views[self.layer]
        return alignment_loss(self.log_probabilities(view), of_content(labels, view))

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


def of_content(labels: Tensor, view: ForcedTarget) -> Tensor:
    """Labels (B, T, S) without the row of the target's end, which says what source tokens come to nothing."""
    return labels * view.target_content[:, :, None]


def enrol(model: Transformer, options: HeadOptions, saved: Mapping[str, SavedHead]) -> dict[str, Student]:
    """New students of a model by their kinds; those of which there is a saved head go on from it."""
    students: dict[str, Student] = {}
    for kind in options.kinds:
        known = saved.get(kind)
        heads, layer = options.heads or model.config.decoder_heads, head_layer(model, options)
        if known is not None:
            heads = options.heads or known.head.heads
            layer = known.settings.layer if options.layer is None else options.layer
        students[kind] = Student(model, kind, layer, heads)
        if known is not None and (heads, layer) == (known.head.heads, known.settings.layer):
            students[kind].head.load_state_dict(known.head.state_dict())
    return students


def head_layer(model: Transformer, options: HeadOptions) -> int:
    return max(model.decoder_layers - 2, 0) if options.layer is None else options.layer


def check_shape(model: Transformer, options: HeadOptions, label_layer: int = 0, label_head: int = 0) -> None:
    """Before any work: can heads of these options be put beside the model, and labels come from there?"""
    for layer in (head_layer(model, options), label_layer):
        if not 0 <= layer < model.decoder_layers:
            raise LexalignError(
                f"there is no decoder layer {layer + 1}; the model has {model.decoder_layers}"
            )
    if not 0 <= label_head < model.config.decoder_heads:
        raise LexalignError(
            f"there is no attention head {label_head + 1}; the decoder has {model.config.decoder_heads}"
        )
    heads = options.heads or model.config.decoder_heads
    if model.config.width % heads:
        raise LexalignError(f"a model of width {model.config.width} cannot have {heads} alignment heads")
