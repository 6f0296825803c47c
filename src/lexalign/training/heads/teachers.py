"""Who labels a batch: two aligners that check each other, or links found before."""

from dataclasses import dataclass, field
from typing import Protocol

from torch import Tensor

from lexalign.alignment.link_table import LinkTable
from lexalign.alignment.links import LinkOptions, best_links
from lexalign.alignment.symmetrization import Method, symmetrize
from lexalign.contracts.alignment import Aligner, ForcedTarget
from lexalign.training.heads.views import PairBatch, Views


class Teacher(Protocol):
    @property
    def forward_layers(self) -> set[int]:
        """The layers of the forward model that it must see."""

    @property
    def backward_layers(self) -> set[int]: ...

    def label(self, batch: PairBatch) -> Tensor:
        """Links (B, T, S)."""


@dataclass(frozen=True, kw_only=True)
class MutualTeacher:
    """The symmetrised links of an aligner for each direction."""

    forward: Aligner
    backward: Aligner
    method: Method
    links: LinkOptions = field(default_factory=LinkOptions)

    @property
    def forward_layers(self) -> set[int]:
        return {self.forward.layer}

    @property
    def backward_layers(self) -> set[int]:
        return {self.backward.layer}

    def label(self, batch: PairBatch) -> Tensor:
        ahead = links_of(self.forward, batch.forward, self.links)  # (B, T, S)
        back = links_of(self.backward, batch.backward, self.links)  # (B, S, T)
        return symmetrize(ahead, back.transpose(1, 2), self.method)


@dataclass(frozen=True, kw_only=True)
class TableTeacher:
    """Links of the whole corpus, by the rows of its token store."""

    table: LinkTable

    @property
    def forward_layers(self) -> set[int]:
        return set()

    @property
    def backward_layers(self) -> set[int]:
        return set()

    def label(self, batch: PairBatch) -> Tensor:
        view = _any_view(batch)
        num_targets, num_sources = view.token_ids.shape[1], view.source_ids.shape[1]
        content = view.target_content[:, :, None] & view.source_content[:, None]
        if not batch.forward:
            num_targets, num_sources, content = num_sources, num_targets, content.transpose(1, 2)
        # Statistics also align language codes, which are no words.
        return self.table.matrices(batch.rows, num_targets, num_sources).to(content.device) & content


def links_of(aligner: Aligner, views: Views, options: LinkOptions) -> Tensor:
    """(B, T, S)"""
    view = views[aligner.layer]
    return best_links(aligner.align(view), view.source_content, view.target_content, options)


def _any_view(batch: PairBatch) -> ForcedTarget:
    return next(iter((batch.forward or batch.backward).values()))
