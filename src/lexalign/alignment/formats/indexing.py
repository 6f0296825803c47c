"""Whether an alignment file counts words from 0 or from 1, and whether its links fit the sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lexalign.contracts.alignment import Link
from lexalign.contracts.errors import LexalignError

Base = Literal[0, 1]
Lengths = Sequence[tuple[int, int]]  # source and target words of each sentence

# So many sentences, none of which links its first word on either side, are counted from 1.
_ENOUGH_SENTENCES = 10


@dataclass(frozen=True, slots=True)
class ParsedLink:
    """A link as it stands in a file, and in which line."""

    line: int
    sentence: int  # from 0
    link: Link


def find_base(
    path: Path,
    found: Sequence[ParsedLink],
    lengths: Lengths | None,
    *,
    asked: Base | None,
    convention: Base | None,
) -> tuple[Base, str]:
    """The base and how it is known; `convention` is what the format says, where it says something."""
    zero = next((read for read in found if 0 in (read.link.source, read.link.target)), None)
    last = None
    if lengths is not None:
        last = next((read for read in found if _is_last_from_one(read.link, lengths[read.sentence])), None)
    linked = len({read.sentence for read in found})
    return decide_base(path, zero, last, linked, asked=asked, convention=convention)


def decide_base(
    path: Path,
    zero: ParsedLink | None,
    last: ParsedLink | None,
    linked: int,
    *,
    asked: Base | None = None,
    convention: Base | None = None,
) -> tuple[Base, str]:
    """By the first link with a word 0, the first that can only count from 1, and the sentences with links."""
    if asked is not None:
        return asked, "as asked for"
    if zero and last:
        raise LexalignError(
            f"{path}: line {zero.line} has a word 0, so it counts from 0, but "
            f"{last.link.source}-{last.link.target} in line {last.line} can only count from 1; "
            "correct it, or name the base"
        )
    if zero:
        return 0, f"line {zero.line} has a word 0"
    if last:
        return 1, f"line {last.line} has a last word, counted from 1"
    if convention is not None:
        return convention, f"the format counts from {convention}"
    if linked >= _ENOUGH_SENTENCES:
        return 1, f"there is no word 0 in {linked} sentences"
    return 0, "assumed, with too few links to tell"


def check_lengths(
    path: Path, found: Sequence[ParsedLink], base: Base, lengths: Lengths, *, unit: str = "word"
) -> None:
    for read in found:
        indexes = (read.link.source, read.link.target)
        for side, index, length in zip(("source", "target"), indexes, lengths[read.sentence], strict=True):
            if index - base >= length:
                raise LexalignError(
                    f"{path}, line {read.line}: {side} {unit} {index}, counted from {base}, "
                    f"of a sentence of {length} {unit}s"
                )


def _is_last_from_one(link: Link, lengths: tuple[int, int]) -> bool:
    return link.source == lengths[0] > 0 or link.target == lengths[1] > 0
