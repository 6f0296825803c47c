"""Training speed of the paper's model: target tokens a second, and peak memory.

    python benchmarks/train.py                                # on a GPU: every way, several batch sizes
    python benchmarks/train.py --quick --device cpu           # seconds, on any machine

`plain` launches operation by operation, `compiled` through torch.compile; `recorded` replays whole updates as
CUDA graphs, `cudnn` with cuDNN's attention.
"""

import argparse
import time
from dataclasses import replace

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from harness.machine import signature
from harness.options import make_parser, write_json
from lexalign.data.collate import TokenBatch
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer
from lexalign.training.loss import TranslationLoss
from lexalign.training.options import TrainingOptions
from lexalign.training.ranks import Ranks
from lexalign.training.step import RecordedStep, Step

PAPER_TOKENS = 50_000 * 4_500
WAYS = ["plain", "recorded", "compiled", "recorded+compiled", "recorded+compiled+cudnn"]
Row = dict[str, float | int | str]


def main() -> None:
    parser = make_parser(__doc__, quick="a small model and few updates")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--batch-tokens", type=int, nargs="+", default=[4_500, 9_000, 36_000])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--updates", type=int, default=200)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.batch_tokens, arguments.updates, arguments.ways = [1_000], 5, ["plain"]
    if arguments.device == "cpu":
        arguments.ways = [way for way in arguments.ways if "recorded" not in way]
    rows = [measure(arguments, way, tokens) for way in arguments.ways for tokens in arguments.batch_tokens]
    show(rows)
    named = signature(
        arguments.device,
        batch_tokens=arguments.batch_tokens,
        updates=arguments.updates,
        quick=arguments.quick,
    )
    write_json(arguments.json, {"signature": named, "results": rows})


def measure(arguments: argparse.Namespace, way: str, batch_tokens: int) -> Row:
    """Time updates on random sentences of the usual lengths, in a few shapes, as training has them."""
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    torch.compiler.reset()  # or code that was compiled for another way would serve this one
    device = torch.device(arguments.device)
    config = ModelConfig(vocabulary_size=10_000)
    if arguments.quick:
        config = replace(config, vocabulary_size=1_000, width=128, encoder_layers=2, decoder_layers=2)
    criterion = TranslationLoss(Transformer(config).to(device).train(), 0.1)
    if "compiled" in way:
        criterion.compile_once()
    kind = RecordedStep if "recorded" in way else Step
    step = kind(criterion, TrainingOptions(), Ranks())
    batches = make_batches(config, batch_tokens, device)
    if device.type == "cuda":
        torch.backends.cuda.enable_cudnn_sdp("cudnn" in way)
        torch.cuda.reset_peak_memory_stats()
    warm_up = run(step, batches, 2 * len(batches))[0]  # each shape is met, and then recorded
    seconds, tokens = run(step, batches, arguments.updates)
    return {
        "way": way,
        "batch_tokens": batch_tokens,
        "tokens_per_second": tokens / seconds,
        "warm_up_seconds": warm_up,
        "peak_gib": torch.cuda.max_memory_allocated() / 2**30 if device.type == "cuda" else 0.0,
    }


def run(step: Step, batches: list[TokenBatch], updates: int) -> tuple[float, int]:
    """Seconds and target tokens of so many updates."""
    start, tokens = time.perf_counter(), 0
    for index in range(updates):
        batch = batches[index % len(batches)]
        step.run([batch], [index], batch.target_tokens, 1e-4)
        tokens += batch.target_tokens
    if step.losses.is_cuda:
        torch.cuda.synchronize()
    return time.perf_counter() - start, tokens


def make_batches(config: ModelConfig, batch_tokens: int, device: torch.device) -> list[TokenBatch]:
    """One batch for each of ten lengths; rows are padded by up to seven tokens, as buckets of eight do."""
    generator = np.random.default_rng(1)
    batches = []
    for length in (16, 24, 24, 32, 32, 32, 40, 40, 48, 64):
        rows = max(batch_tokens // length // 8 * 8, 1)
        lengths = generator.integers(length - 7, length + 1, size=(2, rows))
        source, target = (_random_ids(config, lengths[side], length, generator) for side in (0, 1))
        target_input = np.concatenate([np.full((rows, 1), config.target_prefix[0]), target[:, :-1]], axis=1)
        batches.append(
            TokenBatch(
                source_ids=torch.from_numpy(source).to(device),
                target_input_ids=torch.from_numpy(target_input).to(device),
                target_output_ids=torch.from_numpy(target).to(device),
                target_tokens=int(lengths[1].sum()),
            )
        )
    return batches


def _random_ids(
    config: ModelConfig, lengths: np.ndarray, width: int, generator: np.random.Generator
) -> np.ndarray:
    ids = generator.integers(4, config.vocabulary_size, size=(len(lengths), width))
    return np.where(np.arange(width) < lengths[:, None], ids, config.pad_id)


def show(rows: list[Row]) -> None:
    table = Table(title="Training the paper's model")
    for name in ("way", "batch tokens", "target tokens/s", "50,000 × 4,500 tokens", "peak memory", "warm-up"):
        table.add_column(name, justify="right")
    for row in rows:
        rate = float(row["tokens_per_second"])
        table.add_row(
            str(row["way"]),
            f"{row['batch_tokens']:,}",
            f"{rate:,.0f}",
            f"{PAPER_TOKENS / rate / 60:.1f} min",
            f"{row['peak_gib']:.1f} GiB",
            f"{row['warm_up_seconds']:.0f} s",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
