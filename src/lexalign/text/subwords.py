"""The seam between text and token ids: what splits one side's text, and what a model needs of both sides.

`Tokenizer` is both, for models of our own: one vocabulary, one language on each side. Imported models bring
other vocabularies, and multilingual ones language codes; see `foreign/`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lexalign.text.surface import Span

Languages = tuple[str, str]  # of the source and of the target, as `de` or by the codes of a model


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """The pieces of a text; `spans[i]` is where piece i stands in it, as character offsets."""

    ids: list[int]
    pieces: list[str]
    spans: list[Span]


class SubwordTokenizer(Protocol):
    """The subwords of one side.

    What stands before every sentence, such as a language code, is a part of its ids, with an empty span.
    """

    @property
    def vocabulary_size(self) -> int: ...

    @property
    def unk_id(self) -> int: ...

    def encode(self, text: str) -> list[int]:
        """The ids of a text, without an end of sentence."""

    def encode_inside(self, text: str) -> list[int]:
        """The ids of a phrase as it stands in the midst of a sentence, behind a space."""

    def encode_batch(self, texts: Sequence[str], num_threads: int = 1) -> list[list[int]]: ...

    def encode_with_offsets(self, text: str) -> Encoding: ...

    def decode(self, ids: Sequence[int]) -> str: ...

    def decode_with_offsets(self, ids: Sequence[int]) -> tuple[str, list[Span]]:
        """The text of ids, and the character span of each."""

    def pieces(self, ids: Iterable[int]) -> list[str]: ...

    def piece(self, index: int) -> str:
        """An entry as people see it; U+2581 is a space."""


class ModelTokenizer(Protocol):
    """How a model reads sources and writes targets."""

    @property
    def source(self) -> SubwordTokenizer: ...

    @property
    def target(self) -> SubwordTokenizer: ...

    @property
    def source_size(self) -> int:
        """Entries of the source's vocabulary."""

    @property
    def target_size(self) -> int: ...

    @property
    def target_language_ids(self) -> tuple[int, ...]:
        """What the decoder is fed between its own prefix and the first token: a language code."""

    @property
    def mirrored(self) -> bool:
        """Whether a sentence has the same ids on both sides, marks included."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes to choose from; none where there is nothing to choose."""

    @property
    def chosen(self) -> Languages | None:
        """What was chosen from them."""

    def between(self, languages: Languages | None) -> "ModelTokenizer":
        """The same for a pair of languages; where there is nothing to choose, for the only one."""

    @property
    def fingerprint(self) -> str:
        """Equal for two tokenizers exactly when they are the same."""

    def save(self, path: Path) -> None: ...
