"""CPU time of a translation on one core, ours over CTranslate2's, for short, ordinary and long sentences.

    python benchmarks/one_core.py --rounds 5 --json one-core.json
    python benchmarks/one_core.py --model models/de-en --input news.de
    python benchmarks/one_core.py --quick

Both engines run in this process, with one thread each, and take turns; each counts with the median of its CPU
time. So figures hold on a machine that others use too, but for what they take of its caches. Every
translation is as long as the longest source of its batch.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from harness.engines.arithmetic import count_work, measure_rate
from harness.engines.engines import CTranslate2, Engine, Lexalign, Setting
from harness.engines.folders import Folders, exported_folders
from harness.engines.rounds import quieten
from harness.engines.workload import Batch, Case, draw_sentences, make_batches, read_sentences
from harness.machine import signature
from harness.options import make_parser, write_json
from lexalign.models.folder import load_model
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer

ONE = Setting(workers=1, threads=1)


@dataclass(frozen=True, kw_only=True)
class Row:
    precision: str
    length: int
    beam: int
    batch: int
    ours_ms: float  # of CPU, for a sentence
    theirs_ms: float
    over_ctranslate2: float  # the median of the rounds' ratios
    limit_ms: float  # of the products alone

    @property
    def share_of_limit(self) -> float:
        return self.limit_ms / self.ours_ms


def main() -> None:
    arguments = parse()
    quieten()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as scratch:
        folders = exported_folders(arguments.model, ["ct2"], Path(scratch), arguments.seed)
        rows = list(measure_all(folders, arguments))
    show(rows)
    named = signature(
        "cpu", rounds=arguments.rounds, sentences=arguments.sentences, model=str(arguments.model or "random")
    )
    write_json(arguments.json, {"signature": named, "results": [asdict(row) for row in rows]})


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="ordinary sentences, beam 5, two rounds")
    parser.add_argument("--model", type=Path, help="a model folder; random weights without it")
    parser.add_argument("--input", type=Path, help="one sentence a line; random tokens without it")
    parser.add_argument("--lengths", type=int, nargs="+", default=[8, 22, 60], help="tokens, within a fifth")
    parser.add_argument("--beams", type=int, nargs="+", default=[1, 5, 10])
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--precisions", nargs="+", default=["int8", "float32"])
    parser.add_argument("--sentences", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.lengths, arguments.beams, arguments.rounds = [22], [5], 2
    return arguments


def measure_all(folders: Folders, arguments: argparse.Namespace) -> Iterator[Row]:
    tokenizer = Tokenizer.load(folders.lexalign / "tokenizer.model")
    for precision in arguments.precisions:
        engines: list[Engine] = [
            Lexalign(folders, precision, ONE, "cpu"),
            CTranslate2(folders, precision, ONE, "cpu", tokenizer),
        ]
        for engine in engines:
            engine.start()
        model, _ = load_model(folders.lexalign, precision="int8" if precision == "int8" else "float32")
        for length in arguments.lengths:
            sentences = choose(arguments, length, tokenizer)
            for batch in arguments.batches:
                # One by one, a quarter of the sentences takes as long.
                some = sentences if batch > 1 else sentences[:: max(1, len(sentences) // 4)]
                batches = make_batches(some, batch, tokenizer.eos_id)
                for beam in arguments.beams:
                    case = Case(beam=beam, batch=batch)
                    yield compare(engines, precision, length, case, batches, model, arguments.rounds)


def choose(arguments: argparse.Namespace, length: int, tokenizer: Tokenizer) -> list[list[int]]:
    if arguments.input:
        return read_sentences(arguments.input, arguments.sentences, tokenizer, length)
    return draw_sentences(arguments.sentences, tokenizer.vocabulary_size, arguments.seed, length, length)


def compare(
    engines: list[Engine],
    precision: str,
    length: int,
    case: Case,
    batches: list[Batch],
    model: Transformer,
    rounds: int,
) -> Row:
    seconds: list[list[float]] = [[], []]
    for _ in range(rounds + 1):
        for engine, found in zip(engines, seconds, strict=True):
            started = time.process_time()
            engine.translate(iter(batches), case.beam)
            found.append(time.process_time() - started)
    ours, theirs = (found[1:] for found in seconds)
    count = sum(len(batch.source_ids) for batch in batches)
    limit = measure_rate(model, case, batches).seconds(count_work(model.config, batches, case.beam))
    return Row(
        precision=precision,
        length=length,
        beam=case.beam,
        batch=case.batch,
        ours_ms=1000 * statistics.median(ours) / count,
        theirs_ms=1000 * statistics.median(theirs) / count,
        over_ctranslate2=statistics.median(b / a for a, b in zip(ours, theirs, strict=True)),
        limit_ms=1000 * limit / count,
    )


def show(rows: list[Row]) -> None:
    table = Table(title="CPU time of a sentence on one core")
    for name in ("precision", "tokens", "batch", "beam", "ms", "CTranslate2", "over it", "limit", "share"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            *(row.precision, str(row.length), str(row.batch), str(row.beam), f"{row.ours_ms:.1f}"),
            *(f"{row.theirs_ms:.1f}", f"{row.over_ctranslate2:.2f}", f"{row.limit_ms:.1f}"),
            f"{row.share_of_limit:.0%}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
