"""Count the letters of languages: `python -m experiments.language_profiles de=FILE ... en=FILE ...`.

Writes the profiles by which `lexalign.bundled.language` guesses; several files of a language count together.
"""

import argparse
import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from lexalign.bundled.language import PROFILES, letter_grams
from lexalign.data.reader import read_lines
from lexalign.storage import write_text

MOST_LINES = 150_000  # of each file
MOST_GRAMS = 1_500  # of each language


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="+", metavar="LANGUAGE=FILE")
    parser.add_argument("--to", type=Path, default=PROFILES)
    options = parser.parse_args(arguments)
    counts: dict[str, Counter[str]] = {}
    for text in options.texts:
        language, _, name = text.partition("=")
        counts.setdefault(language, Counter()).update(_count(read_lines(Path(name))))
    write_text(options.to, profiles(counts))
    return 0


def profiles(counts: dict[str, Counter[str]]) -> str:
    """The grams that are frequent in any of the languages, with their log-probabilities in all."""
    frequent = sorted({gram for count in counts.values() for gram, _ in count.most_common(MOST_GRAMS)})
    lines = ["\t".join(["gram", *counts])]
    for gram in frequent:
        values = (math.log((count[gram] + 1) / count.total()) for count in counts.values())
        lines.append("\t".join([gram, *(str(round(100 * value)) for value in values)]))
    return "\n".join(lines) + "\n"


def _count(lines: Iterable[str]) -> Counter[str]:
    count: Counter[str] = Counter()
    for _, line in zip(range(MOST_LINES), lines, strict=False):
        count.update(letter_grams(line))
    return count


if __name__ == "__main__":
    sys.exit(main())
