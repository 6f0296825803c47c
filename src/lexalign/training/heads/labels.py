"""Links of a whole corpus that are known before a head is trained: from a file, or by statistics.

Labels are over subwords, a sentence for each row of a token store. They are kept in the folder of the run,
under a name that depends on what they were made from, so that a run that goes on finds them.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from lexalign.alignment.formats.link_table import LinkTable, fit_links
from lexalign.alignment.statistical import SentencePair, fast_align, thot_align
from lexalign.alignment.statistical.hmm import HmmOptions, align_by_agreement
from lexalign.alignment.symmetrization import Method, symmetrize_links
from lexalign.alignment.words import subword_links
from lexalign.contracts.errors import LexalignError
from lexalign.data.columns import TokenArray
from lexalign.data.preparation import file_digest
from lexalign.data.store import TokenStore
from lexalign.text.subwords import ModelTokenizer
from lexalign.text.words import word_ranges, words_of
from lexalign.training.stores import PreparedText, Say

Level = Literal["word", "subword"]
Statistical = Literal["fast-align", "hmm-agreement", "hmm", "ibm4"]
STATISTICAL: tuple[Statistical, ...] = get_args(Statistical)
SECOND_OPINION: Statistical = "hmm-agreement"
_MOST_PAIRS = 400_000  # that hmm-agreement learns from at a time; they need about 10 GB


@dataclass(frozen=True, kw_only=True)
class LabelFile:
    """A line of Pharaoh links for each line of the text, between its words or its subwords."""

    path: Path
    level: Level = "word"

    def __post_init__(self) -> None:
        if self.level not in get_args(Level):
            raise LexalignError(f"unknown level {self.level!r}; choose from {', '.join(get_args(Level))}")

    @property
    def fingerprint(self) -> str:
        return f"{self.level} {file_digest(self.path)}"


@dataclass(frozen=True, kw_only=True)
class LabelFiles:
    """Files of links in place of a teacher; without one for the held-out text, heads are not calibrated."""

    train: LabelFile
    valid: LabelFile | None = None

    @property
    def all(self) -> list[LabelFile]:
        return [file for file in (self.train, self.valid) if file is not None]


def file_labels(file: LabelFile, text: PreparedText, folder: Path) -> LinkTable:
    """The links of a file, by the rows of the text's store."""
    made_from = ["file", file.fingerprint, text.store.meta.fingerprint]
    return _kept(folder, made_from, lambda: _read_labels(file, text))


def statistical_labels(
    method: Statistical,
    stores: Sequence[TokenStore],
    symmetrization: Method,
    folder: Path,
    say: Say = lambda _: None,
) -> LinkTable:
    """Links by an aligner that learns from all stores, for the rows of all of them, one after the other."""
    made_from = [method, symmetrization, *(store.meta.fingerprint for store in stores)]
    return _kept(folder, made_from, lambda: _align(method, _Subwords(stores), symmetrization, say))


def _kept(folder: Path, made_from: list[str], make: Callable[[], LinkTable]) -> LinkTable:
    path = folder / f"labels-{hashlib.sha256(json.dumps(made_from).encode()).hexdigest()[:16]}.npz"
    if not path.exists():
        make().save(path)
    return LinkTable.load(path)


def _read_labels(file: LabelFile, text: PreparedText) -> LinkTable:
    table = LinkTable.read_pharaoh(file.path)
    num_lines = text.store.meta.report["num_read"]
    if len(table) != num_lines:
        raise LexalignError(
            f"{file.path}: {len(table)} lines of links, but the text has {num_lines}; give as many"
        )
    if file.level == "subword":
        if text.tokenizer.languages:
            raise LexalignError(
                f"{file.path}: links between subwords know no language codes; give word links"
            )
        lines, store = text.lines(), text.store
        lengths = np.stack([store.source_lengths, store.target_lengths], axis=1)
        return fit_links(file.path, table.take(lines), lines + 1, lengths, unit="subword")
    counts = [(len(source.split()), len(target.split())) for source, target in text.read()]
    lengths = np.array(counts, dtype=np.int64).reshape(-1, 2)
    table = fit_links(file.path, table, np.arange(1, num_lines + 1), lengths, unit="word")
    return LinkTable.from_sentences(_split(table, text))


def _split(table: LinkTable, text: PreparedText) -> Iterator[list[tuple[int, int]]]:
    """Links of words as links of subwords, row by row."""
    kept = set(text.lines().tolist())
    for line, (tokenizer, source, target) in enumerate(_with_tokenizers(text)):
        if line in kept:
            spans = tokenizer.source.encode_with_offsets(source).spans
            marks = [(0, 0)] * len(tokenizer.target_language_ids)
            target_spans = [*marks, *tokenizer.target.encode_with_offsets(target).spans]
            yield subword_links(
                table[line],
                word_ranges(spans, words_of(source)[1]),
                word_ranges(target_spans, words_of(target)[1]),
            )


def _with_tokenizers(text: PreparedText) -> Iterator[tuple[ModelTokenizer, str, str]]:
    for part in text.parts:
        bound = text.tokenizer.between(part.languages)
        for source, target in part.read():
            yield bound, source, target


def _align(method: Statistical, pairs: "_Subwords", symmetrization: Method, say: Say) -> LinkTable:
    say(f"aligning {len(pairs):,} pairs by {method}")
    if method == "fast-align":  # in both directions already
        return LinkTable.from_sentences(fast_align(pairs, pairs))
    if method == "hmm-agreement":
        return _align_in_parts(pairs, say)
    ahead = LinkTable.from_sentences(thot_align(pairs, pairs, model=method))
    turned = _Subwords(pairs.stores, turned=True)
    back = LinkTable.from_sentences(thot_align(turned, turned, model=method))
    return LinkTable.from_sentences(
        symmetrize_links(ahead[row], [(source, target) for target, source in back[row]], symmetrization)
        for row in range(len(ahead))
    )


def _align_in_parts(pairs: "_Subwords", say: Say) -> LinkTable:
    """Each part, of pairs from all over the text, learns for itself: the memory has an end."""
    num_parts = -(-len(pairs) // _MOST_PAIRS)
    parts = [range(part, len(pairs), num_parts) for part in range(num_parts)]
    options = HmmOptions(split=False, stem=0)
    tables = []
    for number, part in enumerate(parts, 1):
        say(f"part {number} of {num_parts}")
        found = align_by_agreement((pairs[row] for row in part), options, say=say)
        tables.append(LinkTable(found.starts, found.points.astype(np.uint16)))
    return LinkTable.joined(tables).take(np.argsort(np.concatenate([np.asarray(part) for part in parts])))


class _Subwords(Sequence[SentencePair]):
    """The pairs of stores, with the numbers of their subwords as words."""

    def __init__(self, stores: Sequence[TokenStore], *, turned: bool = False) -> None:
        self.stores = stores
        self._turned = turned
        self._names = [str(index) for index in range(max(store.meta.vocabulary_size for store in stores))]
        self._ends = np.cumsum([len(store) for store in stores])

    def __len__(self) -> int:
        return int(self._ends[-1])

    def __getitem__(self, index: int) -> SentencePair:  # type: ignore[override]  # no slices
        number = int(np.searchsorted(self._ends, index, side="right"))
        if index < 0 or number == len(self.stores):
            raise IndexError(index)
        store = self.stores[number]
        row = index - int(self._ends[number]) + len(store)
        source, target = self._words(store.source(row)), self._words(store.target(row))
        return (target, source) if self._turned else (source, target)

    def _words(self, ids: TokenArray) -> list[str]:
        return [self._names[index] for index in ids.tolist()]
