"""Model scores of our VDBA beside those of the published rules, on the same weights and constraints.

    python -m experiments.studies.published_vdba --model de-en/model --constraints set-1.jsonl --json FILE

The first sentences of the file that have constraints are searched one by one, in float32 on the CPU.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from experiments.studies.published_vdba.comparison import BASELINE, OURS, Comparison, summarize
from lexalign import __version__
from lexalign.contracts.errors import LexalignError
from lexalign.data.reader import read_lines
from lexalign.glossary.constraint_files import ConstrainedText, parse_constraints
from lexalign.storage import write_text

# Column by column: its head, what is shown, and how.
_COLUMNS = (
    ("score", "score", ".3f"),
    ("better", "better", "d"),
    ("worse", "worse", "d"),
    ("nats", "log_probability", ".1f"),
    ("CSR", "csr", ".1f"),
    ("tokens", "tokens", ".1f"),
    ("steps", "steps", ".1f"),
    ("none", "without_result", "d"),
)


def main(given: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(given)
    try:
        results = compare(arguments)
    except LexalignError as error:
        print(f"published_vdba: error: {error}", file=sys.stderr)
        return 2
    if arguments.json:
        write_text(arguments.json, json.dumps(results, indent=2, ensure_ascii=False) + "\n")
    for beam, rows in results["beams"].items():
        Console().print(_table(beam, rows))
    print("|".join(f"{key}:{value}" for key, value in results["signature"].items()))
    return 0


def compare(arguments: argparse.Namespace) -> dict[str, Any]:
    sentences = read_sentences(arguments.constraints, arguments.sentences)
    torch.set_num_threads(1)  # at one sentence at a time, more of them wait for one another
    comparison = Comparison(arguments.model)
    beams = {
        str(beam): _search_all(comparison, arguments.searches, sentences, beam) for beam in arguments.beams
    }
    signature = {
        "lexalign": __version__,
        "torch": torch.__version__,
        "model": arguments.model.name,
        "data": arguments.constraints.name,
        "sentences": len(sentences),
        "constraints": sum(len(constraints) for _, constraints in sentences),
        "precision": "float32",
        "device": "CPU",
    }
    return {"signature": signature, "beams": beams}


def read_sentences(path: Path, count: int) -> list[ConstrainedText]:
    """The first sentences that have constraints."""
    found = parse_constraints(read_lines(path), name=str(path))
    sentences = list(islice((sentence for sentence in found if sentence[1]), count))
    if not sentences:
        raise LexalignError(f"{path}: there is no sentence with constraints")
    return sentences


def _search_all(
    comparison: Comparison, names: Sequence[str], sentences: Sequence[ConstrainedText], beam: int
) -> dict[str, dict[str, Any]]:
    found: dict[str, Any] = {name: [] for name in (BASELINE, *names)}
    for number, sentence in enumerate(sentences, start=1):
        for name, results in found.items():
            results.append(comparison.search(name, sentence, beam))
        if number % 10 == 0:
            print(f"beam {beam}: {number} of {len(sentences)}", file=sys.stderr)
    return summarize(found, [constraints for _, constraints in sentences])


def _table(beam: str, rows: dict[str, dict[str, Any]]) -> Table:
    title = f"VDBA, beam {beam}; better and worse are against {BASELINE}"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("", no_wrap=True)
    for head, _, _ in _COLUMNS:
        table.add_column(head, justify="right", no_wrap=True)
    for name, row in rows.items():
        table.add_row(name, *(format(row[key], form) for _, key, form in _COLUMNS))
    return table


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.studies.published_vdba",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--model", type=Path, required=True, help="a model folder")
    parser.add_argument("--constraints", type=Path, required=True, help="a file of any constraint format")
    parser.add_argument("--sentences", type=int, default=60)
    parser.add_argument("--beams", type=int, nargs="+", default=[5])
    parser.add_argument("--searches", choices=OURS, nargs="+", default=OURS, help="of ours, all or some")
    parser.add_argument("--json", type=Path, help="write the results here")
    return parser


if __name__ == "__main__":
    sys.exit(main())
