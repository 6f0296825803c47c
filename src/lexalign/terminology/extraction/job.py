"""An extraction: units into shards, candidates counted, the best chosen, translated, and listed.

    read  →  shards  →  counts of each  →  chosen terms  →  translations of each  →  candidates

All stages but reading run on any workers, by shards or by parts of the keys; each shard learns its own
alignment from its own text, so the memory that is needed depends on the size of a shard and on the
vocabulary, not on the number of units.
"""

import heapq
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Protocol

from lexalign import __version__
from lexalign.data.preparation import file_digest
from lexalign.glossary import Glossary
from lexalign.glossary.matching.words import split as split_words
from lexalign.storage import write_text
from lexalign.terminology.extraction.candidates import TermCandidate
from lexalign.terminology.extraction.counting import merge_words
from lexalign.terminology.extraction.general_frequencies import find_frequencies
from lexalign.terminology.extraction.options import ExtractOptions
from lexalign.terminology.extraction.shards import Split, WorkFolder, words_of
from lexalign.terminology.extraction.tasks import (
    ChoosePart,
    CountShard,
    JobValues,
    ListPart,
    TranslateShard,
    read_given,
    read_ranked,
)
from lexalign.terminology.extraction.term_keys import TermKeys
from lexalign.terminology.extraction.workers import RunShards, ShardTask, ThisProcess, Workers
from lexalign.terminology.reading import Languages
from lexalign.terminology.units import Read

OnProgress = Callable[[str, int, int], None]  # stage, shards or parts done, all


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
        values = _values(folder, found, options, glossary or Glossary())
        with (workers or ThisProcess()).start() as run:
            candidates = _Job(folder, values, run, on_progress).candidates()
        return Extraction(candidates=candidates, split=found)


@dataclass(frozen=True)
class _Job:
    folder: WorkFolder
    values: JobValues
    run: RunShards
    on_progress: OnProgress

    def candidates(self) -> tuple[TermCandidate, ...]:
        shards, parts, folder = self.values.num_shards, self.values.num_parts, self.folder
        self._stage("counting", CountShard(self.values), folder.counts_path, shards)
        if not folder.all_words_path.exists():
            self._merge_words()
        self._stage("choosing", ChoosePart(self.values), folder.chosen_path, parts)
        if not folder.terms_path.exists():
            self._choose()
        self._stage("aligning", TranslateShard(self.values), folder.translations_path, shards)
        self._stage("listing", ListPart(self.values), folder.candidates_path, parts)
        listed = chain.from_iterable(map(self._listed, range(parts)))  # one open file at a time
        return tuple(heapq.nsmallest(self.values.options.max_terms, listed, key=lambda one: one.rank))

    def _stage(self, name: str, task: ShardTask, path: Callable[[int], Path], total: int) -> None:
        missing = [number for number in range(total) if not path(number).exists()]
        self.on_progress(name, total - len(missing), total)
        for done, _ in enumerate(self.run(task, missing), start=total - len(missing) + 1):
            self.on_progress(name, done, total)

    def _merge_words(self) -> None:
        paths = self.values.shard_paths(self.folder.words_path)
        found = merge_words(paths, self.values.options.min_count)
        write_text(self.folder.all_words_path, json.dumps(found, ensure_ascii=False))

    def _choose(self) -> None:
        """Write the keys of the best terms of all parts, and of the glossary's terms."""
        parts = range(self.values.num_parts)
        ranked = chain.from_iterable(read_ranked(self.folder, part) for part in parts)
        best = heapq.nsmallest(self.values.num_chosen, ranked, key=lambda one: one.rank)
        given = chain.from_iterable(read_given(self.folder, part) for part in parts)
        keys = {one.key for one in chain(given, best)}
        write_text(self.folder.terms_path, json.dumps(sorted(keys), ensure_ascii=False))

    def _listed(self, part: int) -> Iterator[TermCandidate]:
        with self.folder.candidates_path(part).open(encoding="utf-8") as file:
            yield from map(TermCandidate.from_json, file)


def _values(folder: WorkFolder, split: Split, options: ExtractOptions, glossary: Glossary) -> JobValues:
    languages = split.source_language, split.target_language
    samples = (words_of(pair[side] for pair in folder.sample_words()) for side in (0, 1))
    source, target = (find_frequencies(*one) for one in zip(languages, samples, strict=True))
    keys = TermKeys(split.source_language)
    return JobValues(
        path=folder.path,
        num_shards=split.num_shards,
        source_language=split.source_language,
        target_language=split.target_language,
        function_words=(source.function_words, target.function_words),
        wanted=frozenset(keys.key(found) for entry in glossary if (found := split_words(entry.source))),
        options=options,
    )


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
