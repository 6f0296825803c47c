"""The translations of chosen terms in a shard, as rows by the terms' keys, which are merged.

An example is where its unit stands: the number of the shard, and the first byte of its line there.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lexalign.alignment.statistical.hmm import CorpusLinks
from lexalign.terminology.extraction.counting import INITIAL
from lexalign.terminology.extraction.partitions import merge_rows, write_rows
from lexalign.terminology.extraction.projection import Projections, Projector
from lexalign.terminology.extraction.term_keys import TermKeys
from lexalign.terminology.extraction.text_words import Indexes, TextWords
from lexalign.terminology.extraction.windows import WindowFinder, Windows

ExamplePlace = tuple[int, int]  # shard, byte


@dataclass(slots=True)
class TargetEvidence:
    """One translation of a term: how often, how probably by its links, in which forms, and where."""

    count: int = 0
    probability: float = 0.0  # a sum
    forms: Counter[str] = field(default_factory=Counter)
    examples: list[ExamplePlace] = field(default_factory=list)

    def add(self, other: "TargetEvidence", num_examples: int) -> None:
        self.count += other.count
        self.probability += other.probability
        self.forms.update(other.forms)
        self.examples.extend(other.examples[: max(0, num_examples - len(self.examples))])


@dataclass(slots=True)
class TermEvidence:
    """All translations of a term, by their keys; `copied` counts texts that have the term as it is."""

    count: int = 0
    copied: int = 0
    targets: dict[str, TargetEvidence] = field(default_factory=dict)

    def add(self, other: "TermEvidence", num_examples: int) -> None:
        self.count += other.count
        self.copied += other.copied
        for key, target in other.targets.items():
            self.targets.setdefault(key, TargetEvidence()).add(target, num_examples)

    @property
    def translated(self) -> int:
        return sum(target.count for target in self.targets.values())


@dataclass(frozen=True, kw_only=True)
class AlignedTexts:
    """The texts of a shard, of single spaces, with their links; `places` are those of examples."""

    sources: Sequence[str]
    targets: Sequence[str]
    source_words: TextWords
    target_words: TextWords
    links: CorpusLinks
    places: Sequence[ExamplePlace]


@dataclass(frozen=True, kw_only=True)
class TranslationCounter:
    chosen: frozenset[str]  # keys of terms
    finder: WindowFinder
    source_keys: TermKeys
    target_keys: TermKeys
    function_words: tuple[frozenset[str], frozenset[str]]
    num_examples: int
    target_has_noun_capitals: bool = False

    def count(self, texts: AlignedTexts) -> dict[str, TermEvidence]:
        windows, terms, names = self._find(texts.source_words)
        evidence = [TermEvidence(count) for count in np.bincount(terms, minlength=len(names)).tolist()]
        for term in terms[_copied(texts, windows)].tolist():
            evidence[term].copied += 1
        projector = Projector(
            texts.source_words,
            texts.target_words,
            texts.links,
            self.function_words,
            target_has_noun_capitals=self.target_has_noun_capitals,
        )
        self._add_targets(evidence, terms, projector.project(windows), texts)
        return dict(zip(names, evidence, strict=True))

    def _find(self, words: TextWords) -> tuple[Windows, Indexes, list[str]]:
        """The windows of chosen terms, the number of each one's term, and the terms' keys."""
        windows = self.finder.find(words)
        codes = words.phrase_codes(windows.first, windows.last)
        _, seen, inverse = np.unique(codes, return_index=True, return_inverse=True)
        keys = self.source_keys.of_phrases(words, windows.first[seen], windows.last[seen])
        numbers: dict[str, int] = {}
        of_phrase = [numbers.setdefault(key, len(numbers)) if key in self.chosen else -1 for key in keys]
        terms = np.array(of_phrase, dtype=np.int64)[inverse]
        return windows[terms >= 0], terms[terms >= 0], list(numbers)

    def _add_targets(
        self, evidence: list[TermEvidence], terms: Indexes, projections: Projections, texts: AlignedTexts
    ) -> None:
        words, found = texts.target_words, projections.found
        first, last, terms = projections.first[found], projections.last[found], terms[found]
        initial = words.is_first[first]
        codes = 2 * words.phrase_codes(first, last) + initial
        _, seen, forms = np.unique(codes, return_index=True, return_inverse=True)  # (found,) of each
        marks = np.where(initial[seen], INITIAL, "").tolist()
        written = [
            mark + form for mark, form in zip(marks, words.forms(first[seen], last[seen]), strict=True)
        ]
        numbers: dict[str, int] = {}
        keys = self.target_keys.of_phrases(words, first[seen], last[seen])
        key_of_form = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
        names = list(numbers)

        pairs, pair = np.unique(terms * len(names) + key_of_form[forms], return_inverse=True)
        counts = np.bincount(pair, minlength=len(pairs)).tolist()
        sums = np.bincount(pair, projections.probability[found], minlength=len(pairs)).tolist()
        targets = [TargetEvidence(count, total) for count, total in zip(counts, sums, strict=True)]
        for number, target in zip(pairs.tolist(), targets, strict=True):
            term, key = divmod(number, len(names))
            evidence[term].targets[names[key]] = target
        uses, uses_counts = np.unique(pair * len(written) + forms, return_counts=True)
        for number, count in zip(uses.tolist(), uses_counts.tolist(), strict=True):
            which, form = divmod(number, len(written))
            targets[which].forms[written[form]] = count
        rows = words.rows[first]
        for index in _first_of_each(pair, self.num_examples).tolist():
            targets[pair[index]].examples.append(texts.places[rows[index]])


def _first_of_each(groups: Indexes, number: int) -> Indexes:
    """The indexes of the first so many of each group, in their order."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    sizes = np.diff(np.append(begins, len(ordered)))
    rank = np.arange(len(ordered)) - np.repeat(begins, sizes)
    return order[rank < number]


def _copied(texts: AlignedTexts, windows: Windows) -> Indexes:
    """The indexes of the windows that stand in the target as they are."""
    forms = texts.source_words.forms(windows.first, windows.last)
    rows = texts.source_words.rows[windows.first].tolist()
    targets = texts.targets
    found = [
        index
        for index, (form, row) in enumerate(zip(forms, rows, strict=True))
        if form in targets[row] and stands_in(targets[row], form)
    ]
    return np.array(found, dtype=np.int64)


def stands_in(text: str, term: str) -> bool:
    """Whether a text has a term as it is written, as whole words or beside a hyphen."""
    start = text.find(term)
    while start >= 0:
        end = start + len(term)
        if not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum():
            return True
        start = text.find(term, start + 1)
    return False


def write_translations(path: Path, terms: dict[str, TermEvidence], num_parts: int) -> None:
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    write_rows(path, ((key, encode(_to_json(term))) for key, term in terms.items()), num_parts)


def merge_translations(
    paths: Iterable[Path], part: int, num_examples: int
) -> Iterator[tuple[str, TermEvidence]]:
    """The terms of a part of all shards; examples are the first ones."""
    for key, rows in merge_rows(paths, part):
        total = TermEvidence()
        for content in rows:
            total.add(_from_json(json.loads(content)), num_examples)
        yield key, total


def _to_json(term: TermEvidence) -> list[Any]:
    targets = {
        key: [one.count, round(one.probability, 6), one.forms, one.examples]
        for key, one in term.targets.items()
    }
    return [term.count, term.copied, targets]


def _from_json(content: list[Any]) -> TermEvidence:
    count, copied, targets = content
    found = {
        key: TargetEvidence(number, probability, Counter(forms), [(one[0], one[1]) for one in examples])
        for key, (number, probability, forms, examples) in targets.items()
    }
    return TermEvidence(count, copied, found)
