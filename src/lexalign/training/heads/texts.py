"""The text of a run as token stores, and the way from their rows back to its lines."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from lexalign.data.columns import IndexArray
from lexalign.data.filters import FilterOptions
from lexalign.data.preparation import kept_lines
from lexalign.data.reader import ParallelText
from lexalign.data.store import TokenStore
from lexalign.models.config import ModelConfig
from lexalign.text.subwords import ModelTokenizer
from lexalign.training.stores import training_filters, training_store, validation_filters, validation_store


@dataclass(frozen=True, kw_only=True)
class PreparedText:
    """A text, the store that was made from it, and how."""

    parts: Sequence[ParallelText]
    tokenizer: ModelTokenizer
    filters: FilterOptions
    store: TokenStore

    def lines(self) -> IndexArray:
        """For each row of the store its line in the text, from 0."""
        return kept_lines(self.parts, self.tokenizer, self.filters, num_threads=os.cpu_count() or 1)

    def read(self) -> Iterator[tuple[str, str]]:
        return chain.from_iterable(part.read() for part in self.parts)


@dataclass(frozen=True, kw_only=True)
class Texts:
    train: PreparedText
    valid: PreparedText

    @property
    def fingerprint(self) -> list[str]:
        return [text.store.meta.fingerprint for text in (self.train, self.valid)]


def prepare_texts(
    corpora: Sequence[ParallelText],
    valid: ParallelText,
    tokenizer: ModelTokenizer,
    filters: FilterOptions,
    config: ModelConfig,
    folder: Path,
    say: Callable[[str], None],
) -> Texts:
    # What is fed before a target needs positions too.
    config = replace(config, max_positions=config.max_positions - len(config.target_prefix))
    return Texts(
        train=PreparedText(
            parts=corpora,
            tokenizer=tokenizer,
            filters=training_filters(filters, config),
            store=training_store(corpora, tokenizer, filters, config, folder, say),
        ),
        valid=PreparedText(
            parts=[valid],
            tokenizer=tokenizer,
            filters=validation_filters(config),
            store=validation_store(valid, tokenizer, config, folder, say),
        ),
    )
