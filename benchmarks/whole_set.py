"""Seconds for a whole file of sentences with constraints, text to text, by each policy.

    python benchmarks/whole_set.py --quick
    python benchmarks/whole_set.py --model de-en/model --constraints set-1.jsonl --beam 10 --device cuda

Every policy translates the file once before it is timed: a GPU records its searches then.
"""

import argparse
import time
from pathlib import Path
from typing import get_args

import torch
from rich.console import Console
from rich.table import Table

from harness.options import make_parser, write_json
from harness.samples import constrained_sentences
from lexalign import __version__
from lexalign.bundled import find_model
from lexalign.data.reader import read_lines
from lexalign.glossary.constraint_files import ConstrainedText, parse_constraints
from lexalign.translator import ConstraintOptions, TranslateOptions, Translator
from lexalign.translator.options import PolicyName


def main() -> None:
    parser = make_parser(__doc__, quick="two sentences, without --constraints")
    parser.add_argument("--model", type=Path, help="by default the bundled German-English one")
    parser.add_argument("--constraints", type=Path, help="sentences with their constraints")
    parser.add_argument("--beam", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    if options.constraints is None and not options.quick:
        parser.error("give --constraints FILE, or --quick")
    sentences = constrained_sentences()[:2] if options.quick else _read(options.constraints)
    translator = Translator.load(options.model or find_model("de", "en"), device=options.device)
    seconds = {policy: _measure(translator, sentences, policy, options) for policy in get_args(PolicyName)}
    _show(seconds, len(sentences), options.beam)
    signature = {"lexalign": __version__, "torch": torch.__version__, "device": options.device}
    found = {"signature": signature, "beam": options.beam, "sentences": len(sentences)}
    write_json(options.json, {**found, "seconds": seconds})


def _read(path: Path) -> list[ConstrainedText]:
    return parse_constraints(read_lines(path), name=str(path))


def _measure(
    translator: Translator, sentences: list[ConstrainedText], policy: PolicyName, options: argparse.Namespace
) -> list[float]:
    chosen = TranslateOptions(beam=options.beam, constraints=ConstraintOptions(policy=policy)).verbatim()
    taken = []
    for _ in range(options.rounds + 1):
        start = time.perf_counter()
        for _ in translator.translate_stream(sentences, chosen):
            pass
        taken.append(time.perf_counter() - start)
    return taken[1:]


def _show(seconds: dict[str, list[float]], sentences: int, beam: int) -> None:
    table = Table("policy", "least", "most", title=f"Seconds for {sentences} sentences, beam {beam}")
    for policy, taken in seconds.items():
        table.add_row(policy, f"{min(taken):.2f}", f"{max(taken):.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
