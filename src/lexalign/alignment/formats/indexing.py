"""Detection of 0-based or 1-based word indexes in an alignment file, and a check of links against lengths."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lexalign.contracts.alignment import Link
from lexalign.contracts.errors import LexalignError

Base = Literal[0, 1]
Lengths = Sequence[tuple[int, int]]  # source and target words of each sentence

# With no index 0 in this many sentences, indexes count from 1.
_MIN_SENTENCES = 10


@dataclass(frozen=True, slots=True)
class ParsedLink:
    """A link as it is written in a file, and its line."""

    line: int
    sentence: int  # from 0
    link: Link


def find_base(
    path: Path,
    found: Sequence[ParsedLink],
    lengths: Lengths | None,
    *,
    requested: Base | None,
    convention: Base | None,
) -> tuple[Base, str]:
    """The base and the reason for it; `convention` is the base that the format prescribes, if it does."""
    zero = next((read for read in found if 0 in (read.link.source, read.link.target)), None)
    last = None
    if lengths is not None:
        last = next((read for read in found if _is_last_from_one(read.link, lengths[read.sentence])), None)
    num_linked = len({read.sentence for read in found})
    return decide_base(path, zero, last, num_linked, requested=requested, convention=convention)


def decide_base(
    path: Path,
    zero: ParsedLink | None,
    last: ParsedLink | None,
    num_linked: int,
    *,
    requested: Base | None = None,
    convention: Base | None = None,
) -> tuple[Base, str]:
    """The base, from the first link with a word 0 and the first that must count from 1, if there are any."""
    if requested is not None:
        return requested, "as asked for"
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
    if num_linked >= _MIN_SENTENCES:
        return 1, f"there is no word 0 in {num_linked} sentences"
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
