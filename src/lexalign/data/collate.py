"""A batch of the plan as padded tensors.

tokens          5 6 7
source_ids      5 6 7 </s> <pad> ...
target_input    <prefix> 5 6 7 <pad> ...     the decoder's input
target_output   5 6 7 </s> <pad> ...         the tokens to predict
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from lexalign.data.batching import PlannedBatch
from lexalign.data.columns import IndexArray, TokenArray
from lexalign.data.store import TokenStore


@dataclass(frozen=True, kw_only=True, eq=False)
class TensorBatch:
    """Tensors that a loss is computed from, and how many target tokens they hold."""

    target_tokens: int

    @property
    def tensors(self) -> dict[str, Tensor]:
        return {name: value for name, value in vars(self).items() if isinstance(value, Tensor)}

    def to(self, device: torch.device | str, *, non_blocking: bool = False) -> Self:
        return self._map(lambda tensor: tensor.to(device, non_blocking=non_blocking))

    def clone(self) -> Self:
        return self._map(Tensor.clone)

    def copy_(self, other: "TensorBatch") -> None:
        """Take over the content of a batch of the same shapes."""
        for name, tensor in self.tensors.items():
            tensor.copy_(other.tensors[name])

    def pin_memory(self) -> Self:
        return self._map(Tensor.pin_memory)

    def _map(self, change: Callable[[Tensor], Tensor]) -> Self:
        changed: dict[str, Any] = {name: change(tensor) for name, tensor in self.tensors.items()}
        return replace(self, **changed)


@dataclass(frozen=True, kw_only=True, eq=False)
class TokenBatch(TensorBatch):
    """Token ids, int64, padded at the end to the lengths of the batch."""

    source_ids: Tensor  # (B, S)
    target_input_ids: Tensor  # (B, T)
    target_output_ids: Tensor  # (B, T)


def collate(
    store: TokenStore, batch: PlannedBatch, *, pad_id: int, eos_id: int, target_prefix_id: int
) -> TokenBatch:
    """The pairs of `batch` as tensors, with end of sentence and the prefix of the decoder's input."""
    source_tokens, source_lengths = store.sources.gather(batch.rows)
    target_tokens, target_lengths = store.targets.gather(batch.rows)
    return TokenBatch(
        source_ids=_with_end(source_tokens, source_lengths, batch.source_length, pad_id, eos_id),
        target_input_ids=_with_prefix(
            target_tokens, target_lengths, batch.target_length, pad_id, target_prefix_id
        ),
        target_output_ids=_with_end(target_tokens, target_lengths, batch.target_length, pad_id, eos_id),
        target_tokens=batch.target_tokens,
    )


def pad_sentences(sentences: Sequence[Sequence[int]], pad_id: int) -> Tensor:
    """The padded tensor (B, S) of sentences of different lengths."""
    longest = max(map(len, sentences))
    return torch.tensor([[*ids, *[pad_id] * (longest - len(ids))] for ids in sentences])


def _with_end(tokens: TokenArray, lengths: IndexArray, width: int, pad_id: int, eos_id: int) -> Tensor:
    padded = np.full((len(lengths), width), pad_id, dtype=np.int64)
    padded[_token_positions(lengths, offset=0)] = tokens
    padded[np.arange(len(lengths)), lengths] = eos_id
    return torch.from_numpy(padded)


def _with_prefix(tokens: TokenArray, lengths: IndexArray, width: int, pad_id: int, prefix_id: int) -> Tensor:
    padded = np.full((len(lengths), width), pad_id, dtype=np.int64)
    padded[_token_positions(lengths, offset=1)] = tokens
    padded[:, 0] = prefix_id
    return torch.from_numpy(padded)


def _token_positions(lengths: IndexArray, offset: int) -> tuple[IndexArray, IndexArray]:
    """The row and the column of every token when sentences of `lengths` are laid out one per row."""
    rows = np.repeat(np.arange(len(lengths)), lengths)
    first_tokens = np.cumsum(lengths) - lengths
    return rows, np.arange(len(rows)) - first_tokens[rows] + offset
