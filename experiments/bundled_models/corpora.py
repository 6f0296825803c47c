"""The corpora of a data folder.

Every pair of files NAME.de and NAME.en is a parallel corpus, and a file that stands alone is text of one
language. `valid` and `gold` are not for learning.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from lexalign.contracts.errors import LexalignError
from lexalign.data.reader import ParallelText, read_lines

_HELD_OUT = ("valid", "gold")


@dataclass(frozen=True, kw_only=True)
class Corpus:
    name: str
    files: dict[str, Path]  # by language

    @property
    def size(self) -> int:
        return sum(path.stat().st_size for path in self.files.values())

    def pairs(self, source: str, target: str) -> ParallelText:
        return ParallelText(self.files[source], self.files[target])


@dataclass(frozen=True, kw_only=True)
class Corpora:
    """`parallel` from the smallest to the largest, whose text is weighed against that of all others."""

    parallel: tuple[Corpus, ...]
    alone: tuple[Corpus, ...]

    @property
    def all(self) -> tuple[Corpus, ...]:
        return (*self.alone, *self.parallel)

    @property
    def largest(self) -> Corpus:
        return self.parallel[-1]

    @property
    def smaller(self) -> tuple[Corpus, ...]:
        return self.parallel[:-1]


def find_corpora(folder: Path, languages: Sequence[str]) -> Corpora:
    found: dict[str, dict[str, Path]] = {}
    for language in languages:
        for path in folder.glob(f"*.{language}"):
            if path.stem not in _HELD_OUT:
                found.setdefault(path.stem, {})[language] = path
    corpora = [Corpus(name=name, files=files) for name, files in sorted(found.items())]
    corpora.sort(key=lambda corpus: corpus.size)
    parallel = tuple(corpus for corpus in corpora if len(corpus.files) == 2)
    if not parallel:
        raise LexalignError(
            f"{folder}: no parallel text; it needs files such as "
            + " and ".join(f"train.{language}" for language in languages)
        )
    return Corpora(parallel=parallel, alone=tuple(corpus for corpus in corpora if len(corpus.files) == 1))


def sentences_to_translate(
    corpora: Corpora, language: str, *, limit: int | None, max_bytes: int, seed: int
) -> list[str]:
    """All different sentences of a language, those of the largest corpus last.

    A limit therefore cuts that one alone, and what a smaller limit gives is the beginning of what a larger
    one gives. A sentence of `max_bytes` has no more tokens than that.
    """
    seen: set[str] = set()
    lines: list[str] = []
    for corpus in corpora.all:
        if language in corpus.files:
            fresh = list(dict.fromkeys(_usable(corpus.files[language], max_bytes, seen)))
            seen.update(fresh)
            Random(f"{seed} {corpus.name}").shuffle(fresh)
            lines += fresh
    return lines[:limit]


def sample_pairs(text: ParallelText, share: float, seed: int) -> Iterator[tuple[str, str]]:
    random = Random(seed)
    return (pair for pair in text.read() if random.random() < share)


def _usable(path: Path, max_bytes: int, seen: set[str]) -> Iterator[str]:
    for line in read_lines(path):
        if line.strip() and len(line.encode()) <= max_bytes and line not in seen:
            yield line
