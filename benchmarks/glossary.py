"""How fast a glossary is read, compiled and looked for.

    python benchmarks/glossary.py --input valid.de --language de

The terms are phrases of one to three words of the text itself, so that every line holds some. Without an
input, the text is the German of the demo.
"""

import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from harness.machine import signature
from harness.options import make_parser, write_json
from harness.timing import seconds
from lexalign.data.reader import read_lines
from lexalign.data.synthetic import generate
from lexalign.glossary import Entry, Glossary, Matcher, MatchOptions, parse_glossary, render_glossary
from lexalign.glossary.matching.words import split

Forms = Literal["exact", "inflected"]
FORMS: tuple[Forms, ...] = ("exact", "inflected")


def make_glossary(lines: Sequence[str], count: int, language: str) -> Glossary:
    """A glossary of as many different phrases as there are, up to `count`."""
    generator = random.Random(1)
    phrases: dict[str, None] = {}
    for _ in range(20 * count):
        words = split(generator.choice(lines))
        if words:
            first = generator.randrange(len(words))
            last = min(len(words), first + generator.randint(1, 3)) - 1
            phrases[" ".join(word.text for word in words[first : last + 1])] = None
        if len(phrases) == count:
            break
    return Glossary(
        tuple(Entry(source=phrase, targets=("x",), source_language=language) for phrase in phrases)
    )


def measure(lines: Sequence[str], glossary: Glossary, forms: Forms, rounds: int) -> dict[str, float]:
    options = MatchOptions(source_forms=forms)
    matcher = Matcher(glossary, options)
    spent = seconds(lambda: [matcher.match(line) for line in lines], rounds)
    return {
        "compile seconds": round(seconds(lambda: Matcher(glossary, options), rounds), 3),
        "lines/s": round(len(lines) / spent),
        "words/s": round(sum(len(line.split()) for line in lines) / spent),
        "matches/line": round(sum(len(matcher.match(line)) for line in lines) / len(lines), 2),
    }


def main() -> None:
    parser = make_parser(__doc__, quick="few lines, one round")
    parser.add_argument("--input", type=Path, help="lines to look for terms in")
    parser.add_argument("--language", default="de")
    parser.add_argument("--terms", type=int, nargs="+", default=[100, 10_000])
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    rounds = 1 if arguments.quick else arguments.rounds
    lines = (
        list(read_lines(arguments.input)) if arguments.input else [source for source, _ in generate(20_000)]
    )
    lines = lines[:200] if arguments.quick else lines
    results = {}
    for count in arguments.terms:
        glossary = make_glossary(lines, count, arguments.language)
        content = render_glossary(glossary, "csv")
        read = seconds(partial(parse_glossary, content, "csv"), rounds)
        print(f"{len(glossary):,} terms, read in {read:.3f} s")
        for forms in FORMS:
            found = measure(lines, glossary, forms, rounds)
            print(f"  {forms:<10}" + "  ".join(f"{name} {value:,}" for name, value in found.items()))
            results[f"{len(glossary)} {forms}"] = found
    named = signature("cpu", rounds=rounds, lines=len(lines))
    write_json(arguments.json, {"signature": named, "results": results})


if __name__ == "__main__":
    main()
