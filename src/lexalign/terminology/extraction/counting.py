"""Counts of candidate terms in a shard, as rows by their keys, so that shards can be merged.

A term is counted by its key, with each of its forms; a form at the beginning of a text is written with `^`
before it, because its capital says nothing.

    sales order   5   3   sales order   3   ^Sales orders   2        key, count, alone, forms
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lexalign.storage import new_file
from lexalign.terminology.extraction.partitions import merge_rows, write_rows
from lexalign.terminology.extraction.term_keys import TermKeys
from lexalign.terminology.extraction.text_words import TextWords
from lexalign.terminology.extraction.windows import WindowFinder

INITIAL = "^"  # before a form that begins a text
_MAX_FORMS = 8  # of a term that are remembered


@dataclass(slots=True)
class TermCount:
    """How often a term occurs, how often it stands alone, and in which forms."""

    count: int = 0
    alone: int = 0
    forms: Counter[str] = field(default_factory=Counter)

    def add(self, other: "TermCount") -> None:
        self.count += other.count
        self.alone += other.alone
        self.forms.update(other.forms)

    @property
    def capital_share(self) -> float:
        """The share of forms inside of texts that begin with a capital; rare terms count for less."""
        inside = [(form, count) for form, count in self.forms.items() if not form.startswith(INITIAL)]
        capitals = sum(count for form, count in inside if form[:1].isupper())
        return capitals / (sum(count for _, count in inside) + 1)


@dataclass(frozen=True)
class ShardCounts:
    """Each form with its key, how often it occurs, and how often alone; and words by their keys."""

    forms: list[str]
    keys: list[str]
    counts: list[int]
    alone: list[int]
    words: Counter[str]

    def by_key(self) -> dict[str, list[tuple[int, str, int]]]:
        """The forms of each key, the most frequent first: minus its count, the form, alone."""
        found: dict[str, list[tuple[int, str, int]]] = {}
        for form, key, count, alone in zip(self.forms, self.keys, self.counts, self.alone, strict=True):
            same = found.get(key)
            if same is None:
                found[key] = [(-count, form, alone)]
            else:
                same.append((-count, form, alone))
        for forms in found.values():
            forms.sort()
        return found

    def terms(self) -> dict[str, TermCount]:
        return {
            key: TermCount(
                -sum(count for count, _, _ in forms),
                sum(alone for _, _, alone in forms),
                Counter({form: -count for count, form, _ in forms}),
            )
            for key, forms in self.by_key().items()
        }


def count_terms(texts: Sequence[str], finder: WindowFinder, keys: TermKeys) -> ShardCounts:
    """The terms of texts of single spaces."""
    words = TextWords.read(texts)
    windows = finder.find(words)
    codes = 2 * words.phrase_codes(windows.first, windows.last) + windows.initial
    _, seen, inverse, counts = np.unique(codes, return_index=True, return_inverse=True, return_counts=True)
    first, last = windows.first[seen], windows.last[seen]
    written = zip(words.forms(first, last), windows.initial[seen].tolist(), strict=True)
    return ShardCounts(
        forms=[f"{INITIAL}{form}" if initial else form for form, initial in written],
        keys=keys.of_phrases(words, first, last),
        counts=counts.tolist(),
        alone=np.bincount(inverse[windows.alone], minlength=len(seen)).tolist(),
        words=_count_words(words, keys),
    )


def _count_words(words: TextWords, keys: TermKeys) -> Counter[str]:
    found: Counter[str] = Counter()
    counts = np.bincount(words.ids, minlength=len(words.vocabulary)).tolist()
    for word, count in zip(words.vocabulary, counts, strict=True):
        found[keys.word(word, last=True)] += count
    return found


def write_counts(path: Path, counts: ShardCounts, num_parts: int) -> None:
    write_rows(path, ((key, _row(forms)) for key, forms in counts.by_key().items()), num_parts)


def write_words(path: Path, counts: ShardCounts) -> None:
    with new_file(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.writelines(f"{key}\t{count}\n" for key, count in counts.words.items())


def _row(forms: list[tuple[int, str, int]]) -> str:
    if len(forms) == 1:  # as most have
        count, form, alone = forms[0]
        return f"{-count}\t{alone}\t{form}\t{-count}"
    alone = sum(one[2] for one in forms)
    total = -sum(one[0] for one in forms)
    return f"{total}\t{alone}\t" + "\t".join(f"{form}\t{-count}" for count, form, _ in forms)


def merge_words(paths: Iterable[Path], min_count: int) -> tuple[dict[str, int], int]:
    """The words that occur at least so often, and the number of all words."""
    totals: Counter[str] = Counter()
    for path in paths:
        with path.open(encoding="utf-8") as file:
            for line in file:
                key, _, count = line.rpartition("\t")
                totals[key] += int(count)
    return {key: count for key, count in totals.items() if count >= min_count}, totals.total()


@dataclass(frozen=True, slots=True)
class MergedTerm:
    """A term with its rows of all shards; its forms are read where they are needed."""

    key: str
    count: int
    alone: int
    rows: list[str]

    def read(self) -> TermCount:
        forms: Counter[str] = Counter()
        for row in self.rows:
            columns = row.split("\t")
            for form, number in zip(columns[2::2], columns[3::2], strict=True):
                forms[form] += int(number)
        return TermCount(self.count, self.alone, Counter(dict(forms.most_common(_MAX_FORMS))))


def merge_terms(paths: Iterable[Path], part: int, min_count: int) -> Iterator[MergedTerm]:
    """The terms of a part that occur so often in all shards."""
    for key, rows in merge_rows(paths, part):
        if len(rows) == 1 < min_count and rows[0].startswith("1\t"):
            continue  # most of them
        count = alone = 0
        for row in rows:
            first, second, _ = row.split("\t", 2)
            count += int(first)
            alone += int(second)
        if count >= min_count:
            yield MergedTerm(key, count, alone, rows)
