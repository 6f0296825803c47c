"""What held-out text says of layers and heads, without gold: how well the two directions agree."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.alignment.attention import ShiftedAttention
from lexalign.alignment.calibration import Calibration, calibrate
from lexalign.alignment.layer_selection import LayerAgreement, LayerTable
from lexalign.alignment.links import LinkOptions
from lexalign.contracts.alignment import Aligner
from lexalign.data.batching import BatchOptions, BatchPlan
from lexalign.data.store import TokenStore
from lexalign.training.heads.students import Student
from lexalign.training.heads.teachers import Teacher, links_of
from lexalign.training.heads.views import Onlookers, PairBatch


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """Of one head: its loss against the teacher's labels, in nats for a labelled token, and its sureness."""

    loss: float
    calibration: Calibration


class HeldOut:
    """Held-out pairs as the models see them."""

    def __init__(self, onlookers: Onlookers, store: TokenStore, batch_tokens: int) -> None:
        self._onlookers, self._store = onlookers, store
        options = BatchOptions(max_tokens=batch_tokens)
        self._plan = BatchPlan(store.source_lengths, store.target_lengths, options).epoch(0)

    def choose_layers(self) -> LayerTable:
        """The agreement of ShiftATT for all pairs of layers."""
        forward, backward = self._onlookers.forward, self._onlookers.backward
        assert backward is not None
        layers = range(forward.decoder_layers), range(backward.decoder_layers)
        return self.agreement(*([ShiftedAttention(layer=layer) for layer in side] for side in layers))

    def agreement(self, forward: Sequence[Aligner], backward: Sequence[Aligner]) -> LayerTable:
        """The AER of every forward aligner's links against every backward aligner's."""
        counts = LayerAgreement(len(forward), len(backward))
        options = LinkOptions()
        for batch in self._look({one.layer for one in forward}, {one.layer for one in backward}):
            ahead = torch.stack([links_of(aligner, batch.forward, options) for aligner in forward])
            back = torch.stack([links_of(aligner, batch.backward, options) for aligner in backward])
            counts.add(ahead, back)
        return counts.table()

    def judge(
        self, forward: Sequence[Student], backward: Sequence[Student], teacher: Teacher
    ) -> tuple[list[Judgement], list[Judgement]]:
        """Of the students of both directions."""
        pieces: list[list[tuple[Tensor, Tensor]]] = [[] for _ in (*forward, *backward)]
        layers = [{student.layer for student in side} for side in (forward, backward)]
        for batch in self._look(layers[0] | teacher.forward_layers, layers[1] | teacher.backward_layers):
            labels = teacher.label(batch)
            for index, student in enumerate((*forward, *backward)):
                ahead = index < len(forward)
                views = batch.forward if ahead else batch.backward
                wanted = labels if ahead else labels.transpose(1, 2)
                pieces[index].append(_labelled(student.log_probabilities(views[student.layer]), wanted))
        judged = [_judge(rows) for rows in pieces]
        return judged[: len(forward)], judged[len(forward) :]

    @torch.no_grad()
    def _look(self, forward_layers: set[int], backward_layers: set[int]) -> "list[PairBatch]":
        onlookers = self._onlookers
        onlookers.forward_layers, onlookers.backward_layers = forward_layers, backward_layers
        return [
            onlookers.look(tokens, batch.rows.tolist())
            for batch, tokens in onlookers.read(self._store, self._plan)
        ]


def _labelled(log_probabilities: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """The rows (N, S) that have a label, on the host."""
    rows = labels.any(dim=-1)
    return log_probabilities.detach()[rows].cpu(), labels[rows].cpu()


def _judge(pieces: list[tuple[Tensor, Tensor]]) -> Judgement:
    width = max((rows.shape[1] for rows, _ in pieces), default=0)
    rows = torch.cat([_widen(found, width, torch.finfo(torch.float32).min / 4) for found, _ in pieces])
    labels = torch.cat([_widen(found.float(), width, 0.0) for _, found in pieces])
    shares = labels / labels.sum(dim=-1, keepdim=True)
    loss = -torch.where(shares > 0, shares * rows, 0.0).sum() / max(len(rows), 1)
    return Judgement(loss=float(loss), calibration=calibrate(rows, labels))


def _widen(rows: Tensor, width: int, value: float) -> Tensor:
    return torch.nn.functional.pad(rows, (0, width - rows.shape[1]), value=value)
