"""The token stores of a run, made from its text or found where an earlier run has left them."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from lexalign.data.batching import BatchOptions
from lexalign.data.filters import FilterOptions
from lexalign.data.preparation import prepare
from lexalign.data.reader import ParallelText
from lexalign.data.store import TokenStore
from lexalign.models.config import ModelConfig
from lexalign.text.subwords import ModelTokenizer

Say = Callable[[str], None]


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
