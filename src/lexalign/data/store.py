"""A corpus as memory-mapped token ids on disk, so that its size takes no memory.

A folder of five files: `source.tokens`, `source.lengths`, the same for the target, and `meta.json`. The
end of sentence is not stored; batches add it.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

from lexalign.contracts.errors import LexalignError
from lexalign.data.columns import ColumnWriter, IndexArray, TokenArray, TokenColumn
from lexalign.data.filters import FilterReport
from lexalign.storage import new_folder, write_text

VERSION = 1
META_NAME = "meta.json"

Sentences = Sequence[Sequence[int]]


@dataclass(frozen=True, kw_only=True)
class StoreMeta:
    """The metadata of a store; `fingerprint` identifies the inputs that it was made from."""

    version: int = VERSION
    vocabulary_size: int
    num_pairs: int
    num_source_tokens: int
    num_target_tokens: int
    fingerprint: str = ""
    report: dict[str, int] = field(default_factory=dict)


class TokenStore:
    """Pairs of token-id sentences, read from disk as they are used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.meta = read_meta(path)
        self.sources = self._column("source", self.meta.num_source_tokens)
        self.targets = self._column("target", self.meta.num_target_tokens)

    def _column(self, name: str, num_tokens: int) -> TokenColumn:
        return TokenColumn(
            self.path / name,
            num_sentences=self.meta.num_pairs,
            num_tokens=num_tokens,
            vocabulary_size=self.meta.vocabulary_size,
        )

    @classmethod
    def build(
        cls,
        path: Path,
        chunks: Iterable[tuple[Sentences, Sentences]],
        *,
        vocabulary_size: int,
        fingerprint: str = "",
        report: Callable[[], FilterReport] = FilterReport,
    ) -> Self:
        """Write a store from chunks of source sentences and as many target sentences.

        `report` is called after the last chunk is written, when all counts are known.
        """
        _refuse_other_folders(path)
        with new_folder(path) as folder:
            num_pairs, num_source_tokens, num_target_tokens = _write_columns(folder, chunks, vocabulary_size)
            meta = StoreMeta(
                vocabulary_size=vocabulary_size,
                num_pairs=num_pairs,
                num_source_tokens=num_source_tokens,
                num_target_tokens=num_target_tokens,
                fingerprint=fingerprint,
                report=report().to_dict(),
            )
            write_text(folder / META_NAME, json.dumps(asdict(meta), indent=2) + "\n")
        return cls(path)

    def __len__(self) -> int:
        return self.meta.num_pairs

    def source(self, index: int) -> TokenArray:
        return self.sources[index]

    def target(self, index: int) -> TokenArray:
        return self.targets[index]

    @property
    def source_lengths(self) -> IndexArray:
        return self.sources.lengths

    @property
    def target_lengths(self) -> IndexArray:
        return self.targets.lengths


def read_meta(path: Path) -> StoreMeta:
    """The description of the store in folder `path`."""
    file = path / META_NAME
    try:
        meta = StoreMeta(**json.loads(file.read_text(encoding="utf-8")))
    except OSError as error:
        raise LexalignError(f"there is no prepared data in {path}; prepare it first") from error
    except (ValueError, TypeError) as error:
        raise LexalignError(f"{file} is damaged; prepare the data again") from error
    if meta.version != VERSION:
        raise LexalignError(
            f"{path} was written in format {meta.version}, this is format {VERSION}; prepare the data again"
        )
    return meta


def _refuse_other_folders(path: Path) -> None:
    """Building replaces the folder, so refuse one that contains something else."""
    if path.exists() and not (path / META_NAME).exists() and (not path.is_dir() or any(path.iterdir())):
        raise LexalignError(f"{path} exists and is not prepared data; choose another place for it")


def _write_columns(
    folder: Path, chunks: Iterable[tuple[Sentences, Sentences]], vocabulary_size: int
) -> tuple[int, int, int]:
    num_pairs = 0
    with (
        ColumnWriter(folder / "source", vocabulary_size) as source_writer,
        ColumnWriter(folder / "target", vocabulary_size) as target_writer,
    ):
        for sources, targets in chunks:
            if len(sources) != len(targets):
                raise ValueError(f"{len(sources)} source sentences but {len(targets)} target sentences")
            source_writer.append(sources)
            target_writer.append(targets)
            num_pairs += len(sources)
    return num_pairs, source_writer.num_tokens, target_writer.num_tokens
