"""How the time to find terms grows with texts that are made to be slow.

    python benchmarks/hostile_matching.py

Each text is one piece over and over: no spaces, nothing but dots, the first word of a long term again and
again. The growth is that of the time over that of the text, between the last two sizes: 1 is linear, 10
would be quadratic. The time is that of the processor.
"""

import random
import time
from collections.abc import Iterator
from functools import partial

from harness.machine import signature
from harness.options import make_parser, write_json
from harness.timing import seconds
from lexalign.glossary import Glossary, Matcher, parse_term

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
QUICK_SIZES = (1_000, 10_000)
TERMS = (
    "Haus=house",
    "höhere Gewalt=force majeure",
    "personenbezogene Daten=personal data",
    "a=x",
    "a a a a b=y",
    "(=z",
)
PIECES = {
    "dots": ".",
    "brackets": "([{",
    "one letter": "b",
    "no spaces": "Donaudampfschiff",
    "a term over and over": "Haus ",
    "a term's first word": "höhere ",
    "overlapping terms": "a ",
    "combining marks": "\u0301",
    "letters with marks": "a\u0301",
    "hyphens": "a-",
    "hyphens, contractions": "n't-",
    "soft hyphens": "\u00ad",
    "joiners": "\u200d",
    "apostrophes": "'",
    "figures": "1",
    "figures and points": "1.",
    "no spaces, Chinese": "東京",
    "blanks": " ",
}
RANDOM = "unknown words"


def texts(sizes: tuple[int, ...]) -> Iterator[tuple[str, list[str]]]:
    for name, piece in PIECES.items():
        yield name, [(piece * (size // len(piece) + 1))[:size] for size in sizes]
    generator = random.Random(1)
    yield RANDOM, [" ".join(f"W{generator.getrandbits(40):x}" for _ in range(size // 12)) for size in sizes]


def main() -> None:
    parser = make_parser(__doc__, quick="short texts only")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="in characters")
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    sizes = QUICK_SIZES if arguments.quick else tuple(arguments.sizes)
    if len(sizes) < 2:
        parser.error("--sizes needs two, to tell how the time grows")
    matcher = Matcher(
        Glossary(tuple(parse_term(term) for term in TERMS)), source_language="de", target_language="en"
    )
    matcher.match("zwei Häuser")  # dictionaries are read when they are first needed
    results = {}
    print(f"{'characters':<24}" + "".join(f"{size:>12,}" for size in sizes) + f"{'growth':>10}")
    for name, made in texts(sizes):
        # The shortest of the rounds: whatever else runs only adds to it.
        times = [
            seconds(partial(matcher.match, text), arguments.rounds, clock=time.process_time, of_rounds=min)
            for text in made
        ]
        growth = (times[-1] / max(times[-2], 1e-9)) / (sizes[-1] / sizes[-2])
        results[name] = {
            "seconds": dict(zip(map(str, sizes), times, strict=True)),
            "growth": round(growth, 2),
        }
        print(f"{name:<24}" + "".join(f"{spent:>10.4f} s" for spent in times) + f"{growth:>10.2f}")
    named = signature("cpu", rounds=arguments.rounds, terms=len(TERMS))
    write_json(arguments.json, {"signature": named, "results": results})


if __name__ == "__main__":
    main()
