"""The links of a whole corpus in compact arrays: labels for training, looked up by sentence.

Two million sentences have some fifty million links, too many for an object each. A table keeps them as
pairs of small integers, with the offset of each sentence.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lexalign.alignment.formats.indexing import ParsedLink, check_lengths, decide_base
from lexalign.alignment.formats.reading import read_alignments
from lexalign.contracts.alignment import Link
from lexalign.contracts.errors import LexalignError
from lexalign.storage import new_file

Indexes = NDArray[np.int64]

_MAX_INDEX = np.iinfo(np.uint16).max
_CHUNK = 100_000  # sentences that are Python objects at a time
_IS_PLAIN_BYTE = np.zeros(256, dtype=bool)
_IS_PLAIN_BYTE[list(b"0123456789- \t\r\n")] = True


@dataclass(frozen=True, eq=False)
class LinkTable:
    """Links as source and target indexes; sentence i has the links `starts[i]` to `starts[i + 1]`."""

    starts: Indexes  # (sentences + 1,)
    points: NDArray[np.uint16]  # (links, 2)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> list[tuple[int, int]]:
        found: list[list[int]] = self.points[self.starts[index] : self.starts[index + 1]].tolist()
        return [(source, target) for source, target in found]

    def matrices(self, sentence_index: Sequence[int], num_targets: int, num_sources: int) -> Tensor:
        """The padded link matrices (B, T, S) of some sentences; links beyond T or S are an error."""
        index = np.asarray(sentence_index, dtype=np.int64)
        counts = self.starts[index + 1] - self.starts[index]
        rows = np.repeat(np.arange(len(index)), counts)
        within = np.arange(len(rows)) - np.repeat(counts.cumsum() - counts, counts)
        points = self.points[np.repeat(self.starts[index], counts) + within].astype(np.int64)
        beyond = (points[:, 0] >= num_sources) | (points[:, 1] >= num_targets)
        if beyond.any():
            sentence = index[rows[beyond.argmax()]]
            source, target = points[beyond.argmax()]
            raise LexalignError(
                f"the labels of sentence {sentence + 1} link {source} to {target}, beyond its "
                f"{num_sources} source and {num_targets} target tokens; they belong to other data"
            )
        links = torch.zeros(len(index), num_targets, num_sources, dtype=torch.bool)
        links[torch.from_numpy(rows), torch.from_numpy(points[:, 1]), torch.from_numpy(points[:, 0])] = True
        return links

    def take(self, order: Indexes) -> "LinkTable":
        """The table of some of the sentences, in any order."""
        counts = np.diff(self.starts)[order]
        within = np.arange(counts.sum()) - np.repeat(counts.cumsum() - counts, counts)
        return LinkTable(_starts(counts), self.points[np.repeat(self.starts[:-1][order], counts) + within])

    def save(self, path: Path) -> None:
        with new_file(path) as temporary, temporary.open("wb") as file:
            np.savez(file, starts=self.starts, points=self.points)

    @classmethod
    def load(cls, path: Path) -> "LinkTable":
        try:
            with np.load(path) as arrays:
                return cls(arrays["starts"], arrays["points"])
        except (OSError, ValueError, KeyError) as error:
            raise LexalignError(f"{path}: not a table of links ({error})") from None

    @classmethod
    def from_sentences(cls, sentences: Iterable[Iterable[tuple[int, int]]]) -> "LinkTable":
        counts: list[Indexes] = [np.empty(0, dtype=np.int64)]
        parts: list[NDArray[np.uint16]] = [np.empty((0, 2), dtype=np.uint16)]
        remaining = iter(sentences)
        while chunk := [list(points) for points in islice(remaining, _CHUNK)]:
            counts.append(np.array([len(points) for points in chunk], dtype=np.int64))
            flat = [point for points in chunk for point in points]
            parts.append(_to_uint16(np.array(flat, dtype=np.int64).reshape(-1, 2)))
        return cls(_starts(np.concatenate(counts)), np.concatenate(parts))

    @classmethod
    def joined(cls, tables: Sequence["LinkTable"]) -> "LinkTable":
        """The sentences of all tables, one after the other."""
        counts = np.concatenate([np.diff(table.starts) for table in tables])
        return cls(_starts(counts), np.concatenate([table.points for table in tables]))

    @classmethod
    def from_batches(cls, batches: Iterable[tuple[Sequence[int], Tensor]]) -> "LinkTable":
        """A table from batches (sentence indexes, links (B, T, S)) in any order, with every sentence once."""
        numbers: list[Indexes] = []
        counts: list[Indexes] = []
        parts: list[NDArray[np.uint16]] = []
        for sentence_index, links in batches:
            found = links.nonzero().cpu().numpy()  # sentence, target, source
            numbers.append(np.asarray(sentence_index, dtype=np.int64))
            counts.append(np.bincount(found[:, 0], minlength=len(links)).astype(np.int64))
            parts.append(_to_uint16(found[:, [2, 1]]))
        if not parts:
            return cls.from_sentences([])
        shuffled = cls(_starts(np.concatenate(counts)), np.concatenate(parts))
        return shuffled.take(np.argsort(np.concatenate(numbers), kind="stable"))

    @classmethod
    def read_pharaoh(cls, path: Path, *, base: int = 0) -> "LinkTable":
        """Read plain `i-j` lines fast; `read_alignments` reads any other file, and names a wrong line."""
        try:
            content = path.read_bytes()
        except OSError as error:
            raise LexalignError(f"cannot read {path}: {error.strerror}") from None
        text = np.frombuffer(content, dtype=np.uint8)
        numbers = _parse_numbers(content) if _is_plain_pharaoh(text) else None
        if numbers is None or (len(numbers) and numbers.min() < base):
            sentences = read_alignments(path, format="pharaoh", base=1 if base else 0).sentences
            return cls.from_sentences([(link.source, link.target) for link in links] for links in sentences)
        ends = np.flatnonzero(text == ord("\n"))
        if len(text) and text[-1] != ord("\n"):
            ends = np.append(ends, len(text))
        dashes = np.concatenate([[0], (text == ord("-")).cumsum()])
        starts = np.concatenate([[0], dashes[ends]]).astype(np.int64)
        if numbers.size and numbers.max() > _MAX_INDEX:
            line = np.searchsorted(starts, numbers.argmax() // 2, side="right")
            raise LexalignError(
                f"{path}, line {line}: a link has the index {numbers.max()}; is this a file of links?"
            )
        return cls(starts, _to_uint16(numbers.reshape(-1, 2) - base))


def fit_links(path: Path, table: LinkTable, lines: Indexes, lengths: Indexes, *, unit: str) -> LinkTable:
    """The links of `path` as labels: counted from 0, and checked against the lengths (N, 2) of the sentences.

    `table` has the links as the file has them, `lines` (N,) their lines, from 1. A unit is a word or a
    subword. The file may have millions of lines, so only links that decide something become objects.
    """
    rows = np.repeat(np.arange(len(table)), np.diff(table.starts))
    points = table.points.astype(np.int64)

    def first(which: NDArray[np.bool_]) -> tuple[ParsedLink, tuple[int, int]] | None:
        if not which.any():
            return None
        index = int(which.any(axis=1).argmax())
        row, (source, target) = rows[index], points[index].tolist()
        num_source, num_target = lengths[row].tolist()
        return ParsedLink(int(lines[row]), 0, Link(source, target)), (num_source, num_target)

    zero = first(points == 0)
    last = first((points == lengths[rows]) & (points > 0))
    base, _ = decide_base(path, zero and zero[0], last and last[0], int((np.diff(table.starts) > 0).sum()))
    beyond = first(points - base >= lengths[rows])
    if beyond:
        check_lengths(path, [beyond[0]], base, [beyond[1]], unit=unit)
    return LinkTable(table.starts, (points - base).astype(np.uint16))


def _starts(counts: Indexes) -> Indexes:
    return np.concatenate([[0], counts.cumsum()]).astype(np.int64)


def _to_uint16(points: Indexes) -> NDArray[np.uint16]:
    if points.size and points.max() > _MAX_INDEX:
        raise LexalignError(
            f"a link has the index {points.max()}; sentences of so many tokens are not aligned"
        )
    return points.astype(np.uint16)


def _parse_numbers(content: bytes) -> Indexes:
    if b"-" not in content:  # numpy finds a number in white space, too
        return np.empty(0, dtype=np.int64)
    return np.fromstring(content.replace(b"-", b" "), dtype=np.int64, sep=" ")


def _is_plain_pharaoh(text: NDArray[np.uint8]) -> bool:
    """Whether there are only digits, white space and dashes, and each number has a dash on one side."""
    if not _IS_PLAIN_BYTE[text].all():
        return False
    framed = np.concatenate([[ord("\n")], text, [ord("\n")]])
    digit, dash = (framed >= ord("0")) & (framed <= ord("9")), framed == ord("-")
    first = np.flatnonzero(digit[1:] & ~digit[:-1])  # the position before a number
    after = np.flatnonzero(digit[:-1] & ~digit[1:]) + 1
    return bool((dash[first] ^ dash[after]).all() and 2 * dash.sum() == len(first))
