"""Counts of candidate terms in a shard, as rows in the order of their keys, so that shards can be merged.

A term is counted by its key, with each of its forms; a form at the beginning of a text is written with `^`
before it, because its capital says nothing.

    sales order   5   3   sales order   3   ^Sales orders   2        key, count, alone, forms
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lexalign.glossary.matching.words import split
from lexalign.storage import new_file
from lexalign.terminology.extraction.partitions import merge_rows, write_rows
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


@dataclass(slots=True)
class FormCount:
    """A form of a term: the same with fewer objects, because most of a shard's terms occur once."""

    key: str
    count: int = 0
    alone: int = 0


@dataclass(frozen=True)
class ShardCounts:
    forms: dict[str, FormCount]
    words: Counter[str]  # by their keys

    def terms(self) -> dict[str, TermCount]:
        found: dict[str, TermCount] = {}
        for form, one in self.forms.items():
            term = found.get(one.key)
            if term is None:
                term = found[one.key] = TermCount()
            term.add(TermCount(one.count, one.alone, Counter({form: one.count})))
        return found


def count_terms(units: Iterable[Unit], finder: WindowFinder, keys: TermKeys) -> ShardCounts:
    forms: dict[str, FormCount] = {}
    words: Counter[str] = Counter()
    for unit in units:
        text, found = unit.source, split(unit.source)
        text_keys = keys.of(found)
        words.update(text_keys.words)
        for start, end, alone, initial in finder.find(found):
            form = text[found[start].start : found[end - 1].end]
            form = f"{INITIAL}{form}" if initial else form
            one = forms.get(form)
            if one is None:
                one = forms[form] = FormCount(text_keys.key(start, end))
            one.count += 1
            one.alone += alone
    return ShardCounts(forms, words)


def write_counts(path: Path, counts: ShardCounts) -> None:
    by_key: dict[str, list[tuple[int, str]]] = {}
    for form, one in counts.forms.items():
        by_key.setdefault(one.key, []).append((-one.count, form))
    write_rows(path, ((key, _row(sorted(forms), counts.forms)) for key, forms in by_key.items()))


def write_words(path: Path, counts: ShardCounts) -> None:
    with new_file(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.writelines(f"{key}\t{count}\n" for key, count in counts.words.items())


def _row(forms: list[tuple[int, str]], counts: dict[str, FormCount]) -> str:
    alone = sum(counts[form].alone for _, form in forms)
    total = -sum(count for count, _ in forms)
    return f"{total}\t{alone}\t" + "\t".join(f"{form}\t{-count}" for count, form in forms)


def merge_words(paths: Iterable[Path], min_count: int) -> tuple[dict[str, int], int]:
    """The words that occur at least so often, and the number of all words."""
    totals: Counter[str] = Counter()
    for path in paths:
        with path.open(encoding="utf-8") as file:
            for line in file:
                key, _, count = line.rpartition("\t")
                totals[key] += int(count)
    return {key: count for key, count in totals.items() if count >= min_count}, totals.total()


def merge_terms(paths: Iterable[Path], part: int, min_count: int) -> Iterator[tuple[str, TermCount]]:
    """The terms of a part that occur so often in all shards, in the order of their keys."""
    for key, rows in merge_rows(paths, part):
        columns = [row.split("\t") for row in rows]
        count = sum(int(one[0]) for one in columns)
        if count < min_count:
            continue  # most of them
        forms: Counter[str] = Counter()
        for one in columns:
            for form, number in zip(one[2::2], one[3::2], strict=True):
                forms[form] += int(number)
        alone = sum(int(one[1]) for one in columns)
        yield key, TermCount(count, alone, Counter(dict(forms.most_common(_MAX_FORMS))))
