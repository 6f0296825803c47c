"""How the time to split a text grows with its size, on texts that are made to be slow.

    python benchmarks/hostile_splitting.py --json hostile.json
    python benchmarks/hostile_splitting.py --quick --input news.en

For each kind of text and each size: seconds to find its sentences, to cut each of them into parts of at most
500 characters, and to find what is to be kept as it is. The growth is the exponent between the two largest
sizes: 1 is linear, 2 is quadratic. With an input, ordinary text is one of the kinds, repeated to the size.
"""

import math
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from harness.machine import signature
from harness.options import make_parser, write_json
from harness.timing import seconds
from lexalign.markup.protection import find_untranslatables
from lexalign.text.sentences import sentence_spans, split_to_fit

KINDS = {
    "dots": ".",
    "dots and spaces": ". ",
    "brackets": "(",
    "closing brackets": ".)",
    "quotes": '"',
    "one letter": "a",
    "full words": "word ",
    "combining marks": "\u0301",
    "spaces": " ",
    "newlines": "\n",
    "lines of a dot": ".\n",
    "a.": "a. ",
    "A. b": "A. b ",
    "digits and dots": "1.",
    "numbers": "1. ",
    "ellipses": "... A",
    "ideographic stops": "。",
    "ideographic commas": "、",
    "flags": "🇩",
    "joiners": "\u200d",
    "emoji after marks": "! 😀 ",
    "sentences": "The house is old. ",
    "braces": "{",
    "arguments": "{a, plural, ",
    "addresses": "https://a)",
    "links": "[a](",
    "emphasis": "**a",
    "tags": "<a ",
    "placeholders": "{name} ",
}
_LARGEST_PART = 500


def fit(text: str) -> None:
    for span in sentence_spans(text):
        split_to_fit(text, span, lambda part: len(part) <= _LARGEST_PART)


TASKS: dict[str, Callable[[str], object]] = {
    "sentences": sentence_spans,
    "parts": fit,
    "kept": find_untranslatables,
}


def measure(unit: str, sizes: list[int], rounds: int) -> dict[str, list[float]]:
    texts = [(unit * math.ceil(size / len(unit)))[:size] for size in sizes]
    return {
        task: [seconds(partial(action, text), rounds, clock=time.process_time) for text in texts]
        for task, action in TASKS.items()
    }


def growth(times: list[float], sizes: list[int]) -> float:
    return math.log(times[-1] / max(times[-2], 1e-9)) / math.log(sizes[-1] / sizes[-2])


def main() -> None:
    parser = make_parser(__doc__, quick="up to a million characters, one round")
    parser.add_argument("--input", type=Path, help="ordinary text, as one more kind")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10**3, 10**4, 10**5, 10**6, 10**7])
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    rounds = 1 if arguments.quick else arguments.rounds
    sizes = sorted(size for size in arguments.sizes if not arguments.quick or size <= 10**6)
    kinds = dict(KINDS)
    if arguments.input:
        kinds["ordinary text"] = arguments.input.read_text(encoding="utf-8").replace("\n", " ")
    results: dict[str, dict[str, object]] = {}
    print(f"{'seconds for':<30}" + "".join(f"{size:>12,}" for size in sizes) + "   growth")
    for kind, unit in kinds.items():
        for task, times in measure(unit, sizes, rounds).items():
            exponent = growth(times, sizes)
            print(
                f"{kind + ', ' + task:<30}"
                + "".join(f"{spent:>12.4f}" for spent in times)
                + f"{exponent:>9.2f}"
            )
            results[f"{kind}, {task}"] = {"seconds": times, "growth": round(exponent, 2)}
    named = signature("cpu", rounds=rounds, sizes=sizes)
    write_json(arguments.json, {"signature": named, "results": results})


if __name__ == "__main__":
    main()
