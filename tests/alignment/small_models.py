"""Small random Transformers and sentences, for properties that hold for any weights."""

from typing import Any

import torch
from torch import Tensor

from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer

EOS = 1


def small_model(seed: int = 5, **changes: Any) -> Transformer:
    torch.manual_seed(seed)
    shape: dict[str, Any] = {
        "vocabulary_size": 60,
        "width": 32,
        "feedforward_width": 48,
        "encoder_heads": 2,
        "decoder_heads": 4,
        "encoder_layers": 2,
        "decoder_layers": 3,
        "max_positions": 64,
    }
    return Transformer(ModelConfig(**(shape | changes))).eval().requires_grad_(False)


def embedding(model: Transformer) -> Tensor:
    """The target tokens' vectors as the decoder is fed them."""
    return model.decoder.embedding.tokens.weight * model.decoder.embedding.scale


def sentences(*lengths: int, seed: int = 1) -> Tensor:
    """Padded sentences, each closed by an end of sentence."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(4, 60, (len(lengths), max(lengths)), generator=generator)
    for row, length in enumerate(lengths):
        ids[row, length - 1] = EOS
        ids[row, length:] = 0
    return ids
