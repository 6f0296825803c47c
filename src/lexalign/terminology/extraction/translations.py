"""The translations of chosen terms in a shard, as lines in the order of the terms' keys, which are merged."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.extraction.counting import INITIAL
from lexalign.terminology.extraction.partitions import merge_rows, write_rows
from lexalign.terminology.extraction.projection import Projector
from lexalign.terminology.extraction.term_keys import TermKeys
from lexalign.terminology.extraction.windows import Window, WindowFinder

_EXAMPLE_CHARACTERS = 300
Example = tuple[str, str, str]  # place, source text, target text


@dataclass(slots=True)
class TargetEvidence:
    """One translation of a term: how often, how probably by its links, in which forms, and where."""

    count: int = 0
    probability: float = 0.0  # a sum
    forms: Counter[str] = field(default_factory=Counter)
    examples: list[Example] = field(default_factory=list)

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
class TranslationCounter:
    chosen: frozenset[str]  # keys of terms
    finder: WindowFinder
    source_keys: TermKeys
    target_keys: TermKeys
    function_words: tuple[frozenset[str], frozenset[str]]
    num_examples: int

    def count(self, units: Iterable[AlignedUnit]) -> dict[str, TermEvidence]:
        found: dict[str, TermEvidence] = {}
        for aligned in units:
            projector = Projector(aligned, self.function_words)
            keys = self.source_keys.of(aligned.source)
            for window in self.finder.find(aligned.source):
                key = keys.key(window.start, window.end)
                if key in self.chosen:
                    term = found.setdefault(key, TermEvidence())
                    self._add(term, aligned, window, projector)
        return found

    def _add(self, term: TermEvidence, aligned: AlignedUnit, window: Window, projector: Projector) -> None:
        unit = aligned.unit
        surface = unit.source[aligned.source[window.start].start : aligned.source[window.end - 1].end]
        term.count += 1
        term.copied += stands_in(unit.target, surface)
        projection = projector.project(window)
        if projection is None:
            return
        words = aligned.target[projection.start : projection.end]
        target = term.targets.setdefault(self.target_keys.key(words), TargetEvidence())
        target.count += 1
        target.probability += projection.probability
        form = unit.target[words[0].start : words[-1].end]
        target.forms[f"{INITIAL}{form}" if projection.start == 0 else form] += 1
        if len(target.examples) < self.num_examples:
            target.examples.append((str(unit.place), _excerpt(unit.source), _excerpt(unit.target)))


def stands_in(text: str, term: str) -> bool:
    """Whether a text has a term as it is written, as whole words or beside a hyphen."""
    start = text.find(term)
    while start >= 0:
        end = start + len(term)
        if not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum():
            return True
        start = text.find(term, start + 1)
    return False


def write_translations(path: Path, terms: dict[str, TermEvidence]) -> None:
    encode = json.JSONEncoder(ensure_ascii=False).encode
    write_rows(path, ((key, encode(_to_json(term))) for key, term in terms.items()))


def merge_translations(
    paths: Iterable[Path], part: int, num_examples: int
) -> Iterator[tuple[str, TermEvidence]]:
    """The terms of a part of all shards in the order of their keys; examples are the first ones."""
    for key, rows in merge_rows(paths, part):
        total = TermEvidence()
        for content in rows:
            total.add(_from_json(json.loads(content)), num_examples)
        yield key, total


def _excerpt(text: str) -> str:
    return text if len(text) <= _EXAMPLE_CHARACTERS else text[: _EXAMPLE_CHARACTERS - 1] + "…"


def _to_json(term: TermEvidence) -> list[Any]:
    targets = {
        key: [one.count, round(one.probability, 6), dict(one.forms), one.examples]
        for key, one in term.targets.items()
    }
    return [term.count, term.copied, targets]


def _from_json(content: list[Any]) -> TermEvidence:
    count, copied, targets = content
    found = {
        key: TargetEvidence(number, probability, Counter(forms), [tuple(one) for one in examples])
        for key, (number, probability, forms, examples) in targets.items()
    }
    return TermEvidence(count, copied, found)
