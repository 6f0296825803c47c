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
import random
import statistics
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import torch
from rich.console import Console

from arithmetic import Rate, count_work, measure_rate
from engines import PEERS, Folders, Setting, make_engines, missing_peers
from lexalign.interop.marian import export_marian
from lexalign.models.config import ModelConfig
from lexalign.models.folder import load_model, save_model
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions
from report import Limit, Report, Result, print_report, sign, write_json
from workers import Workers
from workload import Batch, Case, draw_sentences, make_batches, read_sentences

# Threads of OpenMP go on spinning for a while after their work, and would disturb the next engine.
_PAUSE_S = 0.25
_VOCABULARY = 10_000


def main() -> None:
    arguments = parse()
    console = Console()
    quieten()
    torch.set_num_threads(1)  # a process that has had threads cannot be forked
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as stack:
        missing = missing_peers(arguments.peers)
        peers = [peer for peer in arguments.peers if peer not in missing]
        folders = prepare(arguments.model, peers, Path(scratch), arguments.seed)
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
    if arguments.json:
        write_json(report, arguments.json)
    print_report(report, console)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", type=Path, help="a model folder; random weights without it")
    parser.add_argument("--input", type=Path, help="one sentence a line; random tokens without it")
    parser.add_argument("--sentences", type=int, default=64)
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
    parser.add_argument("--quick", action="store_true", help="a few short sentences, one beam, one setting")
    parser.add_argument("--json", type=Path, help="write the results here")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.sentences, arguments.beams, arguments.rounds = 32, arguments.beams[:1], 1
        arguments.settings = "workers"
    return arguments


def quieten() -> None:
    """Before transformers is imported: no progress bars, and no advice on packages it can do without."""
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    warnings.filterwarnings("ignore", module="transformers")


def settings(device: str, which: str) -> list[Setting]:
    """One worker with all cores, and one for each core, which is most engines' best."""
    cores = len(os.sched_getaffinity(0))
    if device != "cpu" or cores == 1:
        return [Setting(workers=1, threads=1)]
    one_each = Setting(workers=cores, threads=1)
    return [one_each] if which == "workers" else [Setting(workers=1, threads=cores), one_each]


def prepare(model: Path | None, peers: list[str], scratch: Path, seed: int) -> Folders:
    """The model in the formats of the engines."""
    folders = Folders(
        lexalign=model or scratch / "lexalign", marian=scratch / "marian", ctranslate2=scratch / "ctranslate2"
    )
    if model is None:
        save_random_model(folders.lexalign, seed)
    if peers:
        weights, tokenizer = load_model(folders.lexalign)
        export_marian(weights, tokenizer, folders.marian, "xx", "yy")
    if "ct2" in peers:
        from ctranslate2.converters import TransformersConverter

        TransformersConverter(str(folders.marian)).convert(str(folders.ctranslate2))
    return folders


def save_random_model(folder: Path, seed: int) -> None:
    torch.manual_seed(seed)
    generator = random.Random(seed)
    words = ("".join(generator.choices("abcdefghijklmnopqrstuvwxyz", k=9)) for _ in range(20_000))
    with tempfile.TemporaryDirectory() as scratch:
        options = TokenizerOptions(vocabulary_size=_VOCABULARY)
        tokenizer = Tokenizer.train(words, options, Path(scratch) / "tokenizer.model")
    save_model(folder, Transformer(ModelConfig(vocabulary_size=_VOCABULARY)), tokenizer)


def choose_sentences(arguments: argparse.Namespace, tokenizer: Tokenizer) -> list[list[int]]:
    if arguments.input:
        return read_sentences(arguments.input, arguments.sentences, tokenizer)
    longest = 14 if arguments.quick else 80
    return draw_sentences(arguments.sentences, tokenizer.vocabulary_size, arguments.seed, longest)


@contextlib.contextmanager
def open_workers(workers: Workers) -> Iterator[Workers]:
    try:
        yield workers
    finally:
        workers.close()


def measure(workers: list[Workers], cases: list[Case], rounds: int, console: Console) -> list[Result]:
    seconds: dict[tuple[int, Case], list[float]] = {}
    with console.status("") as status:
        for turn in range(rounds + 1):
            for case in cases:
                for index, engine in enumerate(workers):
                    status.update(f"round {turn} of {rounds}, {case}: {engine.engine.name}")
                    time.sleep(_PAUSE_S)
                    warm_up = turn == 0
                    elapsed = engine.seconds(case, limit=engine.num_warm_ups if warm_up else None)
                    if not warm_up:
                        seconds.setdefault((index, case), []).append(elapsed)
    return [
        Result(
            engine=workers[index].engine.name,
            precision=workers[index].engine.precision,
            setting=workers[index].engine.setting,
            case=case,
            sentences_per_second=workers[index].num_sentences(case) / statistics.median(times),
            seconds=times,
        )
        for (index, case), times in seconds.items()
    ]


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
