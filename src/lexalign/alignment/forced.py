"""Show a model a finished translation, and keep what its watched layer saw."""

import torch
from torch import Tensor

from lexalign.contracts.alignment import Aligner, ForcedTarget
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.model import State, TranslationModel, Vocabulary


def force_target(
    model: TranslationModel[State], source_ids: Tensor, target_ids: Tensor, layer: int
) -> ForcedTarget:
    """Encode padded sources (B, S), then feed the model's prefix and all of the targets (B, T)."""
    prefix = torch.tensor(model.vocabulary.target_prefix, dtype=target_ids.dtype, device=target_ids.device)
    fed = torch.cat([prefix.expand(len(target_ids), -1), target_ids], dim=1)
    source = model.encode(source_ids)
    output = model.force(source, fed, watch=layer)
    if output.attention is None or output.query is None:
        raise LexalignError(f"the model does not show the attention of layer {layer}; it cannot be aligned")
    first = len(prefix) - 1  # the step fed with the last token of the prefix predicts token 0
    return ForcedTarget(
        source=source,
        source_ids=source_ids,
        token_ids=target_ids,
        source_content=content(source_ids, model.vocabulary),
        target_content=content(target_ids, model.vocabulary),
        attention=output.attention[:, first:],
        query=output.query[:, first:],
    )


def align_targets(
    model: TranslationModel[State], aligner: Aligner, source_ids: Tensor, target_ids: Tensor
) -> Tensor:
    """Distributions (B, T, S) over the source tokens of padded sentence pairs."""
    return aligner.align(force_target(model, source_ids, target_ids, aligner.layer))


def content(token_ids: Tensor, vocabulary: Vocabulary) -> Tensor:
    """The tokens that may be linked: neither padding nor an end of sentence."""
    return (token_ids != vocabulary.pad_id) & (token_ids != vocabulary.eos_id)
