"""Choice of the attention to align with, by one model alone: its own translations of a few sentences.

All layers are tried, by the mean over their heads and by every single head. The best is the one whose links
are nearest to those by leaving out (`leave_one_out`), which attention has no part in. With two models and
parallel text, `layer_selection` chooses by the agreement of both directions.
"""

from collections.abc import Sequence

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
    layers = range(model.decoder_layers)
    found: dict[AttentionMethod, LinkAgreement] = {}
    places: list[AttentionPlace] = []
    for source_ids, target_ids in pairs:
        views = force_layers(model, *_batch(model, source_ids, target_ids, device), layers)
        places = places or _places(views)
        links = _links_by_leaving_out(model, source_ids, target_ids, views[0])
        for method in ("naive-att", "shift-att"):
            tried: list[Aligner] = [
                NaiveAttention(layer=layer, head=head)
                if method == "naive-att"
                else ShiftedAttention(
                    layer=layer, head=head, sentence_final_ids=final_ids, source_final_ids=source_final_ids
                )
                for layer, head in places
            ]
            count = found.setdefault(method, LinkAgreement(len(places), 1))
            count.add(
                torch.stack([_links(one, views[one.layer]) for one in tried]), links.transpose(1, 2)[None]
            )
    if not found:
        raise LexalignError("there is no translation to choose the attention by; give it by --layer")
    return {method: places[count.table().best[0]] for method, count in found.items()}


def _batch(
    model: AlignableModel[State], source_ids: Sequence[int], target_ids: Sequence[int], device: torch.device
) -> tuple[Tensor, Tensor]:
    end = model.vocabulary.eos_id
    return torch.tensor([[*source_ids, end]], device=device), torch.tensor(
        [[*target_ids, end]], device=device
    )


def _places(views: dict[int, ForcedTarget]) -> list[AttentionPlace]:
    """The mean over the heads of each layer first: of two that align as well, it is the surer choice."""
    num_heads = {layer: view.head_attention.shape[1] for layer, view in views.items()}
    means: list[AttentionPlace] = [(layer, None) for layer in views]
    return [*means, *((layer, head) for layer in views for head in range(num_heads[layer]))]


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


def _links(aligner: Aligner, view: ForcedTarget) -> Tensor:
    return best_links(aligner.align(view), view.source_content, view.target_content)
