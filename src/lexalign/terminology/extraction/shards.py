"""The work folder of an extraction: units in shards, and a file of each stage for each shard.

    job.json                  what the job is; another job is refused
    split.json                written when all units are in shards
    units-000000.tsv          the units of a shard
    words-000000.tsv          its words
    counts-000000.tsv         its candidates, in parts by their keys
    words.json                the words of all shards
    chosen-00.jsonl           the best candidates of a part of all shards
    terms.json                the chosen terms
    translations-000000.tsv   the translations of chosen terms in a shard, in parts
    candidates-00.jsonl       the candidates of a part

Every file is whole or not there, so a job that was stopped goes on with the files that are missing.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, NamedTuple

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import Place
from lexalign.glossary.matching.words import read_words
from lexalign.storage import new_file, write_text
from lexalign.terminology.filtering import Duplicates, reason_against
from lexalign.terminology.language_check import LanguageSample
from lexalign.terminology.reading.languages import Languages
from lexalign.terminology.units import Read, Rejected, Unit

# Of the source in a shard: what an alignment holds grows with the length of sentences too.
MAX_SHARD_CHARACTERS = 5_000_000
_BLOCK = 5_000  # units that are looked up together
_SAMPLED_UNITS = 20_000  # whose words stand in for lists of function words


@dataclass(frozen=True, kw_only=True)
class Split:
    """What became of the units: how many are in how many shards, and why others are not."""

    num_read: int
    num_units: int
    num_shards: int
    left_out: dict[str, int]
    source_language: str | None
    target_language: str | None
    warnings: tuple[str, ...] = ()


class ShardTexts(NamedTuple):
    """Both sides of a shard's units, and the byte that each unit's line begins with."""

    sources: list[str]
    targets: list[str]
    starts: list[int]


class WorkFolder:
    def __init__(self, path: Path) -> None:
        self.path = path

    def open_job(self, job: dict[str, Any]) -> None:
        """Begin a job, or go on with it."""
        self.path.mkdir(parents=True, exist_ok=True)
        known = self._read("job.json")
        if known is None:
            if any(path.name[0] != "." for path in self.path.iterdir()):
                raise LexalignError(f"{self.path} holds other files; use a new or empty folder")
            write_text(self.path / "job.json", json.dumps(job, indent=1))
        elif known != json.loads(json.dumps(job)):
            different = ", ".join(name for name in {**known, **job} if known.get(name) != job.get(name))
            raise LexalignError(
                f"{self.path} belongs to another job, with other {different}; use another folder"
            )

    def units_path(self, number: int) -> Path:
        return self.path / f"units-{number:06d}.tsv"

    def words_path(self, number: int) -> Path:
        return self.path / f"words-{number:06d}.tsv"

    def counts_path(self, number: int) -> Path:
        return self.path / f"counts-{number:06d}.tsv"

    def translations_path(self, number: int) -> Path:
        return self.path / f"translations-{number:06d}.tsv"

    def chosen_path(self, part: int) -> Path:
        return self.path / f"chosen-{part:02d}.jsonl"

    def candidates_path(self, part: int) -> Path:
        return self.path / f"candidates-{part:02d}.jsonl"

    @property
    def all_words_path(self) -> Path:
        return self.path / "words.json"

    @property
    def terms_path(self) -> Path:
        return self.path / "terms.json"

    def read_units(self, number: int) -> Iterator[Unit]:
        with self.units_path(number).open(encoding="utf-8", newline="\n") as file:
            yield from map(read_line, file)

    def read_texts(self, number: int) -> "ShardTexts":
        lines = self.units_path(number).read_bytes().split(b"\n")[:-1]
        columns = [line.decode().split("\t", 2) for line in lines]
        starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
        return ShardTexts([one[0] for one in columns], [one[1] for one in columns], starts[:-1])

    def known_split(self) -> Split | None:
        content = self._read("split.json")
        return None if content is None else Split(**{**content, "warnings": tuple(content["warnings"])})

    def split(self, reads: Iterable[Read], languages: Languages, size: int, *, any_language: bool) -> Split:
        """Write the units that are evidence into shards; all of them, or it is done again."""
        sample = LanguageSample(Languages() if any_language else languages)
        left_out: Counter[str] = Counter()
        with _ShardWriter(self, size) as writer:
            for unit in _useful(reads, left_out, sample):
                writer.add(unit)
        sample.refuse()
        if not writer.num_units:
            raise LexalignError("no unit can be used: " + describe(left_out))
        found = languages.or_else(*asdict(sample.detected()).values())
        split = Split(
            num_read=writer.num_units + sum(left_out.values()),
            num_units=writer.num_units,
            num_shards=writer.num_shards,
            left_out=dict(left_out.most_common()),
            source_language=found.source,
            target_language=found.target,
            warnings=tuple(sample.warnings()),
        )
        write_text(self.path / "split.json", json.dumps(asdict(split), ensure_ascii=False, indent=1))
        return split

    def sample_words(self) -> Iterator[tuple[str, str]]:
        """The sides of the first units, from which function words are told where there is no list of them."""
        for number, unit in enumerate(self.read_units(0)):
            if number == _SAMPLED_UNITS:
                return
            yield unit.source, unit.target

    def _read(self, name: str) -> dict[str, Any] | None:
        try:
            content: dict[str, Any] = json.loads((self.path / name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError:
            raise LexalignError(f"{self.path / name} is damaged; use another folder") from None
        return content


class _ShardWriter:
    """Units into files of up to `size` units; a last one of less than half joins the one before it."""

    def __init__(self, folder: WorkFolder, size: int) -> None:
        self._folder, self._size = folder, size
        self._lines: list[str] = []
        self._before: list[str] = []  # the shard before, which is written when the next one is full
        self._num_characters = 0
        self.num_units = self.num_shards = 0

    def __enter__(self) -> "_ShardWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._finish()

    def add(self, unit: Unit) -> None:
        # White space is single spaces, so that tabs and line ends are free.
        place = unit.place
        self._lines.append(f"{unit.source}\t{unit.target}\t{place.line or ''}\t{_write_name(place.file)}\n")
        self.num_units += 1
        self._num_characters += len(unit.source)
        if len(self._lines) == self._size or self._num_characters > MAX_SHARD_CHARACTERS:
            self._write(self._before)
            self._before, self._lines, self._num_characters = self._lines, [], 0

    def _finish(self) -> None:
        if len(self._lines) * 2 < len(self._before):
            self._before, self._lines = self._before + self._lines, []
        self._write(self._before)
        self._write(self._lines)

    def _write(self, lines: list[str]) -> None:
        if lines:
            with new_file(self._folder.units_path(self.num_shards)) as temporary:
                temporary.write_text("".join(lines), encoding="utf-8")
            self.num_shards += 1


def read_line(line: str) -> Unit:
    """A unit of a shard's file."""
    source, target, row, name = line.rstrip("\n").split("\t")
    return Unit(source, target, Place(_read_name(name), int(row) if row else None))


def _useful(reads: Iterable[Read], left_out: Counter[str], sample: LanguageSample) -> Iterator[Unit]:
    seen, sound = Duplicates(), _sound(reads, left_out)
    while block := list(islice(sound, _BLOCK)):
        new = seen.new_ones(block)
        if len(new) < len(block):
            left_out["a duplicate"] += len(block) - len(new)
        for unit in new:
            sample.add(unit)
            yield unit


def _sound(reads: Iterable[Read], left_out: Counter[str]) -> Iterator[Unit]:
    """The units that are evidence by themselves, with single spaces."""
    for read in reads:
        if isinstance(read, Rejected):
            left_out[read.reason] += 1
            continue
        unit = Unit(" ".join(read.source.split()), " ".join(read.target.split()), read.place)
        if reason := reason_against(unit):
            left_out[reason] += 1
        else:
            yield unit


@lru_cache(1_000)
def _write_name(name: str) -> str:
    return json.dumps(name)  # may have any character


@lru_cache(1_000)
def _read_name(written: str) -> str:
    return str(json.loads(written))


def describe(left_out: Counter[str] | dict[str, int]) -> str:
    """Reasons with their counts, as one line."""
    return ", ".join(f"{count:,} {reason}" for reason, count in left_out.items()) or "there is none"


def words_of(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from (word.key for word in read_words(text))
