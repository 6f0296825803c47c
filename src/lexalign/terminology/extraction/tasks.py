"""What is done on a shard, and on a part of all shards; each writes one file of the work folder."""

import gc
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, islice
from pathlib import Path

from lexalign.storage import write_text
from lexalign.terminology.alignment import find_aligner
from lexalign.terminology.extraction.aligned_shards import ExampleReader, align_texts
from lexalign.terminology.extraction.candidates import make_candidate
from lexalign.terminology.extraction.counting import (
    MergedTerm,
    count_terms,
    merge_terms,
    write_counts,
    write_words,
)
from lexalign.terminology.extraction.general_frequencies import FunctionWords, word_lists
from lexalign.terminology.extraction.noun_phrases import has_noun_capitals
from lexalign.terminology.extraction.options import ExtractOptions
from lexalign.terminology.extraction.partitions import MIN_PARTS
from lexalign.terminology.extraction.ranking import RankedTerm, Scorer, select_terms
from lexalign.terminology.extraction.shards import WorkFolder
from lexalign.terminology.extraction.term_keys import TermKeys
from lexalign.terminology.extraction.translations import (
    TranslationCounter,
    merge_translations,
    write_translations,
)
from lexalign.terminology.extraction.windows import WindowFinder

TERMS_PER_LISTED = 2  # so many times as many terms are translated as are listed: some are no terms after all


@dataclass(frozen=True, kw_only=True)
class JobValues:
    """What the work needs to know of the job; it is sent to every worker."""

    path: Path
    num_shards: int
    source_language: str | None
    target_language: str | None
    function_words: tuple[frozenset[str], frozenset[str]]
    wanted: frozenset[str]  # keys of a glossary's terms
    options: ExtractOptions

    @property
    def folder(self) -> WorkFolder:
        return WorkFolder(self.path)

    @property
    def finder(self) -> WindowFinder:
        return WindowFinder(self.function_words[0], self.source_language)

    @property
    def num_parts(self) -> int:
        return max(MIN_PARTS, self.num_shards)

    @property
    def num_chosen(self) -> int:
        """How many terms are translated."""
        return self.options.max_terms * TERMS_PER_LISTED

    @property
    def part_limit(self) -> int:
        """More terms than a part has among the chosen, which are spread over all parts by chance."""
        return min(self.num_chosen, 2 * self.num_chosen // self.num_parts + 1_000)

    def shard_paths(self, path: Callable[[int], Path]) -> list[Path]:
        return [path(number) for number in range(self.num_shards)]


@dataclass(frozen=True)
class CountShard:
    job: JobValues

    def __call__(self, number: int) -> None:
        folder = self.job.folder
        with _without_garbage_collection():
            keys = _keys(self.job.source_language)
            counts = count_terms(folder.read_texts(number).sources, self.job.finder, keys)
            write_words(folder.words_path(number), counts)
            write_counts(folder.counts_path(number), counts, self.job.num_parts)


@dataclass(frozen=True)
class ChoosePart:
    """The best terms of a part, best first; the first line has those that a glossary asks for."""

    job: JobValues

    def __call__(self, part: int) -> None:
        job, given = self.job, list[RankedTerm]()
        with _without_garbage_collection():
            merged = merge_terms(job.shard_paths(job.folder.counts_path), part, job.options.min_count)
            terms = select_terms(_noting(merged, job.wanted, given), self._scorer(), max_terms=job.part_limit)
            lines = [json.dumps([one.to_json() for one in given]), *(one.to_json() for one in terms)]
            write_text(job.folder.chosen_path(part), "".join(f"{line}\n" for line in lines))

    def _scorer(self) -> Scorer:
        job = self.job
        words, num_words = _all_words(job.folder.all_words_path)
        frequencies = _word_lists(job.source_language) or FunctionWords(job.function_words[0])
        return Scorer(frequencies=frequencies, words=words, num_words=num_words)


@dataclass(frozen=True)
class TranslateShard:
    job: JobValues

    def __call__(self, number: int) -> None:
        job, folder = self.job, self.job.folder
        method = job.options.aligner
        learns = method == "hmm-agreement"
        aligner = None if learns else find_aligner(method, job.source_language, job.target_language)
        counter = TranslationCounter(
            chosen=chosen_keys(folder),
            finder=job.finder,
            source_keys=_keys(job.source_language),
            target_keys=_keys(job.target_language),
            function_words=job.function_words,
            num_examples=job.options.num_examples,
            target_has_noun_capitals=has_noun_capitals(job.target_language),
        )
        with _without_garbage_collection(), _one_thread():
            sources, targets, starts = folder.read_texts(number)
            places = [(number, start) for start in starts]
            found = counter.count(align_texts(sources, targets, aligner, places))
            write_translations(folder.translations_path(number), found, job.num_parts)


@dataclass(frozen=True)
class ListPart:
    """The candidates of a part, best first."""

    job: JobValues

    def __call__(self, part: int) -> None:
        job, folder = self.job, self.job.folder
        with _without_garbage_collection():
            chosen, terms = chosen_keys(folder), chain(read_given(folder, part), read_ranked(folder, part))
            by_key = {term.key: term for term in terms if term.key in chosen}
            paths = job.shard_paths(folder.translations_path)
            merged = merge_translations(paths, part, job.options.num_examples)
            with ExampleReader(folder) as examples:
                languages, read = (job.source_language, job.target_language), examples.read
                made = (make_candidate(by_key[key], one, languages, read) for key, one in merged)
                found = sorted((one for one in made if one), key=lambda one: one.rank)
            content = "".join(f"{one.to_json()}\n" for one in found[: job.options.max_terms])
            write_text(folder.candidates_path(part), content)


def chosen_keys(folder: WorkFolder) -> frozenset[str]:
    return frozenset(json.loads(folder.terms_path.read_text(encoding="utf-8")))


def read_given(folder: WorkFolder, part: int) -> list[RankedTerm]:
    """The terms of a part that a glossary asks for."""
    with folder.chosen_path(part).open(encoding="utf-8") as file:
        return [RankedTerm.from_json(row) for row in json.loads(file.readline())]


def read_ranked(folder: WorkFolder, part: int) -> Iterator[RankedTerm]:
    """The terms of a part, best first."""
    with folder.chosen_path(part).open(encoding="utf-8") as file:
        yield from map(RankedTerm.from_json, islice(file, 1, None))


def _noting(
    merged: Iterable[MergedTerm], wanted: frozenset[str], given: list[RankedTerm]
) -> Iterator[MergedTerm]:
    """The merged terms; those of a glossary are noted on their way, whatever their score is."""
    for one in merged:
        if one.key in wanted:
            given.append(RankedTerm(one.key, one.key, one.read(), 0.0))
        yield one


@lru_cache(1)
def _all_words(path: Path) -> tuple[dict[str, int], int]:
    """Read once for all parts of a process."""
    words, num_words = json.loads(path.read_text(encoding="utf-8"))
    return words, num_words


_word_lists = lru_cache(2)(word_lists)


@cache
def _keys(language: str | None) -> TermKeys:
    """One for all shards of a process: looking up lemmas takes long."""
    return TermKeys(language)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Counts are millions of objects without cycles, which the collector would visit again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def _one_thread() -> Iterator[None]:
    """One shard on one thread; more would change neither its result nor, mostly, its time."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
