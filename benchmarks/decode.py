"""Speed of our decoder against CTranslate2 and transformers, on the same weights and inputs in one run.

    python benchmarks/decode.py --quick
    python benchmarks/decode.py --model models/de-en --input test.de --json decode.json
    python benchmarks/decode.py --device cuda --batches 64 512

Every engine translates the same batches into translations of the same length, in processes that wait while
another engine works. The engines take turns, round by round, and each counts with its median, so that a
machine that is busy for a while is busy for all of them.
"""

import argparse
import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import torch
from rich.console import Console

from harness.engines.arithmetic import Rate, count_work, measure_rate
from harness.engines.engines import PEERS, make_engines, missing_peers
from harness.engines.folders import Folders, exported_folders
from harness.engines.report import Limit, Report, print_report, sign
from harness.engines.rounds import measure, open_workers, quieten, settings
from harness.engines.workers import Workers
from harness.engines.workload import Batch, Case, draw_sentences, make_batches, read_sentences
from harness.options import make_parser, write_json
from lexalign.models.folder import load_model
from lexalign.text.tokenizer import Tokenizer


def main() -> None:
    arguments = parse()
    console = Console()
    quieten()
    torch.set_num_threads(1)  # a process that has had threads cannot be forked
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as stack:
        missing = missing_peers(arguments.peers)
        peers = [peer for peer in arguments.peers if peer not in missing]
        folders = exported_folders(arguments.model, peers, Path(scratch), arguments.seed)
        tokenizer = Tokenizer.load(folders.lexalign / "tokenizer.model")
        sentences = choose_sentences(arguments, tokenizer)
        # A recorded search is for one length, so on a GPU few lengths are asked for.
        multiple = 1 if arguments.device == "cpu" else 16
        batches = {
            size: make_batches(sentences, size, tokenizer.eos_id, multiple) for size in arguments.batches
        }
        cases = [Case(beam=beam, batch=batch) for beam in arguments.beams for batch in arguments.batches]
        engines = make_engines(
            folders, settings(arguments.device, arguments.settings), peers, arguments.device, tokenizer
        )
        workers = [stack.enter_context(open_workers(Workers(engine, batches))) for engine in engines]
        report = Report(
            signature=sign(arguments, sentences, missing),
            results=measure(workers, cases, arguments.rounds, console),
            limits=limits(folders, cases, batches) if arguments.device == "cpu" else [],
        )
    write_json(arguments.json, asdict(report))
    print_report(report, console)


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="a few short sentences, one beam, one setting")
    parser.add_argument("--model", type=Path, help="a model folder; random weights without it")
    parser.add_argument("--input", type=Path, help="one sentence a line; random tokens without it")
    parser.add_argument("--sentences", type=int, default=64)
    parser.add_argument("--length", type=int, help="tokens of every sentence, within a fifth")
    parser.add_argument("--beams", type=int, nargs="+", default=[5, 10])
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--peers", nargs="*", choices=sorted(PEERS), default=sorted(PEERS))
    parser.add_argument(
        "--settings",
        choices=["all", "workers"],
        default="all",
        help="all: also one worker with a thread for each core, beside one worker for each core",
    )
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.sentences, arguments.beams, arguments.rounds = 16, arguments.beams[:1], 1
        arguments.settings = "workers"
    return arguments


def choose_sentences(arguments: argparse.Namespace, tokenizer: Tokenizer) -> list[list[int]]:
    count, length = arguments.sentences, arguments.length
    if arguments.input:
        return read_sentences(arguments.input, count, tokenizer, length)
    longest = 14 if arguments.quick else 80
    return draw_sentences(count, tokenizer.vocabulary_size, arguments.seed, longest, length)


def limits(folders: Folders, cases: list[Case], batches: dict[int, list[Batch]]) -> list[Limit]:
    return [
        limit for precision in ("float32", "int8") for limit in _limits(folders, precision, cases, batches)
    ]


def _limits(
    folders: Folders, precision: str, cases: list[Case], batches: dict[int, list[Batch]]
) -> Iterator[Limit]:
    model, _ = load_model(folders.lexalign, precision="int8" if precision == "int8" else "float32")
    for case in cases:
        work = count_work(model.config, batches[case.batch], case.beam)
        rate: Rate = measure_rate(model, case, batches[case.batch])
        num_sentences = sum(len(batch.source_ids) for batch in batches[case.batch])
        yield Limit(
            case=case,
            precision=precision,
            gflop_per_sentence=(work.encoder + work.decoder) / num_sentences / 1e9,
            encoder_gflops=rate.encoder / 1e9,
            decoder_gflops=rate.decoder / 1e9,
            sentences_per_second=num_sentences / rate.seconds(work) * len(os.sched_getaffinity(0)),
        )


if __name__ == "__main__":
    main()
