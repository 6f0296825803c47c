"""A small model that is trained to copy, so that its translations end and its scores differ."""

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F

from lexalign.interop.hub_export import exported_order
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer

SIZE = 500
STEPS = 450
SMALL = ModelConfig(
    vocabulary_size=SIZE, width=64, feedforward_width=128, encoder_layers=2, decoder_layers=2, dropout=0.0
)


@dataclass(frozen=True, kw_only=True)
class Exported:
    """A model of ours, and the folder it was exported to."""

    model: Transformer
    tokenizer: Tokenizer
    folder: Path

    def to_exported(self, token_ids: Tensor) -> Tensor:
        """Our ids as those of the exported vocabulary."""
        return self.order.argsort()[token_ids]

    @property
    def order(self) -> Tensor:
        return torch.tensor(exported_order(self.model.config))


def train_to_copy() -> Transformer:
    torch.manual_seed(0)
    model = Transformer(SMALL)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=4e-3, total_steps=STEPS)
    for _ in range(STEPS):
        optimizer.zero_grad()
        copy_loss(model).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
        zero_padding(model)
    return model.eval().requires_grad_(False)


def copy_loss(model: Transformer, num_sentences: int = 64) -> Tensor:
    length = int(torch.randint(2, 16, ()))
    tokens = torch.randint(4, SIZE, (num_sentences, length))
    sources = F.pad(tokens, (0, 1), value=SMALL.eos_id)
    logits = model(sources, F.pad(tokens, (1, 0), value=SMALL.pad_id))
    return F.cross_entropy(logits.flatten(0, 1), sources.flatten())


def zero_padding(model: Transformer) -> None:
    """A tied table's padding row is also an output, and so has a gradient."""
    with torch.no_grad():
        model.get_parameter("decoder.embedding.tokens.weight")[SMALL.pad_id] = 0


def pad(rows: list[list[int]]) -> Tensor:
    """(B, S)"""
    longest = max(map(len, rows))
    return torch.tensor([row + [SMALL.pad_id] * (longest - len(row)) for row in rows])
