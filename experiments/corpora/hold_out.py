"""Hold out a part of a small text, and repeat the rest for training.

    python -m experiments.corpora.hold_out hansards en fr --pairs 1000 --times 4

reads `hansards.{en,fr}` and writes `hansards.valid.{en,fr}` and `hansards.train.{en,fr}`. Of pairs that occur
again one is left; those held out stand at even distances.
"""

import argparse
from collections.abc import Sequence
from itertools import compress
from pathlib import Path

from experiments.corpora.subsample import subsample
from lexalign.contracts.errors import LexalignError
from lexalign.data.reader import ParallelText
from lexalign.storage import write_text

Pairs = list[tuple[str, str]]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text", help="the files' names without their languages")
    parser.add_argument("source", help="the language of one side")
    parser.add_argument("target", help="the language of the other")
    parser.add_argument("--pairs", type=int, required=True, help="number of pairs that are held out")
    parser.add_argument("--times", type=int, default=1, help="copies of the others for training")
    options = parser.parse_args(arguments)
    sides = options.source, options.target
    source, target = (Path(f"{options.text}.{side}") for side in sides)
    try:
        held_out, others = split(list(ParallelText(source, target).read()), options.pairs)
    except LexalignError as error:
        parser.error(str(error))
    for part, pairs in (("valid", held_out), ("train", others * options.times)):
        for side, lines in zip(sides, zip(*pairs, strict=True), strict=True):
            write_text(Path(f"{options.text}.{part}.{side}"), "".join(f"{line}\n" for line in lines))
    print(f"held out: {len(held_out):,} of {len(held_out) + len(others):,} different pairs")


def split(pairs: Pairs, wanted: int) -> tuple[Pairs, Pairs]:
    """So many different pairs, and the different pairs that are left."""
    distinct = list(dict.fromkeys(pairs))
    if not 0 < wanted < len(distinct):
        raise LexalignError(f"{wanted:,} of {len(distinct):,} different pairs cannot be held out")
    taken = list(subsample(wanted, len(distinct)))
    return list(compress(distinct, taken)), list(compress(distinct, (not one for one in taken)))


if __name__ == "__main__":
    main()
