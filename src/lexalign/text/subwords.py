"""The contract of tokenizers: that of one side, and that of a model with both sides.

`Tokenizer` is both, for models of our own: one vocabulary, one language on each side. Imported models have
other vocabularies, and multilingual ones language codes; see `foreign/`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lexalign.text.surface import Span

Languages = tuple[str, str]  # of source and target, as `de` or as the codes of a model


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """The pieces of a text; `spans[i]` is the character span of piece i."""

    ids: list[int]
    pieces: list[str]
    spans: list[Span]


class SubwordTokenizer(Protocol):
    """The tokenizer of one side.

    Tokens before every sentence, such as a language code, are part of its ids, with an empty span.
    """

    @property
    def vocabulary_size(self) -> int: ...

    @property
    def unk_id(self) -> int: ...

    def encode(self, text: str) -> list[int]:
        """The ids of a text, without an end of sentence."""

    def encode_inside(self, text: str) -> list[int]:
        """The ids of a phrase inside a sentence, after a space."""

    def encode_batch(self, texts: Sequence[str], num_threads: int = 1) -> list[list[int]]: ...

    def encode_with_offsets(self, text: str) -> Encoding: ...

    def decode(self, ids: Sequence[int]) -> str: ...

    def decode_with_offsets(self, ids: Sequence[int]) -> tuple[str, list[Span]]:
        """The text of ids, and the character span of each."""

    def pieces(self, ids: Iterable[int]) -> list[str]: ...

    def piece(self, index: int) -> str:
        """The piece of an id for display; U+2581 is a space."""


class ModelTokenizer(Protocol):
    """The tokenizer of a model, for source and target."""

    @property
    def source(self) -> SubwordTokenizer: ...

    @property
    def target(self) -> SubwordTokenizer: ...

    @property
    def source_size(self) -> int:
        """The size of the source vocabulary."""

    @property
    def target_size(self) -> int: ...

    @property
    def target_language_ids(self) -> tuple[int, ...]:
        """The language code that the decoder is fed between its prefix and the first token, or nothing."""

    @property
    def mirrored(self) -> bool:
        """Whether a sentence has the same ids on both sides, language codes included."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The language codes of a multilingual model; empty for others."""

    @property
    def chosen(self) -> Languages | None:
        """The chosen languages of a multilingual model."""

    def between(self, languages: Languages | None) -> "ModelTokenizer":
        """The tokenizer for a pair of languages; the same one where there is nothing to choose."""

    @property
    def fingerprint(self) -> str:
        """Equal for two tokenizers exactly when they are the same."""

    def save(self, path: Path) -> None: ...
