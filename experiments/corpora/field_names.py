"""Write the names of fields in software manuals as known terms, by the sentences that name them.

    python -m experiments.corpora.field_names --source docs.en --target docs.de --to field-names.jsonl

    In the Backend pool field, select ...      Wählen Sie im Feld Backend-Pool ...

A pair of names counts if it is seen twice. Each line has one pair, as `experiments.studies.term_extraction`
reads it.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from lexalign.data.reader import read_lines
from lexalign.storage import write_text

_SOURCE = re.compile(r"\b[Ii]n the ([A-Z][\w-]*(?: [\w-]+){0,3}) field\b")
_NAME = r"[A-ZÄÖÜ][\w-]*(?: [A-ZÄÖÜ][\w-]*)*"
_TARGET = re.compile(rf"\b[Ii]m Feld (?:[„\"»](.+?)[“\"«]|({_NAME})(?= [a-zäöüß]|[,.]))")
_MIN_COUNT = 2


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    counts = Counter(field_names(options.source, options.target))
    pairs = [pair for pair, count in counts.items() if count >= _MIN_COUNT]
    rows = [{"terms": [{"src": source, "tgt": target}]} for source, target in pairs]
    write_text(options.to, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    print(f"{len(pairs):,} names of fields in {options.to}")


def field_names(source: Path, target: Path) -> Iterator[tuple[str, str]]:
    """The names of sentences that name one field."""
    for one, other in zip(read_lines(source), read_lines(target), strict=True):
        names, translations = _SOURCE.findall(one), _TARGET.findall(other)
        if len(names) == len(translations) == 1:
            yield names[0], "".join(translations[0])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True)
    return parser


if __name__ == "__main__":
    main()
