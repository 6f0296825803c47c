"""Choice of the attention to align with, by one model alone: its own translations of a few sentences.

All layers are tried, by the mean over their heads and by every single head. The best are those whose links
are nearest to the links by leaving out (`leave_one_out`), which attention has no part in. A few sentences do
not tell apart what is nearly as near; among such, the one that is surest of its links is chosen, because a
mean over heads often owes its links to one of them, and is blurred by the others. With two models and
parallel text, `layer_selection` chooses by the agreement of both directions.
"""

from collections.abc import Sequence
from typing import get_args

import torch
from torch import Tensor

from lexalign.alignment.attention import NaiveAttention, ShiftedAttention
from lexalign.alignment.attention_files import AttentionMethod, AttentionPlace
from lexalign.alignment.forced import force_layers
from lexalign.alignment.layer_selection import LinkAgreement
from lexalign.alignment.leave_one_out import leave_one_out
from lexalign.alignment.links import best_links
from lexalign.contracts.alignment import Aligner, ForcedTarget
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.model import AlignableModel, State

IdPair = tuple[Sequence[int], Sequence[int]]  # a source and its translation, without their ends of sentence
_NEARLY = 0.02  # AER that a few sentences do not tell from the best


@torch.inference_mode()
def choose_attention(
    model: AlignableModel[State],
    pairs: Sequence[IdPair],
    device: torch.device,
    final_ids: tuple[int, ...] = (),
    source_final_ids: tuple[int, ...] | None = None,
) -> dict[AttentionMethod, AttentionPlace]:
    """The layer, or the head of a layer, by which each method aligns these translations best.

    ShiftATT sets `final_ids`, the marks that end sentences, apart.
    """
    found: dict[AttentionMethod, _Candidates] = {}
    for source_ids, target_ids in pairs:
        views = force_layers(
            model, *_batch(model, source_ids, target_ids, device), range(model.decoder_layers)
        )
        links = _links_by_leaving_out(model, source_ids, target_ids, views[0])
        for method in get_args(AttentionMethod):
            if method not in found:
                found[method] = _Candidates(method, _places(views), (final_ids, source_final_ids))
            found[method].compare(views, links)
    if not found:
        raise LexalignError("there is no translation to choose the attention by; choose it with --layer")
    return {method: candidates.best() for method, candidates in found.items()}


class _Candidates:
    """The places of a method, how near their links are to others, and how sure they are of them."""

    def __init__(
        self,
        method: AttentionMethod,
        places: Sequence[AttentionPlace],
        final_ids: tuple[tuple[int, ...], tuple[int, ...] | None],
    ) -> None:
        self._places = places
        self._aligners: list[Aligner] = [
            NaiveAttention(layer=layer, head=head)
            if method == "naive-att"
            else ShiftedAttention(
                layer=layer, head=head, sentence_final_ids=final_ids[0], source_final_ids=final_ids[1]
            )
            for layer, head in places
        ]
        self._agreement = LinkAgreement(len(places), 1)
        self._sureness = torch.zeros(len(places), dtype=torch.float64)

    def compare(self, views: dict[int, ForcedTarget], links: Tensor) -> None:
        """With the links (1, T, S) of one sentence."""
        tried = []
        for index, aligner in enumerate(self._aligners):
            view = views[aligner.layer]
            probabilities = aligner.align(view)
            own = best_links(probabilities, view.source_content, view.target_content)
            self._sureness[index] += float((probabilities * own).sum())
            tried.append(own)
        self._agreement.add(torch.stack(tried), links.transpose(1, 2)[None])

    def best(self) -> AttentionPlace:
        aer = [row[0] for row in self._agreement.table().aer]
        near = [index for index, value in enumerate(aer) if value <= min(aer) + _NEARLY]
        return self._places[max(near, key=lambda index: float(self._sureness[index]))]


def _batch(
    model: AlignableModel[State], source_ids: Sequence[int], target_ids: Sequence[int], device: torch.device
) -> tuple[Tensor, Tensor]:
    end = model.vocabulary.eos_id
    return torch.tensor([[*source_ids, end]], device=device), torch.tensor(
        [[*target_ids, end]], device=device
    )


def _places(views: dict[int, ForcedTarget]) -> list[AttentionPlace]:
    """The mean over the heads of each layer, and every head."""
    return [
        (layer, head)
        for layer, view in views.items()
        for head in (None, *range(view.head_attention.shape[1]))
    ]


def _links_by_leaving_out(
    model: AlignableModel[State], source_ids: Sequence[int], target_ids: Sequence[int], view: ForcedTarget
) -> Tensor:
    """(1, T, S), with both ends of sentence, which are not linked."""
    lost = leave_one_out(model, source_ids, target_ids, view.token_ids.device)
    padded = torch.nn.functional.pad(lost, (0, 1, 0, 1), value=float("-inf"))[None]
    return best_links(
        padded.masked_fill(~view.source_content[:, None], float("-inf")),
        view.source_content,
        view.target_content,
        "null",
    )
