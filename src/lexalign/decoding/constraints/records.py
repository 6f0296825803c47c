"""Dataclasses of tensors that belong to the sentences of a batch."""

from dataclasses import fields
from typing import Any, Self

from torch import Tensor


class SentenceTensors:
    """Every field of a dataclass that extends this is a tensor (B, ...), or another such record."""

    def keep(self, sentence_index: Tensor) -> None:
        """Forget all sentences but these."""
        for name, value in self._items():
            if isinstance(value, SentenceTensors):
                value.keep(sentence_index)
            else:
                setattr(self, name, value[sentence_index])

    def copy_(self, other: Self) -> None:
        """Take other sentences into the same tensors."""
        for (_, mine), (_, new) in zip(self._items(), other._items(), strict=True):
            mine.copy_(new)

    @property
    def layout(self) -> tuple[object, ...]:
        return tuple(
            value.layout if isinstance(value, SentenceTensors) else tuple(value.shape)
            for _, value in self._items()
        )

    def _items(self) -> list[tuple[str, Any]]:
        return [(field.name, getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]
