"""Whole corpora: two workers over one, Ray over local processes, and memory over many segments.

    python benchmarks/corpus.py --model de-en-int8 --input news.de   # all; memory over a million segments
    python benchmarks/corpus.py --quick                              # under a minute, on any machine

The jobs of a part translate the same rows in the same shards, one after the other in one run. `whole` is the
rate from the start of the job, with the start of processes and of Ray and the loading of models; `steady` is
that from the first shard that is done to the last. `workers` takes turns, since machines do not keep their
speed; its figures are the medians of the rounds.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from itertools import cycle, islice
from multiprocessing import active_children
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from harness.machine import signature
from harness.options import make_parser, write_json
from harness.resident_memory import Sampler
from lexalign.corpus.engines.engine import CorpusEngine
from lexalign.corpus.engines.local import LocalEngine
from lexalign.corpus.engines.ray import RayEngine, RayOptions
from lexalign.corpus.job import Progress, translate_corpus
from lexalign.corpus.options import CorpusOptions, ModelSpec
from lexalign.data.synthetic import generate
from lexalign.models.config import ModelConfig
from lexalign.models.folder import save_model
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions
from lexalign.translator import TranslateOptions
from lexalign.translator.workers import num_cores

ONE, TWO, RAY = "local, 1 worker", "local, 2 workers", "ray, 2 workers"
PARTS = ("workers", "ray", "memory")
Row = dict[str, Any]


def main() -> None:
    parser = make_parser(__doc__, quick="few segments")
    parser.add_argument("--model", type=Path, help="a model folder; without one, a small random one")
    parser.add_argument("--input", type=Path, help="text to translate; without it, synthetic sentences")
    parser.add_argument("--segments", type=int, default=1024, help="of each job of `workers`")
    parser.add_argument("--rounds", type=int, default=2, help="of `workers`")
    parser.add_argument("--ray-segments", type=int, default=4096, help="of each job of `ray`")
    parser.add_argument("--memory-segments", type=int, default=1_000_000)
    parser.add_argument("--shard-size", type=int, default=64, help="of `workers` and `ray`")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--int8", action="store_true")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.segments, arguments.rounds, arguments.ray_segments = 600, 1, 600
        arguments.shard_size, arguments.memory_segments = 50, 8_000
    with tempfile.TemporaryDirectory() as folder:
        content = measure(arguments, Path(folder))
    show(content)
    write_json(arguments.json, content)


def measure(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    small = make_model(folder / "small")
    content: dict[str, Any] = {"signature": sign(arguments)}
    if "memory" in arguments.parts:  # before Ray fills the driver with its modules
        content["memory"] = measure_memory(folder, small, arguments.memory_segments)
    if "workers" in arguments.parts:
        names = [ONE, TWO] * arguments.rounds
        content["workers"] = measure_rates(arguments, folder / "workers", small, names, arguments.segments)
    if "ray" in arguments.parts:
        content["ray"] = measure_rates(arguments, folder / "ray", small, [TWO, RAY], arguments.ray_segments)
    return content


def sign(arguments: argparse.Namespace) -> dict[str, object]:
    return signature(
        "cpu",
        model=arguments.model.name if arguments.model else "small, random",
        input=arguments.input.name if arguments.input else "synthetic",
        shard_size=arguments.shard_size,
        beam=arguments.beam,
        precision="int8" if arguments.int8 else "as the model is stored",
        cores=num_cores(),
        quick=arguments.quick,
    )


def measure_rates(
    arguments: argparse.Namespace, folder: Path, small: Path, names: Sequence[str], num_segments: int
) -> list[Row]:
    text = folder / "text.txt"
    lines = arguments.input.read_text().splitlines() if arguments.input else sentences(2_000)
    write_lines(text, lines, num_segments)
    place = ModelSpec(path=arguments.model or small, precision="int8" if arguments.int8 else None)
    options = CorpusOptions(translate=TranslateOptions(beam=arguments.beam), shard_size=arguments.shard_size)
    return [
        timed(name, text, folder / str(number), place, options) for number, name in enumerate(names, start=1)
    ]


def timed(name: str, text: Path, output: Path, place: ModelSpec, options: CorpusOptions) -> Row:
    seen: list[tuple[float, int]] = []

    def watch(progress: Progress) -> None:
        seen.append((time.perf_counter(), progress.run.segments))

    report = translate_corpus([text], output, place, engine(name), options, on_progress=watch)
    (first, segments), (last, all_segments) = seen[0], seen[-1]
    return {
        "engine": name,
        "segments": report.run.segments,
        "tokens": report.run.tokens,
        "seconds": report.seconds,
        "worker_seconds": report.worker_seconds,
        "whole": report.segments_per_second,
        "steady": (all_segments - segments) / (last - first),
    }


def engine(name: str) -> CorpusEngine:
    if name == RAY:
        return RayEngine(RayOptions(min_workers=2, max_workers=2))
    return LocalEngine(["cpu"] * (1 if name == ONE else 2))


def measure_memory(folder: Path, model: Path, num_segments: int) -> Row:
    """Translate greedily into two tokens: the memory matters here, not the translation."""
    text = folder / "memory.txt"
    write_lines(text, sentences(20_000), num_segments)
    options = CorpusOptions(translate=TranslateOptions(beam=1, max_length=2, batch_tokens=4096))
    names: dict[int, str] = {}

    def watch(_: Progress) -> None:
        names.update({one.pid: "worker" for one in active_children() if one.pid})

    with Sampler(names) as sampler:
        workers = LocalEngine(["cpu", "cpu"])
        report = translate_corpus(
            [text], folder / "memory", ModelSpec(path=model), workers, options, on_progress=watch
        )
    return {"segments": report.total.segments, "seconds": report.seconds, "processes": sampler.peaks()}


def make_model(folder: Path) -> Path:
    tokenizer = Tokenizer.train(
        sentences(2_000), TokenizerOptions(vocabulary_size=1_000), folder / "tokenizer.model"
    )
    config = ModelConfig(
        vocabulary_size=tokenizer.vocabulary_size,
        width=16,
        feedforward_width=16,
        encoder_layers=1,
        decoder_layers=1,
        max_positions=128,
    )
    save_model(folder / "model", Transformer(config), tokenizer)
    return folder / "model"


def sentences(number: int) -> list[str]:
    return [source for source, _ in generate(number)]


def write_lines(path: Path, lines: list[str], number: int) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in islice(cycle(lines), number))


def show(content: dict[str, Any]) -> None:
    console = Console()
    if rows := content.get("workers"):
        console.print(rates_table("Two workers over one", rows))
        whole, steady = (median(rows, TWO, kind) / median(rows, ONE, kind) for kind in ("whole", "steady"))
        console.print(f"2 workers over 1: whole {whole:.2f}, steady {steady:.2f}")
    if rows := content.get("ray"):
        console.print(rates_table("Ray over local processes", rows))
        whole, steady = (
            100 * (median(rows, TWO, kind) / median(rows, RAY, kind) - 1) for kind in ("whole", "steady")
        )
        console.print(f"Ray takes longer: whole {whole:.1f} %, steady {steady:.1f} %")
    if memory := content.get("memory"):
        console.print(f"Memory over {memory['segments']:,} segments in {memory['seconds']:,.0f} s:")
        console.print("resident MiB at most, in each tenth of the time")
        for row in memory["processes"]:
            peaks = " ".join(f"{size:4.0f}" for size in row["peaks_mib"])
            console.print(f"  {row['process']:<20.20} {peaks}", highlight=False)
    console.print("; ".join(f"{name} {value}" for name, value in content["signature"].items()), style="dim")


def rates_table(title: str, rows: Sequence[Row]) -> Table:
    table = Table("engine", "segments", "seconds", "whole segments/s", "steady segments/s", title=title)
    for row in rows:
        numbers = (f"{row[name]:,.2f}" for name in ("seconds", "whole", "steady"))
        table.add_row(row["engine"], f"{row['segments']:,}", *numbers)
    return table


def median(rows: Sequence[Row], engine: str, kind: str) -> float:
    return statistics.median(float(row[kind]) for row in rows if row["engine"] == engine)


if __name__ == "__main__":
    main()
