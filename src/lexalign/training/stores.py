"""The token stores of a run, made from its text or found where an earlier run has left them."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from lexalign.data.batching import BatchOptions
from lexalign.data.columns import IndexArray
from lexalign.data.filters import FilterOptions
from lexalign.data.preparation import kept_lines, prepare
from lexalign.data.reader import ParallelText
from lexalign.data.store import TokenStore
from lexalign.models.config import ModelConfig
from lexalign.text.subwords import ModelTokenizer

Say = Callable[[str], None]


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
    say: Say,
) -> Texts:
    """The texts of alignment heads, which must find the way from rows of a store back to lines."""
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


def training_store(
    corpora: Sequence[ParallelText],
    tokenizer: ModelTokenizer,
    filters: FilterOptions,
    config: ModelConfig,
    folder: Path,
    say: Say,
) -> TokenStore:
    return _store(corpora, tokenizer, training_filters(filters, config), folder / "data" / "train", say)


def validation_store(
    valid: ParallelText, tokenizer: ModelTokenizer, config: ModelConfig, folder: Path, say: Say
) -> TokenStore:
    return _store([valid], tokenizer, validation_filters(config), folder / "data" / "valid", say)


def training_filters(filters: FilterOptions, config: ModelConfig) -> FilterOptions:
    return replace(filters, max_tokens=min(filters.max_tokens, longest(config)))


def validation_filters(config: ModelConfig) -> FilterOptions:
    """All pairs that the model can read."""
    return FilterOptions(max_tokens=longest(config), max_ratio=float("inf"))


def longest(config: ModelConfig) -> int:
    """Tokens of a sentence that, with its end and padded as batches are, still has a position for each."""
    multiple = BatchOptions().length_multiple
    return config.max_positions // multiple * multiple - 1


def _store(
    corpora: Sequence[ParallelText], tokenizer: ModelTokenizer, filters: FilterOptions, path: Path, say: Say
) -> TokenStore:
    store, report = prepare(corpora, tokenizer, filters, path, num_threads=os.cpu_count() or 1)
    for line in report.lines():
        say(f"{path.name}: {line}")
    return store
