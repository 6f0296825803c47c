"""Write the headings of a parallel text as known terms: short lines that are no sentences.

    python -m experiments.corpora.headings --source europarl.en --target europarl.de --skip 100000 \\
        --to headings.jsonl

In the minutes of a parliament they are the subjects of its debates ("Boat people", "Tobacco cultivation").
Each line has one pair, as `experiments.studies.term_extraction` reads it; `--skip` leaves out the lines that
terms are extracted from.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from lexalign.data.reader import read_lines
from lexalign.storage import write_text

_MAX_WORDS = 4
_SENTENCE_END = ".!?:;,)\"'…"
_NO_TERM = re.compile(r"""[\d(/)"–°]|^-| - |, |Subject|Report""")


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    pairs = list(dict.fromkeys(headings(options.source, options.target, options.skip)))
    rows = [{"terms": [{"src": source, "tgt": target}]} for source, target in pairs]
    write_text(options.to, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    print(f"{len(pairs):,} headings in {options.to}")


def headings(source: Path, target: Path, skip: int) -> Iterator[tuple[str, str]]:
    lines = zip(read_lines(source), read_lines(target), strict=True)
    for one, other in islice(lines, skip, None):
        pair = one.strip(), other.strip()
        short = _is_heading(pair[0], _MAX_WORDS) and _is_heading(pair[1], _MAX_WORDS + 1)
        if short and not _NO_TERM.search(pair[0]):
            yield pair


def _is_heading(text: str, max_words: int) -> bool:
    return bool(text) and text[-1] not in _SENTENCE_END and len(text.split()) <= max_words


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--skip", type=int, default=0, help="lines that are left out")
    parser.add_argument("--to", type=Path, required=True)
    return parser


if __name__ == "__main__":
    main()
