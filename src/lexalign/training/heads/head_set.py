"""The heads that a run trains beside each model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.head_files import HeadSettings
from lexalign.alignment.learned import HEADS, AlignmentHead, alignment_loss
from lexalign.contracts.alignment import ForcedTarget
from lexalign.contracts.errors import LexalignError
from lexalign.models.transformer import Transformer
from lexalign.training.heads.frozen_models import FrozenModels, ObservedLayers, Views
from lexalign.training.heads.options import HeadOptions


class TrainableHead(nn.Module):
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
        return alignment_loss(self.log_probabilities(view), content_labels(labels, view))

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


def content_labels(labels: Tensor, view: ForcedTarget) -> Tensor:
    """Labels (B, T, S) without the row of the target's end, which says what source tokens come to nothing."""
    return labels * view.target_content[:, :, None]


@dataclass(frozen=True, kw_only=True)
class HeadSet:
    """Heads of the forward and of the backward model, by their kinds.

    Where one model is both, so are its heads, and they learn from both directions.
    """

    forward: Mapping[str, TrainableHead]
    backward: Mapping[str, TrainableHead]

    @property
    def names(self) -> list[str]:
        return [f"forward {name}" for name in self.forward] + [f"backward {name}" for name in self.backward]

    @property
    def all(self) -> list[TrainableHead]:
        return [*self.forward.values(), *self.backward.values()]

    @property
    def layers(self) -> ObservedLayers:
        return ObservedLayers.of(self.forward.values(), self.backward.values())


@dataclass(frozen=True, kw_only=True)
class SavedHead:
    """A head that was trained before."""

    head: AlignmentHead
    settings: HeadSettings

    def aligner(self, model: Transformer) -> LearnedAligner:
        settings = self.settings
        return LearnedAligner(
            self.head, model.target_embedding, layer=settings.layer, temperature=settings.temperature
        )


SavedHeads = Sequence[Mapping[str, SavedHead]]  # of each model, by their kinds; empty: none are read


def create_head_set(models: FrozenModels, options: HeadOptions, saved: SavedHeads) -> HeadSet:
    torch.manual_seed(options.seed)
    forward = create_heads(models.forward, options, saved[0] if saved else {})
    if models.backward is None:
        return HeadSet(forward=forward, backward={})
    if models.backward is models.forward:
        return HeadSet(forward=forward, backward=forward)
    backward = create_heads(models.backward, options, saved[1] if saved else {})
    return HeadSet(forward=forward, backward=backward)


def create_heads(
    model: Transformer, options: HeadOptions, saved: Mapping[str, SavedHead]
) -> dict[str, TrainableHead]:
    """New heads of a model by their kinds; those of which there is a saved head start from its weights."""
    created: dict[str, TrainableHead] = {}
    for kind in options.kinds:
        known = saved.get(kind)
        heads, layer = options.heads or model.config.decoder_heads, head_layer(model, options)
        if known is not None:
            heads = options.heads or known.head.heads
            layer = known.settings.layer if options.layer is None else options.layer
        created[kind] = TrainableHead(model, kind, layer, heads)
        if known is not None and (heads, layer) == (known.head.heads, known.settings.layer):
            created[kind].head.load_state_dict(known.head.state_dict())
    return created


def head_layer(model: Transformer, options: HeadOptions) -> int:
    """The penultimate layer, but not the first of several: its state has not seen the source yet."""
    if options.layer is not None:
        return options.layer
    return max(model.decoder_layers - 2, min(1, model.decoder_layers - 1))


def check_shapes(models: FrozenModels, options: HeadOptions) -> None:
    """Before any work: can heads of these options be put beside the models, and labels come from there?"""
    label_layers, label_heads = options.label_layers or (0, 0), options.label_heads or (0, 0)
    for model, label_layer, label_head in zip(models.all, label_layers, label_heads, strict=False):
        for layer in (head_layer(model, options), label_layer):
            if not 0 <= layer < model.decoder_layers:
                raise LexalignError(
                    f"there is no decoder layer {layer + 1}; the model has {model.decoder_layers}"
                )
        decoder_heads, width = model.config.decoder_heads, model.config.width
        if not 0 <= label_head < decoder_heads:
            raise LexalignError(
                f"there is no attention head {label_head + 1}; the decoder has {decoder_heads}"
            )
        heads = options.heads or decoder_heads
        if width % heads:
            raise LexalignError(f"a model of width {width} cannot have {heads} alignment heads")
