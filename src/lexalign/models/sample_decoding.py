"""A few translations of random tokens, in which layers see what their activations are like.

Nobody reads them. Targets are the model's own, because attention to a source is sharper where the target has
to do with it; what the source is matters little.
"""

import torch
from torch import Tensor

from lexalign.contracts.model import State, TranslationModel, Vocabulary

_SENTENCES, _STEPS = 4, 12
_STEPS_PER_RESERVE = 8


@torch.inference_mode()
def decode_samples(model: TranslationModel[State], source_vocabulary_size: int, max_length: int) -> None:
    """Translate greedily, never to an end."""
    vocabulary, size = model.vocabulary, min(2 * _STEPS, max_length)
    state = model.start(model.encode(_sources(source_vocabulary_size, size, vocabulary)), beam=1)
    itself = torch.zeros(_SENTENCES, 1, dtype=torch.int64)  # the only hypothesis continues itself
    prefix, token_ids = vocabulary.target_prefix, itself
    for position in range(min(len(prefix) + _STEPS, max_length)):
        if position < len(prefix):
            token_ids = torch.full_like(itself, prefix[position])
        if position % _STEPS_PER_RESERVE == 0:
            state.reserve(_STEPS_PER_RESERVE)
        logits = model.step(state, token_ids).logits
        state.reorder(itself)
        logits[:, :, [vocabulary.eos_id, *vocabulary.never_generated]] = float("-inf")
        token_ids = logits.argmax(dim=2)


def _sources(vocabulary_size: int, length: int, vocabulary: Vocabulary) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    source_ids = torch.randint(vocabulary_size, (_SENTENCES, length), generator=generator)
    source_ids[source_ids == vocabulary.pad_id] = vocabulary.eos_id
    source_ids[:, -1] = vocabulary.eos_id
    return source_ids
