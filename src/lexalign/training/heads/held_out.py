"""What held-out text says of layers and heads, without gold: how well the two directions agree with each
other, and heads with their labels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.alignment.attention import NaiveAttention, ShiftedAttention
from lexalign.alignment.calibration import Calibration, calibrate
from lexalign.alignment.layer_selection import ChosenAttention, LayerTable, LinkAgreement
from lexalign.contracts.alignment import Aligner
from lexalign.data.batching import BatchOptions, BatchPlan
from lexalign.data.store import TokenStore
from lexalign.training.heads.frozen_models import FrozenModels, ObservedLayers, PairBatch
from lexalign.training.heads.head_set import HeadSet, content_labels
from lexalign.training.heads.label_sources import LabelSource, best_links_of_words, linked_words, links_of
from lexalign.training.ranks import Ranks

Levels = tuple[float, float]  # of the forward and of the backward aligner
THRESHOLDS = (0.0, *(percent / 100 for percent in range(10, 100, 5)), 0.98)


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The loss of a head against labels, in nats for a labelled token, and its calibration."""

    loss: float
    calibration: Calibration


class HeldOut:
    """Held-out pairs as the models see them, shared among ranks; all come to the same results."""

    def __init__(
        self, models: FrozenModels, store: TokenStore, batch_tokens: int, ranks: Ranks | None = None
    ) -> None:
        self._models, self._store, self._ranks = models, store, ranks or Ranks()
        options = BatchOptions(max_tokens=batch_tokens)
        self._plan = BatchPlan(store.source_lengths, store.target_lengths, options).epoch(0)

    def choose_layers(self, final_ids: tuple[int, ...] = ()) -> dict[str, LayerTable]:
        """The agreement of both kinds of attention, for all pairs of layers, from one pass over the text.

        ShiftATT sets `final_ids`, the marks that end sentences, apart.
        """
        forward, backward = self._models.forward, self._models.backward
        assert backward is not None
        layers = range(forward.decoder_layers), range(backward.decoder_layers)
        shifted = [
            [ShiftedAttention(layer=layer, sentence_final_ids=final_ids) for layer in side] for side in layers
        ]
        naive = [[NaiveAttention(layer=layer) for layer in side] for side in layers]
        tables = self.agreements([(shifted[0], shifted[1]), (naive[0], naive[1])])
        return dict(zip(("shift-att", "naive-att"), tables, strict=True))

    def choose_heads(self, final_ids: tuple[int, ...] = ()) -> tuple[ChosenAttention, float]:
        """The single heads of both models whose ShiftATT agree best, and the AER between them."""
        places = [
            [
                (layer, head)
                for layer in range(model.decoder_layers)
                for head in range(model.config.decoder_heads)
            ]
            for model in self._models.all
        ]
        shifted = [
            [ShiftedAttention(layer=layer, head=head, sentence_final_ids=final_ids) for layer, head in side]
            for side in places
        ]
        (table,) = self.agreements([(shifted[0], shifted[1])])
        row, column = table.best
        (layer, head), (other_layer, other_head) = places[0][row], places[1][column]
        return ChosenAttention(layers=(layer, other_layer), heads=(head, other_head)), table.least

    @torch.no_grad()
    def agreements(self, teams: Sequence[tuple[Sequence[Aligner], Sequence[Aligner]]]) -> list[LayerTable]:
        """Of each team the AER of every forward aligner's links against every backward aligner's."""
        counts = [LinkAgreement(len(forward), len(backward)) for forward, backward in teams]
        layers = ObservedLayers.of(
            [one for forward, _ in teams for one in forward],
            [one for _, backward in teams for one in backward],
        )
        for batch in self.observe(layers):
            for count, (forward, backward) in zip(counts, teams, strict=True):
                ahead = torch.stack([links_of(aligner, batch.forward) for aligner in forward])
                back = torch.stack([links_of(aligner, batch.backward) for aligner in backward])
                count.add(ahead, back)
        for count in counts:
            count.pool(self._sum)
        return [count.table() for count in counts]

    @torch.no_grad()
    def choose_thresholds(
        self,
        forward: Sequence[Aligner],
        backward: Sequence[Aligner],
        source: LabelSource,
        continues_word: Tensor,
        levels: Sequence[float] = THRESHOLDS,
    ) -> tuple[list[float], list[float]]:
        """Below what probability each aligner should rather not link words, to be nearest to the labels."""
        sides = forward, backward
        counts = [[LinkAgreement(len(levels), 1) for _ in aligners] for aligners in sides]
        for batch in self.observe(ObservedLayers.of(forward, backward) | source.layers):
            labels = linked_words(source.label(batch), batch, continues_word)  # (B, T, S)
            both = (
                (batch.forward, labels.transpose(1, 2)),
                (batch.backward, labels),
            )  # as the other side has it
            for (views, wanted), aligners, counted in zip(both, sides, counts, strict=True):
                for aligner, count in zip(aligners, counted, strict=True):
                    found = best_links_of_words(aligner, views, continues_word)
                    count.add(_at_levels(found, levels), wanted[None])
        chosen = [[self._best_level(count, levels) for count in side] for side in counts]
        return chosen[0], chosen[1]

    @torch.no_grad()
    def agreements_above(
        self, teams: Sequence[tuple[Aligner, Aligner]], thresholds: Sequence[Levels], continues_word: Tensor
    ) -> list[float]:
        """Of each team the AER between both directions' links of words that are at least so probable."""
        counts = [LinkAgreement(1, 1) for _ in teams]
        layers = ObservedLayers.of((ahead for ahead, _ in teams), (back for _, back in teams))
        for batch in self.observe(layers):
            for count, (forward, backward), (ahead, back) in zip(counts, teams, thresholds, strict=True):
                count.add(
                    _at_levels(best_links_of_words(forward, batch.forward, continues_word), (ahead,)),
                    _at_levels(best_links_of_words(backward, batch.backward, continues_word), (back,)),
                )
        for count in counts:
            count.pool(self._sum)
        return [count.table().aer[0][0] for count in counts]

    @torch.no_grad()
    def evaluate(self, heads: HeadSet, source: LabelSource) -> tuple[list[Evaluation], list[Evaluation]]:
        """The heads of both directions against the labels of a source."""
        pieces: list[list[tuple[Tensor, Tensor]]] = [[] for _ in heads.all]
        num_forward = len(heads.forward)
        for batch in self.observe(heads.layers | source.layers):
            labels = source.label(batch)  # (B, T, S)
            for index, head in enumerate(heads.all):
                ahead = index < num_forward
                view = (batch.forward if ahead else batch.backward)[head.layer]
                wanted = labels if ahead else labels.transpose(1, 2)
                pieces[index].append(_labelled(head.log_probabilities(view), content_labels(wanted, view)))
        found = [_evaluate(self._ranks.gather(rows)) for rows in pieces]
        return found[:num_forward], found[num_forward:]

    def observe(self, layers: ObservedLayers) -> Iterator[PairBatch]:
        for batch, tokens in self._models.read(self._store, self._ranks.deal(self._plan)):
            yield self._models.observe(batch, tokens, layers)

    def _best_level(self, count: LinkAgreement, levels: Sequence[float]) -> float:
        count.pool(self._sum)
        return levels[count.table().best[0]]

    def _sum(self, counts: Tensor) -> Tensor:
        return self._ranks.sum(counts.to(self._models.device)).cpu()


def _at_levels(probable: Tensor, levels: Sequence[float]) -> Tensor:
    """Links (L, B, T, S) that are at least so probable (B, T, S)."""
    return torch.stack([(probable > 0) & (probable >= level) for level in levels])


def _labelled(log_probabilities: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """The rows (N, S) that have a label, on the host."""
    rows = labels.sum(dim=-1) > 0
    return log_probabilities.detach()[rows].cpu(), labels[rows].cpu()


def _evaluate(pieces: list[tuple[Tensor, Tensor]]) -> Evaluation:
    width = max((rows.shape[1] for rows, _ in pieces), default=0)
    rows = torch.cat([_widen(found, width, torch.finfo(torch.float32).min / 4) for found, _ in pieces])
    labels = torch.cat([_widen(found.float(), width, 0.0) for _, found in pieces])
    shares = labels / labels.sum(dim=-1, keepdim=True)
    loss = -torch.where(shares > 0, shares * rows, 0.0).sum() / max(len(rows), 1)
    return Evaluation(loss=float(loss), calibration=calibrate(rows, labels))


def _widen(rows: Tensor, width: int, value: float) -> Tensor:
    return torch.nn.functional.pad(rows, (0, width - rows.shape[1]), value=value)
