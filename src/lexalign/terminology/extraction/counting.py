"""Counts of candidate terms in a shard, as lines in the order of their keys, so that shards can be merged.

A term is counted by its key, with each of its forms; a form at the beginning of a text is written with `^`
before it, because its capital says nothing.
"""

import heapq
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from lexalign.glossary.matching.words import Word, split
from lexalign.storage import new_file
from lexalign.terminology.extraction.term_keys import TermKeys
from lexalign.terminology.extraction.windows import WindowFinder
from lexalign.terminology.units import Unit

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
    terms: dict[str, TermCount]
    words: Counter[str]  # by their keys


def count_terms(units: Iterable[Unit], finder: WindowFinder, keys: TermKeys) -> ShardCounts:
    terms: dict[str, TermCount] = {}
    words: Counter[str] = Counter()
    for unit in units:
        found = split(unit.source)
        words.update([keys.word(word, last=True) for word in found])
        for window in finder.find(found):
            inside = found[window.start : window.end]
            key = keys.key(inside)
            term = terms.get(key)
            if term is None:
                term = terms[key] = TermCount()
            term.count += 1
            term.alone += window.alone
            term.forms[(INITIAL if window.initial else "") + text_of(unit.source, inside)] += 1
    return ShardCounts(terms, words)


def text_of(text: str, words: list[Word]) -> str:
    """The characters of some words, as they stand, with single spaces."""
    return " ".join(text[words[0].start : words[-1].end].split())


def write_counts(path: Path, counts: ShardCounts) -> None:
    """First the words, then the terms; each part is sorted by its keys."""
    with new_file(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for key in sorted(counts.words):
            file.write(f"w\t{key}\t{counts.words[key]}\n")
        for key in sorted(counts.terms):
            term = counts.terms[key]
            forms = json.dumps(dict(term.forms.most_common()), ensure_ascii=False)
            file.write(f"t\t{key}\t{term.count}\t{term.alone}\t{forms}\n")


def merge_words(paths: Iterable[Path], min_count: int) -> tuple[dict[str, int], int]:
    """The words that occur at least so often, and the number of all words."""
    totals: Counter[str] = Counter()
    num_words = 0
    for path in paths:
        for _, key, count in _rows(path, "w"):
            totals[key] += int(count)
            num_words += int(count)
    return {key: count for key, count in totals.items() if count >= min_count}, num_words


def merge_terms(paths: Iterable[Path], min_count: int) -> Iterator[tuple[str, TermCount]]:
    """The terms of all shards that occur so often, in the order of their keys, without holding them."""
    rows = heapq.merge(*(_rows(path, "t") for path in paths), key=itemgetter(1))
    for key, same in groupby(rows, itemgetter(1)):
        parts = list(same)
        if sum(int(part[2]) for part in parts) < min_count:
            continue  # most of them; their forms need not be read
        total = TermCount()
        for _, _, count, alone, forms in parts:
            total.add(TermCount(int(count), int(alone), Counter(json.loads(forms))))
        total.forms = Counter(dict(total.forms.most_common(_MAX_FORMS)))
        yield key, total


def _rows(path: Path, kind: str) -> Iterator[list[str]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line[0] == kind:
                yield line.rstrip("\n").split("\t")
            elif kind == "w":
                return
