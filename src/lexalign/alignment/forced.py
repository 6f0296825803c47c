"""Forced decoding of given targets, for what an aligner reads of the decoder's layers."""

from collections.abc import Sequence

import torch
from torch import Tensor

from lexalign.contracts.alignment import Aligner, ForcedTarget
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.model import AlignableModel, EncodedSource, State, Vocabulary


def force_layers(
    model: AlignableModel[State],
    source_ids: Tensor,
    target_ids: Tensor,
    layers: Sequence[int],
    source: EncodedSource | None = None,
) -> dict[int, ForcedTarget]:
    """Encode padded sources (B, S), unless `source` is given, and force the targets (B, T) once."""
    for layer in layers:
        if not 0 <= layer < model.decoder_layers:
            raise LexalignError(
                f"there is no decoder layer {layer + 1}; the model has {model.decoder_layers}"
            )
    prefix = torch.tensor(model.vocabulary.target_prefix, dtype=target_ids.dtype, device=target_ids.device)
    decoder_input = torch.cat([prefix.expand(len(target_ids), -1), target_ids], dim=1)
    source = source or model.encode(source_ids)
    source_content = content(source_ids, model.vocabulary)
    target_content = content(target_ids, model.vocabulary)
    first = len(prefix) - 1  # the step fed with the last token of the prefix predicts token 0
    distinct = sorted(set(layers))
    return {
        layer: ForcedTarget(
            source=source,
            source_ids=source_ids,
            token_ids=target_ids,
            source_content=source_content,
            target_content=target_content,
            head_attention=view.attention[:, :, first:],
            query=view.query[:, first:],
        )
        for layer, view in zip(distinct, model.observe(source, decoder_input, distinct), strict=True)
    }


def force_target(
    model: AlignableModel[State],
    source_ids: Tensor,
    target_ids: Tensor,
    layer: int,
    source: EncodedSource | None = None,
) -> ForcedTarget:
    """The same as `force_layers`, for one layer."""
    return force_layers(model, source_ids, target_ids, [layer], source)[layer]


def align_targets(
    model: AlignableModel[State], aligner: Aligner, source_ids: Tensor, target_ids: Tensor
) -> Tensor:
    """Distributions (B, T, S) over the source tokens of padded sentence pairs."""
    return aligner.align(force_target(model, source_ids, target_ids, aligner.layer))


def content(token_ids: Tensor, vocabulary: Vocabulary) -> Tensor:
    """The tokens that may be linked: neither padding nor an end of sentence, nor a language code."""
    linkable = (token_ids != vocabulary.pad_id) & (token_ids != vocabulary.eos_id)
    if vocabulary.unlinked:
        linkable &= ~torch.isin(token_ids, torch.tensor(vocabulary.unlinked, device=token_ids.device))
    return linkable
