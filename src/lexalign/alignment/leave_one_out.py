"""Alignment by leaving out: a target token comes from the source token without which it is least probable.

Li et al. 2019 (On the Word Alignment from Neural Machine Translation) call it prediction difference:

    log P(house | Das Haus ist groß) = -0.1
    without Das -0.2, without Haus -7.3, without ist -0.1, without groß -0.3      house comes from Haus

It asks nothing but the model, so it needs neither attention nor statistics nor a second model. It costs a
forced target for every source token, so it is for a few sentences: those by which attention is chosen.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from lexalign.contracts.model import State, TranslationModel

_ROWS = 8  # forced at a time: each has the logits of a whole vocabulary for each of its tokens


@torch.inference_mode()
def leave_one_out(
    model: TranslationModel[State], source_ids: Sequence[int], target_ids: Sequence[int], device: torch.device
) -> Tensor:
    """How much log-probability each target token loses without each source token: (T, S).

    Neither side has its end of sentence. Tokens that are no words, such as language codes, are never left
    out, and nothing is lost without them.
    """
    vocabulary = model.vocabulary
    target = torch.tensor([target_ids], device=device)
    whole = torch.tensor([[*source_ids, vocabulary.eos_id]], device=device)
    before = _log_probabilities(model, whole, target)  # (1, T)
    lost = torch.zeros(len(target_ids), len(source_ids), device=device)
    places = [place for place, token in enumerate(source_ids) if token not in vocabulary.unlinked]
    for first in range(0, len(places), _ROWS):
        left_out = places[first : first + _ROWS]
        shorter = torch.cat(
            [torch.cat([whole[:, :place], whole[:, place + 1 :]], dim=1) for place in left_out]
        )
        after = _log_probabilities(model, shorter, target.expand(len(left_out), -1))
        lost[:, left_out] = (before - after).T
    return lost


def _log_probabilities(model: TranslationModel[State], source_ids: Tensor, target_ids: Tensor) -> Tensor:
    """Of every token of the targets (N, T)."""
    prefix = torch.tensor(model.vocabulary.target_prefix, device=target_ids.device)
    fed = torch.cat([prefix.expand(len(target_ids), -1), target_ids[:, :-1]], dim=1)
    logits = model.force(model.encode(source_ids), fed).logits[:, len(prefix) - 1 :]  # (N, T, V)
    return torch.log_softmax(logits.float(), dim=2).gather(2, target_ids[:, :, None])[:, :, 0]
