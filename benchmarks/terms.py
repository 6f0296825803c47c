"""What terms cost a user: texts translated with them, over the same texts without.

    python benchmarks/terms.py --quick
    python benchmarks/terms.py --model src/lexalign/bundled/en-de --constraints terms.jsonl --json terms.json

Each way to translate takes its turn, round by round, in one process and one thread, from text to text. The
first is plain translation without coverage; `guided alone` goes without replacement.
"""

import argparse
import statistics
import time
from pathlib import Path

import torch
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from free_length import read_sentences
from harness.machine import signature
from harness.options import make_parser, write_json
from lexalign.bundled import find_model
from lexalign.translator import ConstraintOptions, TranslateOptions, Translator

WAYS = {
    "plain": (ConstraintOptions(policy="none"), False),
    "plain, with coverage": (ConstraintOptions(policy="none"), True),
    "replace": (ConstraintOptions(policy="replace"), False),
    "vdba": (ConstraintOptions(policy="vdba"), False),
    "align-vdba": (ConstraintOptions(policy="align-vdba"), False),
    "guided alone": (ConstraintOptions(with_other_searches=False), False),
    "guided": (ConstraintOptions(), False),
    "guided, with coverage": (ConstraintOptions(), True),
}


def main() -> None:
    arguments = _parse()
    torch.set_num_threads(1)
    translator = Translator.load(arguments.model)
    sentences = read_sentences(arguments.constraints, arguments.sentences)
    texts, constraints = [text for text, _ in sentences], [asked for _, asked in sentences]

    def run(way: str) -> float:
        options, coverage = WAYS[way]
        plan = TranslateOptions(beam=arguments.beam, constraints=options, workers=1, coverage=coverage)
        start = time.process_time()
        translator.translate(texts, plan.verbatim(), constraints=constraints)
        return time.process_time() - start

    for way in WAYS:
        run(way)  # memory is taken
    rounds = [{way: run(way) for way in WAYS} for _ in range(arguments.rounds)]
    ratios = {way: statistics.median(one[way] / one["plain"] for one in rounds) for way in WAYS}
    seconds = statistics.median(one["plain"] for one in rounds)
    named = signature(
        "cpu",
        model=arguments.model.name,
        constraints=arguments.constraints.name if arguments.constraints else "sample sentences",
        sentences=len(sentences),
        beam=arguments.beam,
        rounds=arguments.rounds,
    )
    _show(ratios, seconds)
    print("|".join(f"{key}:{value}" for key, value in named.items()))
    write_json(arguments.json, {"signature": named, "plain_seconds": seconds, "over_plain": ratios})


def _show(ratios: dict[str, float], seconds: float) -> None:
    table = Table(title=f"CPU time over plain translation ({seconds:.2f} s)", box=SIMPLE_HEAD)
    table.add_column("", no_wrap=True)
    table.add_column("× plain", justify="right")
    for way, ratio in ratios.items():
        table.add_row(way, f"{ratio:.2f}")
    Console().print(table)


def _parse() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="few sentences, one round")
    parser.add_argument("--model", type=Path, default=find_model("de", "en"), help="with a post-aln head")
    parser.add_argument("--constraints", type=Path, help="sentences with constraints")
    parser.add_argument("--sentences", type=int, default=160)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.constraints is None and not arguments.quick:
        parser.error("give --constraints FILE, or --quick")
    if arguments.quick:
        arguments.sentences, arguments.rounds = 16, 1
    return arguments


if __name__ == "__main__":
    main()
