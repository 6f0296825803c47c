"""Whole corpora: two workers over one, Ray over local processes, and memory over many segments.

    python benchmarks/corpus.py --model de-en --input news.de     # all of it; memory over a million segments
    python benchmarks/corpus.py --quick                           # under a minute, on any machine

Every job translates the same rows in the same shards, one after the other in one run. `rate` counts from the
start of the job, the loading of models and the start of processes and Ray included; `steady` from the first
shard that is done to the last.
"""

import argparse
import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from lexalign.corpus.engines.engine import CorpusEngine
from lexalign.corpus.engines.local import LocalEngine
from lexalign.corpus.engines.ray import RayEngine, RayOptions
from lexalign.corpus.job import Progress, translate_corpus
from lexalign.corpus.options import CorpusOptions, ModelPlace
from lexalign.data.synthetic import generate
from lexalign.models.config import ModelConfig
from lexalign.models.folder import save_model
from lexalign.models.transformer import Transformer
from lexalign.storage import write_text
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions
from lexalign.translator import TranslateOptions
from machine import signature
from resident_memory import Sampler

SMALL = {"width": 16, "feedforward_width": 16, "encoder_layers": 1, "decoder_layers": 1, "max_positions": 128}
ENGINES = ("local, 1 worker", "local, 2 workers", "ray, 2 workers")
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="a model folder; without one, a small random one")
    parser.add_argument("--input", type=Path, help="text to translate; without it, made-up sentences")
    parser.add_argument("--segments", type=int, default=4096, help="of each job that is timed")
    parser.add_argument("--shard-size", type=int, default=256)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--int8", action="store_true")
    parser.add_argument("--memory-segments", type=int, default=1_000_000, help="0 leaves this part out")
    parser.add_argument("--parts", nargs="+", choices=["rates", "memory"], default=["rates", "memory"])
    parser.add_argument("--quick", action="store_true", help="few segments; under a minute")
    parser.add_argument("--json", type=Path, help="write the results here")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.segments, arguments.shard_size, arguments.memory_segments = 600, 50, 8_000
    with tempfile.TemporaryDirectory() as folder:
        content = measure(arguments, Path(folder))
    show(content)
    if arguments.json:
        write_text(arguments.json, json.dumps(content, indent=2) + "\n")


def measure(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    small = make_model(folder / "small")
    content: dict[str, Any] = {
        "signature": signature(
            "cpu",
            model=str(arguments.model or "small"),
            segments=arguments.segments,
            shard_size=arguments.shard_size,
            beam=arguments.beam,
            precision="int8" if arguments.int8 else "float32",
            quick=arguments.quick,
        )
    }
    if "rates" in arguments.parts:
        content["rates"] = measure_rates(arguments, folder, arguments.model or small)
    if "memory" in arguments.parts and arguments.memory_segments:
        content["memory"] = measure_memory(folder, small, arguments.memory_segments)
    return content


def measure_rates(arguments: argparse.Namespace, folder: Path, model: Path) -> list[Row]:
    text = folder / "rates.txt"
    lines = arguments.input.read_text().splitlines() if arguments.input else sentences(2_000)
    write_lines(text, lines, arguments.segments)
    place = ModelPlace(path=model, precision="int8" if arguments.int8 else "float32")
    options = CorpusOptions(translate=TranslateOptions(beam=arguments.beam), shard_size=arguments.shard_size)
    return [timed(name, text, folder / name, place, options) for name in ENGINES]


def timed(name: str, text: Path, output: Path, place: ModelPlace, options: CorpusOptions) -> Row:
    seen: list[tuple[float, int, int]] = []

    def watch(progress: Progress) -> None:
        seen.append((time.perf_counter(), progress.run.segments, progress.run.tokens))

    report = translate_corpus([text], output, place, engine(name), options, watch=watch)
    (first, segments, _), (last, all_segments, _) = seen[0], seen[-1]
    return {
        "engine": name,
        "seconds": report.seconds,
        "rate": report.segments_per_second,
        "tokens_per_second": report.tokens_per_second,
        "steady": (all_segments - segments) / (last - first) if last > first else None,
        "worker_seconds": report.worker_seconds,
    }


def engine(name: str) -> CorpusEngine:
    if name.startswith("ray"):
        return RayEngine(RayOptions(min_workers=2, max_workers=2))
    return LocalEngine(["cpu"] * (1 if "1" in name else 2))


def measure_memory(folder: Path, model: Path, num_segments: int) -> Row:
    """Two tokens of a greedy translation: what is held matters here, not what is said."""
    text = folder / "memory.txt"
    write_lines(text, sentences(2_000), num_segments)
    search = TranslateOptions(beam=1, max_length=2, batch_tokens=4096)
    with Sampler() as sampler:
        options = CorpusOptions(translate=search)
        report = translate_corpus(
            [text], folder / "memory", ModelPlace(path=model), LocalEngine(["cpu", "cpu"]), options
        )
    return {"segments": report.total.segments, "seconds": report.seconds, "processes": sampler.peaks()}


def make_model(folder: Path) -> Path:
    tokenizer = Tokenizer.train(
        sentences(2_000), TokenizerOptions(vocabulary_size=1_000), folder / "tokenizer.model"
    )
    config = ModelConfig(vocabulary_size=tokenizer.vocabulary_size, **SMALL)
    save_model(folder / "model", Transformer(config), tokenizer)
    return folder / "model"


def sentences(number: int) -> list[str]:
    return [source for source, _ in generate(number)]


def write_lines(path: Path, lines: list[str], number: int) -> None:
    generator = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(generator.choice(lines) + "\n" for _ in range(number))


def show(content: dict[str, Any]) -> None:
    console = Console()
    if rates := content.get("rates"):
        table = Table("engine", "seconds", "segments/s", "steady segments/s", "tokens/s")
        for row in rates:
            numbers = (row["seconds"], row["rate"], row["steady"] or 0.0, row["tokens_per_second"])
            table.add_row(row["engine"], *(f"{number:,.1f}" for number in numbers))
        console.print(table)
        one, two, ray = rates
        console.print(
            f"2 workers over 1: {two['rate'] / one['rate']:.2f}, steady {two['steady'] / one['steady']:.2f}"
        )
        overheads = (100 * (1 - ray[name] / two[name]) for name in ("rate", "steady"))
        console.print("Ray's overhead: {:.1f} %, steady {:.1f} %".format(*overheads))
    if memory := content.get("memory"):
        console.print(f"memory over {memory['segments']:,} segments in {memory['seconds']:,.0f} s:")
        console.print("resident MiB at most, in each fifth of the time")
        for row in memory["processes"]:
            peaks = " ".join(f"{size:6.1f}" for size in row["peaks_mib"])
            console.print(f"  {row['process']:<44} {peaks}", highlight=False)


if __name__ == "__main__":
    main()
