"""From parallel text to a token store: read, filter, encode, write, a chunk at a time.

The same inputs, tokenizer and options have the same fingerprint, and a store with that fingerprint is reused.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import compress, islice
from pathlib import Path

import numpy as np

from lexalign.contracts.errors import LexalignError
from lexalign.data.columns import IndexArray
from lexalign.data.filters import FilterOptions, FilterReport, PairFilter
from lexalign.data.reader import ParallelText
from lexalign.data.store import VERSION, TokenStore
from lexalign.text.subwords import ModelTokenizer

# Large enough to keep all threads busy; takes a few hundred megabytes while it is encoded.
CHUNK_SIZE = 50_000

Ids = list[list[int]]


@dataclass(frozen=True, kw_only=True)
class _KeptPairs:
    """Pairs that have passed the text filters, and their lines, counted from 0 over all parts of the text."""

    lines: IndexArray
    sources: list[str]
    targets: list[str]
    tokenizer: ModelTokenizer  # for their languages


def prepare(
    parallel: ParallelText | Sequence[ParallelText],
    tokenizer: ModelTokenizer,
    options: FilterOptions,
    path: Path,
    *,
    num_threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> tuple[TokenStore, FilterReport]:
    """The token store of a corpus at `path`, which is built unless it exists already.

    `progress` is called with the number of pairs read so far.
    """
    parts = [parallel] if isinstance(parallel, ParallelText) else list(parallel)
    fingerprint = corpus_fingerprint(parts, tokenizer, options)
    store = _reusable_store(path, fingerprint)
    if store is None:
        pair_filter = PairFilter(options)
        chunks = _encode(_read(parts, tokenizer, pair_filter, progress), pair_filter, num_threads)
        store = TokenStore.build(
            path,
            ((sources, targets) for _, sources, targets in chunks),
            vocabulary_size=max(tokenizer.source_size, tokenizer.target_size),
            fingerprint=fingerprint,
            report=lambda: pair_filter.report,
        )
    return store, FilterReport.from_dict(store.meta.report)


def kept_lines(
    parts: Sequence[ParallelText], tokenizer: ModelTokenizer, options: FilterOptions, *, num_threads: int = 1
) -> IndexArray:
    """The line of each row of the store that `prepare` makes, from 0 over all parts of the text."""
    pair_filter = PairFilter(options)
    chunks = _encode(_read(parts, tokenizer, pair_filter, None), pair_filter, num_threads)
    return np.concatenate([np.empty(0, dtype=np.int64), *(lines for lines, _, _ in chunks)])


def corpus_fingerprint(
    parts: Sequence[ParallelText], tokenizer: ModelTokenizer, options: FilterOptions
) -> str:
    """A hash of the files' content, not of their names or dates, so that they can be moved."""
    content = [VERSION, tokenizer.fingerprint, asdict(options), [_file_digests(part) for part in parts]]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _file_digests(part: ParallelText) -> list[str]:
    # The suffix decides how a file is read, so it is a part of the content.
    return [*(file_digest(path) + path.suffix for path in part.paths), *(part.languages or ())]


def file_digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise LexalignError(f"cannot read {path}: {error.strerror}") from error


def _reusable_store(path: Path, fingerprint: str) -> TokenStore | None:
    try:
        store = TokenStore(path)
    except LexalignError:
        return None
    return store if store.meta.fingerprint == fingerprint else None


def _read(
    parts: Iterable[ParallelText],
    tokenizer: ModelTokenizer,
    pair_filter: PairFilter,
    progress: Callable[[int], None] | None,
) -> Iterator[_KeptPairs]:
    for bound, chunk in _chunks(parts, tokenizer):
        first = pair_filter.report.num_read
        keep = pair_filter.keep_text(chunk)
        yield _KeptPairs(
            lines=first + np.flatnonzero(keep),
            sources=[source for source, _ in compress(chunk, keep)],
            targets=[target for _, target in compress(chunk, keep)],
            tokenizer=bound,
        )
        if progress is not None:
            progress(pair_filter.report.num_read)


def _chunks(
    parts: Iterable[ParallelText], tokenizer: ModelTokenizer
) -> Iterator[tuple[ModelTokenizer, list[tuple[str, str]]]]:
    for part in parts:
        bound, pairs = tokenizer.between(part.languages), part.read()
        while chunk := list(islice(pairs, CHUNK_SIZE)):
            yield bound, chunk


def _encode(
    chunks: Iterable[_KeptPairs], pair_filter: PairFilter, num_threads: int
) -> Iterator[tuple[IndexArray, Ids, Ids]]:
    """Encode and filter pairs; the targets of multilingual models begin with their language code."""
    for chunk in chunks:
        prefix = chunk.tokenizer.target_language_ids
        sources = chunk.tokenizer.source.encode_batch(chunk.sources, num_threads)
        targets = chunk.tokenizer.target.encode_batch(chunk.targets, num_threads)
        targets = [[*prefix, *ids] for ids in targets] if prefix else targets
        keep = pair_filter.keep_lengths(_lengths(sources), _lengths(targets))
        yield chunk.lines[keep], list(compress(sources, keep)), list(compress(targets, keep))


def _lengths(sentences: Ids) -> IndexArray:
    return np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences))
