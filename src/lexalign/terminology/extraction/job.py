"""An extraction: units into shards, candidates counted, the best chosen, translated, and listed.

    read  →  shards  →  counts of each  →  chosen terms  →  translations of each  →  candidates

The stages of shards run on any workers; each shard learns its own alignment from its own text, so the memory
that is needed depends on the size of a shard and on the vocabulary, not on the number of units.
"""

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Protocol

from lexalign import __version__
from lexalign.data.preparation import file_digest
from lexalign.glossary import Glossary
from lexalign.glossary.matching.words import split
from lexalign.storage import write_text
from lexalign.terminology.alignment import find_aligner
from lexalign.terminology.extraction.candidates import TermCandidate, make_candidate
from lexalign.terminology.extraction.counting import (
    TermCount,
    count_terms,
    merge_terms,
    merge_words,
    write_counts,
)
from lexalign.terminology.extraction.general_frequencies import GeneralFrequencies, find_frequencies
from lexalign.terminology.extraction.options import ExtractOptions
from lexalign.terminology.extraction.ranking import RankedTerm, Scorer, select_terms
from lexalign.terminology.extraction.shards import Split, WorkFolder, words_of
from lexalign.terminology.extraction.term_keys import TermKeys
from lexalign.terminology.extraction.translations import (
    TranslationCounter,
    merge_translations,
    write_translations,
)
from lexalign.terminology.extraction.windows import WindowFinder
from lexalign.terminology.extraction.workers import ShardTask, ThisProcess, Workers
from lexalign.terminology.reading import Languages
from lexalign.terminology.units import Read

OnProgress = Callable[[str, int, int], None]  # stage, shards done, shards
_TERMS_PER_LISTED = 2  # so many times as many terms are translated as are listed: some are no terms after all


@dataclass(frozen=True, kw_only=True)
class Extraction:
    """Candidates, best first, and what became of the units."""

    candidates: tuple[TermCandidate, ...]
    split: Split


class UnitSource(Protocol):
    """Bilingual material: files, or units that are at hand; `paths` are its files."""

    @property
    def paths(self) -> Sequence[Path]: ...

    def read(self, languages: Languages) -> Iterator[Read]: ...


def extract_terms(
    inputs: Sequence[UnitSource],
    languages: Languages | None = None,
    options: ExtractOptions | None = None,
    *,
    glossary: Glossary | None = None,
    work: Path | None = None,
    workers: Workers | None = None,
    any_language: bool = False,
    on_progress: OnProgress = lambda *_: None,
) -> Extraction:
    """The terms of bilingual files, with their translations.

    `work` is a folder in which a stopped job goes on; without one, a temporary folder is used. Terms of a
    `glossary` are candidates in any case, so that their use in the memory is known.
    """
    options, languages = options or ExtractOptions(), languages or Languages()
    temporary = tempfile.TemporaryDirectory(prefix="lexalign-") if work is None else nullcontext(str(work))
    with temporary as name:
        folder = WorkFolder(Path(name))
        folder.open_job(_describe(inputs, languages, options, glossary, any_language=any_language))
        found = folder.known_split() or folder.split(
            chain.from_iterable(one.read(languages) for one in inputs),
            languages,
            options.shard_size,
            any_language=any_language,
        )
        job = _Job(folder, found, options, workers or ThisProcess(), on_progress)
        job.run_stage("counting", CountShard(job.shard_work), folder.counts_path)
        terms = job.choose(glossary or Glossary())
        job.run_stage("aligning", TranslateShard(job.shard_work), folder.translations_path)
        return Extraction(candidates=tuple(job.candidates(terms)), split=found)


@dataclass(frozen=True, kw_only=True)
class ShardWork:
    """What the work on a shard needs; it is sent to every worker."""

    folder: Path
    source_language: str | None
    target_language: str | None
    function_words: tuple[frozenset[str], frozenset[str]]
    options: ExtractOptions

    @property
    def finder(self) -> WindowFinder:
        return WindowFinder(self.function_words[0], self.source_language)


@dataclass(frozen=True)
class CountShard:
    work: ShardWork

    def __call__(self, number: int) -> None:
        folder = WorkFolder(self.work.folder)
        keys = TermKeys(self.work.source_language)
        counts = count_terms(folder.read_units(number), self.work.finder, keys)
        write_counts(folder.counts_path(number), counts)


@dataclass(frozen=True)
class TranslateShard:
    work: ShardWork

    def __call__(self, number: int) -> None:
        work, folder = self.work, WorkFolder(self.work.folder)
        units = list(folder.read_units(number))
        aligner = find_aligner(work.options.aligner, work.source_language, work.target_language)
        counter = TranslationCounter(
            chosen=frozenset(json.loads(folder.terms_path.read_text(encoding="utf-8"))),
            finder=work.finder,
            source_keys=TermKeys(work.source_language),
            target_keys=TermKeys(work.target_language),
            function_words=work.function_words,
            num_examples=work.options.num_examples,
        )
        write_translations(folder.translations_path(number), counter.count(aligner.align(units)))


@dataclass(frozen=True)
class _Job:
    folder: WorkFolder
    split: Split
    options: ExtractOptions
    workers: Workers
    on_progress: OnProgress

    @cached_property
    def frequencies(self) -> tuple[GeneralFrequencies, GeneralFrequencies]:
        languages = self.split.source_language, self.split.target_language
        sides = (words_of(pair[side] for pair in self.folder.sample_words()) for side in (0, 1))
        source, target = (find_frequencies(*one) for one in zip(languages, sides, strict=True))
        return source, target

    @cached_property
    def shard_work(self) -> ShardWork:
        source, target = self.frequencies
        return ShardWork(
            folder=self.folder.path,
            source_language=self.split.source_language,
            target_language=self.split.target_language,
            function_words=(source.function_words, target.function_words),
            options=self.options,
        )

    def run_stage(self, name: str, task: ShardTask, path: Callable[[int], Path]) -> None:
        total = self.split.num_shards
        missing = [number for number in range(total) if not path(number).exists()]
        self.on_progress(name, total - len(missing), total)
        for done, _ in enumerate(self.workers.run(task, missing), start=total - len(missing) + 1):
            self.on_progress(name, done, total)

    def choose(self, glossary: Glossary) -> list[RankedTerm]:
        """The best candidates and the terms of the glossary that occur, written for the workers."""
        paths = [self.folder.counts_path(number) for number in range(self.split.num_shards)]
        words, num_words = merge_words(paths, self.options.min_count)
        scorer = Scorer(frequencies=self.frequencies[0], words=words, num_words=num_words)
        keys = TermKeys(self.split.source_language)
        wanted = {keys.key(found) for entry in glossary if (found := split(entry.source))}
        given: list[RankedTerm] = []
        limit = self.options.max_terms * _TERMS_PER_LISTED
        terms = select_terms(
            _passing(merge_terms(paths, self.options.min_count), wanted, given),
            scorer,
            max_terms=limit,
        )
        chosen = {term.key: term for term in [*given, *terms]}
        write_text(self.folder.terms_path, json.dumps(sorted(chosen), ensure_ascii=False))
        return list(chosen.values())

    def candidates(self, terms: Sequence[RankedTerm]) -> list[TermCandidate]:
        paths = [self.folder.translations_path(number) for number in range(self.split.num_shards)]
        by_key = {term.key: term for term in terms}
        merged = merge_translations(paths, self.options.num_examples)
        found = (make_candidate(by_key[key], one, self.split.target_language) for key, one in merged)
        ordered = sorted((one for one in found if one), key=lambda one: (-one.score, one.lemma))
        return ordered[: self.options.max_terms]


def _passing(
    merged: Iterable[tuple[str, TermCount]], wanted: set[str], given: list[RankedTerm]
) -> Iterator[tuple[str, TermCount]]:
    """The merged terms; those of a glossary are noted on their way, however rare they are."""
    for key, term in merged:
        if key in wanted:
            given.append(RankedTerm(key, key, term, 0.0))
        yield key, term


def _describe(
    inputs: Sequence[UnitSource],
    languages: Languages,
    options: ExtractOptions,
    glossary: Glossary | None,
    *,
    any_language: bool,
) -> dict[str, object]:
    """Everything that the candidates depend on."""
    return {
        "version": __version__,
        "files": [[str(path), file_digest(path)] for one in inputs for path in one.paths],
        "languages": [languages.source, languages.target, any_language],
        "options": asdict(options),
        "glossary": [entry.source for entry in glossary or ()],
    }
