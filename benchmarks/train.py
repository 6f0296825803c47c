"""Training speed of the paper's model: target tokens a second, and peak memory.

python benchmarks/train.py                       # on a GPU, batches of 36,000 tokens, compiled
python benchmarks/train.py --quick --device cpu  # seconds, on any machine
"""

import argparse
import json
import platform
import time
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from lexalign import __version__
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer
from lexalign.storage import write_text
from lexalign.training.loss import TranslationLoss

PAPER_TOKENS = 50_000 * 4_500


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--batch-tokens", type=int, default=36_000)
    parser.add_argument("--updates", type=int, default=200)
    parser.add_argument("--compile", choices=["yes", "no", "both"], default="both")
    parser.add_argument("--quick", action="store_true", help="a small model and few updates; under a minute")
    parser.add_argument("--json", type=Path, help="write the results here")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.batch_tokens, arguments.updates = min(arguments.batch_tokens, 2_000), 5
        if arguments.device == "cpu":
            arguments.compile = "no"
    ways = {"yes": [True], "no": [False], "both": [False, True]}[arguments.compile]
    rows = [measure(arguments, compiled) for compiled in ways]
    show(rows)
    if arguments.json:
        write_text(
            arguments.json, json.dumps({"signature": signature(arguments), "results": rows}, indent=2) + "\n"
        )


def measure(arguments: argparse.Namespace, compiled: bool) -> dict[str, float | bool]:
    """Updates on random sentences with the lengths of a real corpus, in a few shapes, as training has them."""
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    device = torch.device(arguments.device)
    layers = 2 if arguments.quick else 6
    config = ModelConfig(vocabulary_size=10_000, encoder_layers=layers, decoder_layers=layers)
    model = Transformer(config).to(device).train()
    criterion = TranslationLoss(model, 0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    if compiled:
        criterion.compile_once()
    batches = make_batches(config, arguments.batch_tokens, device)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    for batch in batches:  # every shape once: compilation and library set-up stay out of the figure
        update(criterion, optimizer, batch, device)
    wait(device)
    warm_up = time.perf_counter() - start
    tokens, start = 0, time.perf_counter()
    for index in range(arguments.updates):
        batch = batches[index % len(batches)]
        update(criterion, optimizer, batch, device)
        tokens += int(batch[3])
    wait(device)
    rate = tokens / (time.perf_counter() - start)
    peak = torch.cuda.max_memory_allocated() / 2**30 if device.type == "cuda" else float("nan")
    return {"compiled": compiled, "tokens_per_second": rate, "warm_up_seconds": warm_up, "peak_gib": peak}


def update(
    criterion: TranslationLoss, optimizer: torch.optim.Optimizer, batch: list, device: torch.device
) -> None:
    source, target_input, target_output, tokens = batch
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        loss, _ = criterion(source, target_input, target_output)
        (loss / tokens).backward()
    torch.nn.utils.clip_grad_norm_(criterion.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def make_batches(config: ModelConfig, batch_tokens: int, device: torch.device) -> list[list]:
    """One batch for each of ten lengths; rows are padded by up to seven tokens, as buckets of eight do."""
    generator = np.random.default_rng(1)
    batches = []
    for length in (16, 24, 24, 32, 32, 32, 40, 40, 48, 64):
        rows = max(batch_tokens // length // 8 * 8, 1)
        lengths = generator.integers(length - 7, length + 1, size=(2, rows))
        source, target = (_random_ids(config, lengths[side], length, generator) for side in (0, 1))
        target_input = np.concatenate([np.full((rows, 1), config.target_prefix[0]), target[:, :-1]], axis=1)
        tensors = [torch.from_numpy(ids).to(device) for ids in (source, target_input, target)]
        batches.append([*tensors, int(lengths[1].sum())])
    return batches


def _random_ids(
    config: ModelConfig, lengths: np.ndarray, width: int, generator: np.random.Generator
) -> np.ndarray:
    ids = generator.integers(4, config.vocabulary_size, size=(len(lengths), width))
    return np.where(np.arange(width) < lengths[:, None], ids, config.pad_id)


def wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def signature(arguments: argparse.Namespace) -> dict[str, object]:
    gpu = torch.cuda.get_device_name() if arguments.device.startswith("cuda") else None
    return {
        "lexalign": __version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "device": gpu or platform.processor() or platform.machine(),
        "batch_tokens": arguments.batch_tokens,
        "updates": arguments.updates,
        "quick": arguments.quick,
        "seed": 1,
    }


def show(rows: list[dict[str, float | bool]]) -> None:
    table = Table(title="Training the paper's model")
    for name in ("compiled", "target tokens/s", "50,000 × 4,500 tokens", "peak memory", "warm-up"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            "yes" if row["compiled"] else "no",
            f"{row['tokens_per_second']:,.0f}",
            f"{PAPER_TOKENS / row['tokens_per_second'] / 60:.1f} min",
            f"{row['peak_gib']:.1f} GiB",
            f"{row['warm_up_seconds']:.0f} s",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
