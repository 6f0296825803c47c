"""Token and position embeddings."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lexalign.contracts.errors import LexalignError
from lexalign.models.config import ModelConfig
from lexalign.models.norms import new_norm
from lexalign.weights import Int8Rows, Weight


class TokenEmbedding(nn.Embedding):
    """A vector for each vocabulary entry, in floating point or in int8."""

    _rows: Int8Rows | None = None

    def use_int8(self, rows: Int8Rows) -> None:
        """Replace the vectors by int8 ones, which can be neither trained nor moved to another device."""
        self._rows = rows
        self.weight = nn.Parameter(torch.empty(0), requires_grad=False)

    def pack(self) -> None:
        if self._rows is None:
            self.use_int8(Int8Rows.of(self.weight))

    @property
    def vectors(self) -> Tensor:
        """All vectors (V, D), in floating point."""
        return self.weight.detach() if self._rows is None else self._rows.dequantised()

    @property
    def stored(self) -> Weight:
        return self.weight.detach() if self._rows is None else self._rows

    def forward(self, token_ids: Tensor) -> Tensor:
        if self._rows is None:
            return super().forward(token_ids)
        return F.embedding(token_ids, self._rows.values) * self._rows.scales[token_ids][..., None]


class Embedding(nn.Module):
    """Tokens plus positions: (B, T) ids to (B, T, D) vectors."""

    positions: Tensor

    def __init__(self, config: ModelConfig, tokens: TokenEmbedding) -> None:
        super().__init__()
        self.tokens = tokens
        self.scale = math.sqrt(config.width) if config.embedding_scale else 1.0
        self.offset = config.position_offset
        self.norm = new_norm(config) if config.embedding_norm else None
        self.dropout = nn.Dropout(config.dropout)
        self.config = config
        if config.positions == "learned":
            self.positions = nn.Parameter(position_table(config))
        else:
            self.register_buffer("positions", position_table(config), persistent=False)

    def reset_positions(self, table: Tensor) -> None:
        """Set sinusoidal positions of a module that was made on the meta device; learned ones are weights."""
        if self.config.positions != "learned":
            self.positions = table

    def forward(self, token_ids: Tensor) -> Tensor:
        first, last = self.offset, self.offset + token_ids.shape[1]
        if last > self.positions.shape[0]:
            limit = self.positions.shape[0] - self.offset
            raise LexalignError(
                f"{last - self.offset} tokens are over the model's limit of {limit}; split the text"
            )
        return self._embed(token_ids, self.positions[first:last])

    def embed_at(self, token_ids: Tensor, position: Tensor) -> Tensor:
        """The vectors of tokens (B, K) at one position (1,), or of tokens (N,) at positions (N,)."""
        return self._embed(token_ids, self.positions.index_select(0, position + self.offset))

    def _embed(self, token_ids: Tensor, positions: Tensor) -> Tensor:
        vectors = torch.add(positions, self.tokens(token_ids), alpha=self.scale)
        if self.norm is not None:
            vectors = self.norm(vectors)
        if torch.is_autocast_enabled(vectors.device.type):
            vectors = vectors.to(torch.get_autocast_dtype(vectors.device.type))
        embedded: Tensor = self.dropout(vectors)
        return embedded


def new_token_embedding(config: ModelConfig, size: int) -> TokenEmbedding:
    """A new token embedding; the vector of the padding is zero."""
    weight = torch.empty(size, config.width)
    if not weight.is_meta:  # random numbers on the meta device would import half of torch's compiler
        nn.init.normal_(weight, std=config.width**-0.5)
        weight[config.pad_id].zero_()
    return TokenEmbedding(size, config.width, padding_idx=config.pad_id, _weight=weight)


def position_table(config: ModelConfig) -> Tensor:
    """(positions, D): sines in the first half of the width, cosines in the second, or interleaved.

    Marian's wavelengths run from 2π to 2π·10000^((D-2)/D); fairseq's reach 10000 exactly. Relative positions
    are a part of attention, and zero here.
    """
    rows, half = config.max_positions + config.position_offset, config.width // 2
    table = torch.empty(rows, config.width)
    if table.is_meta:  # arithmetic on the meta device would import all of torch's compiler
        return table
    if config.positions == "learned":
        return nn.init.normal_(table, std=config.width**-0.5)
    if config.positions in ("relative-bias", "relative-vectors"):
        return table.zero_()
    steps = half - 1 if config.positions == "sinusoidal-fairseq" else half
    exponents = torch.arange(half, dtype=torch.float64) / max(steps, 1)
    wavelengths = torch.pow(10000.0, exponents)
    angles = torch.arange(rows, dtype=torch.float64)[:, None] / wavelengths
    if config.positions == "sinusoidal-interleaved":
        return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1).float()
    return torch.cat([angles.sin(), angles.cos()], dim=1).float()
