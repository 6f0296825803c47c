"""What frozen models compute of sentence pairs, once for labels and heads together."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from lexalign.alignment.forced import force_layers
from lexalign.contracts.alignment import ForcedTarget
from lexalign.data.batching import PlannedBatch
from lexalign.data.collate import TokenBatch, collate
from lexalign.data.store import TokenStore
from lexalign.models.transformer import Transformer

Views = dict[int, ForcedTarget]  # by layer


class OnLayer(Protocol):
    """An aligner or a head that reads one decoder layer."""

    @property
    def layer(self) -> int: ...


@dataclass(frozen=True)
class ObservedLayers:
    """The decoder layers of both models that someone reads."""

    forward: frozenset[int] = frozenset()
    backward: frozenset[int] = frozenset()

    @classmethod
    def of(cls, forward: Iterable[OnLayer], backward: Iterable[OnLayer]) -> "ObservedLayers":
        return cls(frozenset(one.layer for one in forward), frozenset(one.layer for one in backward))

    def __or__(self, other: "ObservedLayers") -> "ObservedLayers":
        return ObservedLayers(self.forward | other.forward, self.backward | other.backward)


@dataclass(frozen=True, kw_only=True, eq=False)
class PairBatch:
    """Sentence pairs as each model sees them; the backward model reads the target and writes the source."""

    rows: Sequence[int]  # of the token store
    forward: Views
    backward: Views


@dataclass(frozen=True, eq=False)
class FrozenModels:
    """One model, or the models of both directions, which stay as they are."""

    forward: Transformer
    backward: Transformer | None = None

    @property
    def all(self) -> list[Transformer]:
        return [self.forward] if self.backward is None else [self.forward, self.backward]

    @property
    def device(self) -> torch.device:
        return self.forward.device

    def read(
        self, store: TokenStore, batches: Iterable[PlannedBatch]
    ) -> Iterator[tuple[PlannedBatch, TokenBatch]]:
        """Batches on the models' device."""
        config, device = self.forward.config, self.device
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

    @torch.no_grad()
    def observe(self, batch: PlannedBatch, tokens: TokenBatch, layers: ObservedLayers) -> PairBatch:
        source_ids, target_ids = tokens.source_ids, tokens.target_output_ids
        return PairBatch(
            rows=batch.rows.tolist(),
            forward=_observe(self.forward, source_ids, target_ids, layers.forward),
            backward=_observe(self.backward, target_ids, source_ids, layers.backward),
        )


def _observe(
    model: Transformer | None, source_ids: Tensor, target_ids: Tensor, layers: frozenset[int]
) -> Views:
    if model is None or not layers:
        return {}
    return force_layers(model, source_ids, target_ids, sorted(layers))
