"""Speed of an imported Marian model, against transformers and CTranslate2 on the same weights in one run.

    python benchmarks/imported.py --quick
    python benchmarks/imported.py --marian opus-mt-de-en --input test.de --json imported.json
    python benchmarks/imported.py --model models/de-en --input test.de --device cuda

A folder of Marian's (`--marian`), or a model of ours that is exported first, is imported and measured as in
decode.py. Peers that are not installed are left out. With constraints: imported_terms.py.
"""

import argparse
import contextlib
import tempfile
from dataclasses import asdict
from pathlib import Path

import torch
from rich.console import Console

from harness.engines.engines import PEERS, make_engines, missing_peers
from harness.engines.folders import imported_folders
from harness.engines.report import Report, print_report, sign
from harness.engines.rounds import measure, open_workers, quieten, settings
from harness.engines.workers import Workers
from harness.engines.workload import Case, draw_sentences, make_batches, read_sentences
from harness.options import make_parser, write_json
from lexalign.models.folder import load_model
from lexalign.models.transformer import Transformer
from lexalign.text.subwords import SubwordTokenizer

_BEAM = 5
_QUICK = 8  # sentences


def main() -> None:
    arguments = parse()
    console = Console()
    quieten()
    torch.set_num_threads(1)  # a process that has had threads cannot be forked
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as stack:
        missing = missing_peers(arguments.peers)
        for peer in missing:
            console.print(f"{PEERS[peer]} is not installed, and left out")
        peers = [peer for peer in arguments.peers if peer not in missing]
        folders = imported_folders(arguments.marian, arguments.model, peers, Path(scratch), arguments.seed)
        model, tokenizer = load_model(folders.lexalign)
        sentences = choose_sentences(arguments, tokenizer.source, model)
        # A recorded search is for one length, so on a GPU few lengths are asked for.
        multiple = 1 if arguments.device == "cpu" else 16
        batches = {
            size: make_batches(sentences, size, model.config.eos_id, multiple) for size in arguments.batches
        }
        cases = [Case(beam=_BEAM, batch=batch) for batch in arguments.batches]
        engines = make_engines(
            folders, settings(arguments.device, "workers"), peers, arguments.device, tokenizer.source
        )
        workers = [stack.enter_context(open_workers(Workers(engine, batches))) for engine in engines]
        results = measure(workers, cases, arguments.rounds, console)
        report = Report(signature=sign(arguments, sentences, missing), results=results, limits=[])
    write_json(arguments.json, asdict(report))
    print_report(report, console)


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="a few short sentences, one round")
    parser.add_argument("--marian", type=Path, help="a HuggingFace folder of Marian's")
    parser.add_argument("--model", type=Path, help="a folder of ours; random weights without both")
    parser.add_argument("--input", type=Path, help="one sentence a line; random tokens without it")
    parser.add_argument("--sentences", type=int, default=64)
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--peers", nargs="*", choices=sorted(PEERS), default=sorted(PEERS))
    arguments = parser.parse_args()
    arguments.beams = [_BEAM]
    if arguments.quick:
        arguments.rounds = 1
    return arguments


def choose_sentences(
    arguments: argparse.Namespace, tokenizer: SubwordTokenizer, model: Transformer
) -> list[list[int]]:
    if arguments.input:
        found = read_sentences(arguments.input, arguments.sentences, tokenizer)
        return sorted(found, key=len)[:_QUICK] if arguments.quick else found
    # The padding is the last entry.
    number, longest = (_QUICK, 14) if arguments.quick else (arguments.sentences, 80)
    return draw_sentences(number, model.config.vocabulary_size - 1, arguments.seed, longest)


if __name__ == "__main__":
    main()
