"""What frozen models see of sentence pairs, computed once for labels and heads together."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.alignment.forced import force_layers
from lexalign.contracts.alignment import ForcedTarget
from lexalign.data.batching import PlannedBatch
from lexalign.data.collate import TokenBatch, collate
from lexalign.data.store import TokenStore
from lexalign.models.transformer import Transformer

Views = dict[int, ForcedTarget]  # by layer


@dataclass(frozen=True, kw_only=True, eq=False)
class PairBatch:
    """Sentence pairs as each model sees them; the backward model reads the target and writes the source."""

    rows: Sequence[int]  # of the token store
    forward: Views
    backward: Views


class Onlookers:
    """One or two frozen models, and the layers of them that are looked at."""

    def __init__(self, forward: Transformer, backward: Transformer | None) -> None:
        self.forward, self.backward = forward, backward
        self.forward_layers: set[int] = set()
        self.backward_layers: set[int] = set()

    @property
    def models(self) -> list[Transformer]:
        return [self.forward] if self.backward is None else [self.forward, self.backward]

    @torch.no_grad()
    def look(self, batch: TokenBatch, rows: Sequence[int]) -> PairBatch:
        source_ids, target_ids = batch.source_ids, batch.target_output_ids
        return PairBatch(
            rows=rows,
            forward=_look(self.forward, source_ids, target_ids, self.forward_layers),
            backward=_look(self.backward, target_ids, source_ids, self.backward_layers),
        )

    def read(
        self, store: TokenStore, batches: Iterable[PlannedBatch]
    ) -> Iterator[tuple[PlannedBatch, TokenBatch]]:
        """Batches on the models' device."""
        config, device = self.forward.config, self.forward.device
        for batch in batches:
            tokens = collate(
                store,
                batch,
                pad_id=config.pad_id,
                eos_id=config.eos_id,
                target_prefix_id=config.target_prefix[-1],
            )
            if device.type != "cpu":
                tokens = tokens.pin_memory().to(device, non_blocking=True)
            yield batch, tokens


def _look(model: Transformer | None, source_ids: Tensor, target_ids: Tensor, layers: set[int]) -> Views:
    if model is None or not layers:
        return {}
    return force_layers(model, source_ids, target_ids, sorted(layers))
