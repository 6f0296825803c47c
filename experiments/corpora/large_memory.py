"""Write a translation memory of any size: the pairs of parallel texts, then variations of their short pairs.

    python -m experiments.corpora.large_memory --source docs.en europarl.en --target docs.de europarl.de \\
        --units 10000000 --to memory.tsv

An extraction drops units that it has seen, so every unit is another one. In each round, a short pair with a
number that both sides share gets another number, and the others are followed by another short pair:

    Repeat step 3.              Wiederholen Sie Schritt 3.
    Repeat step 41.             Wiederholen Sie Schritt 41.
    Thank you. Close the file.  Vielen Dank. Schließen Sie die Datei.
"""

import argparse
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path

from lexalign.data.reader import read_lines
from lexalign.storage import new_file

Pair = tuple[str, str]

_NUMBER = re.compile(r"(?<![\w.,])\d+(?![\w]|[.,]\d)")


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    pairs = list(_read(options.source, options.target, options.max_words))
    random.Random(options.seed).shuffle(pairs)  # so that shards have a bit of everything
    written = write_units(_units(pairs, options.short_words, options.seed), options.units, options.to)
    print(f"{written:,} units of {len(pairs):,} pairs in {options.to}")


def write_units(units: Iterable[Pair], wanted: int, path: Path) -> int:
    """Write so many units as lines of a table; returns their number."""
    written = 0
    with new_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        for source, target in islice(units, wanted):
            file.write(f"{source}\t{target}\n")
            written += 1
    return written


def _read(sources: Sequence[Path], targets: Sequence[Path], max_words: int) -> Iterator[Pair]:
    """The pairs of all texts, up to a length, without tabs."""
    for source, target in zip(sources, targets, strict=True):
        for one, other in zip(read_lines(source), read_lines(target), strict=True):
            if max(one.count(" "), other.count(" ")) < max_words:
                yield one.replace("\t", " "), other.replace("\t", " ")


def _units(pairs: Sequence[Pair], short_words: int, seed: int) -> Iterator[Pair]:
    """The pairs as they are, then round after round of their variations, without end."""
    yield from pairs
    short = [pair for pair in pairs if max(side.count(" ") for side in pair) < short_words]
    if len(short) < 2:
        return
    numbers = random.Random(seed)
    for distance in islice(count(1), len(short) - 1):
        for index, pair in enumerate(short):
            follower = short[(index + distance) % len(short)]
            yield change_number(pair, numbers) or (f"{pair[0]} {follower[0]}", f"{pair[1]} {follower[1]}")


def change_number(pair: Pair, numbers: random.Random) -> Pair | None:
    """The pair with another number in place of the first that both sides have; None where there is none."""
    found = _NUMBER.search(pair[0])
    if found is None or found[0] not in _NUMBER.findall(pair[1]):
        return None
    new = str(numbers.randrange(10_000_000))
    source, target = (re.sub(rf"(?<![\w.,]){found[0]}(?!\w|[.,]\d)", new, side) for side in pair)
    return source, target


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--source", type=Path, nargs="+", required=True)
    parser.add_argument("--target", type=Path, nargs="+", required=True)
    parser.add_argument("--units", type=int, default=10_000_000)
    parser.add_argument("--max-words", type=int, default=25, help="longer pairs are left out")
    parser.add_argument("--short-words", type=int, default=8, help="pairs that are varied have no more")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--to", type=Path, required=True, help="the table to write")
    return parser


if __name__ == "__main__":
    main()
