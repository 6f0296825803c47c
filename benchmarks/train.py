"""Training speed of the paper's model: target tokens a second, peak memory, and the loss at the end.

    python benchmarks/train.py --json train.json             # on a GPU: every variant, under four minutes
    python benchmarks/train.py --quick --device cpu          # every variant on a small model, on any machine

Text is random, with the lengths of Europarl. A variant's name says what it is made of:

    padded     batches of like length, padded, a CUDA graph for each shape: what `lexalign train` does
    packed     sentences one after the other without padding, one shape and one CUDA graph for all batches
    compiled   torch.compile, layer by layer
    cudnn      cuDNN's attention; flash: FlashAttention's; triton: the kernels of `attention_kernels.py`
    chunked    the output projection and its loss some rows at a time
    bytes      random bytes drawn together for all dropout
    norm       the end of a sub-layer by the kernels of `norm_kernels.py`
    autotuned  matrix products chosen by measurement (max-autotune-no-cudagraphs)

`error` is the relative distance of a batch's gradients from those of padded batches in float32, without
dropout: 0.01 is what bfloat16 gives. Where there is a GPU, the slowest kernels of each variant are written to
the JSON file.
"""

import argparse
import gc
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

from harness.machine import signature
from harness.options import make_parser, write_json
from harness.train_kernels import fastest_settings, slowest_kernels
from harness.train_text import random_store
from lexalign.data.batching import BatchOptions, BatchPlan, PlannedBatch
from lexalign.data.collate import TensorBatch, collate
from lexalign.data.packing import PackedPlan, collate_packed
from lexalign.data.store import TokenStore
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer
from lexalign.training.loss import TrainingLoss, TranslationLoss
from lexalign.training.options import TrainingOptions
from lexalign.training.packed_loss import PackedTranslationLoss
from lexalign.training.ranks import Ranks
from lexalign.training.step import RecordedStep, Step

PAPER_TOKENS = 50_000 * 4_500
VARIANTS = [
    "padded+compiled",
    "padded+compiled+cudnn",
    "packed+compiled+flash",
    "packed+compiled+triton",
    "packed+compiled+triton+chunked",
    "packed+compiled+triton+bytes",
    "packed+compiled+triton+chunked+bytes",
    "packed+compiled+triton+chunked+bytes+norm",
    "packed+compiled+triton+chunked+bytes+norm+autotuned",
]
NUM_BATCHES = 12  # which come again and again; more shapes than that would take long to record
SMALL: dict[str, Any] = {
    "vocabulary_size": 300,
    "width": 32,
    "feedforward_width": 64,
    "encoder_layers": 2,
    "decoder_layers": 2,
}
Row = dict[str, object]


def main(given: Sequence[str] | None = None) -> list[Row]:
    arguments = parse(given)
    begin = time.perf_counter()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        text = Text(Path(folder), arguments)
        print(text.describe(), flush=True)
        kernels = fastest_settings(text.packed()[0], text.config) if text.device.type == "cuda" else {}
        for variant in arguments.variants:
            if rows and time.perf_counter() - begin > arguments.minutes * 60:
                rows.append({"variant": variant, "failure": "no time was left"})
                continue
            rows.append(attempt(text, variant, arguments))
            print({name: value for name, value in rows[-1].items() if name != "kernels"}, flush=True)
            if arguments.json:  # after each variant, as the next may outlast a machine
                write(rows, kernels, text.describe(), arguments)
    show(rows)
    return rows


def write(rows: list[Row], kernels: dict[str, float], text: str, arguments: argparse.Namespace) -> None:
    settings = {"batch_tokens": arguments.batch_tokens, "updates": arguments.updates}
    content = {
        "signature": signature(arguments.device, quick=arguments.quick, **settings),
        "text": text,
        "kernel_microseconds": kernels,
        "results": rows,
    }
    write_json(arguments.json, content)


def parse(given: Sequence[str] | None) -> argparse.Namespace:
    parser = make_parser(__doc__, quick="a small model and few updates")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--batch-tokens", type=int, default=36_000)
    parser.add_argument("--variants", nargs="+", default=VARIANTS)
    parser.add_argument("--chunk-rows", type=int, default=4_608)
    parser.add_argument("--updates", type=int, default=120)
    parser.add_argument("--minutes", type=float, default=3.0, help="no variant begins after this time")
    arguments = parser.parse_args(given)
    if arguments.quick:
        arguments.batch_tokens, arguments.updates = 500, 2
        if arguments.device == "cpu":  # a CPU would compile for a minute
            names = (name.replace("+compiled", "").replace("+autotuned", "") for name in arguments.variants)
            arguments.variants = list(dict.fromkeys(names))
    return arguments


class Text:
    """The same pairs in padded and in packed batches."""

    def __init__(self, folder: Path, arguments: argparse.Namespace) -> None:
        self.device, self.chunk_rows = torch.device(arguments.device), arguments.chunk_rows
        self.config = ModelConfig(vocabulary_size=10_000)
        if arguments.quick:
            self.config = replace(self.config, **SMALL)
        self.num_batches = 2 if arguments.quick else NUM_BATCHES
        num_pairs = 2 * NUM_BATCHES * arguments.batch_tokens // 27
        self.store: TokenStore = random_store(
            folder / "text", num_pairs=num_pairs, vocabulary_size=self.config.vocabulary_size
        )
        lengths = self.store.source_lengths, self.store.target_lengths
        self.padded_plan = BatchPlan(*lengths, BatchOptions(max_tokens=arguments.batch_tokens))
        self.packed_plan = PackedPlan(*lengths, max_tokens=arguments.batch_tokens, seed=1)

    def describe(self) -> str:
        padded, packed = self.padded_plan, self.packed_plan
        return (
            f"{len(self.store)} pairs of {self.store.target_lengths.mean():.1f} target tokens; "
            f"padding: {padded.padding_fraction:.1%} in {len(padded.shapes)} shapes, "
            f"{packed.padding_fraction:.1%} packed in {packed.source_size} + {packed.target_size} positions"
        )

    def padded(self) -> list[TensorBatch]:
        return [self.pad(batch) for batch in self.padded_plan.epoch(0)[: self.num_batches]]

    def packed(self) -> list[TensorBatch]:
        return [self.pack(batch) for batch in self.packed_plan.epoch(0)[: self.num_batches]]

    def pad(self, batch: PlannedBatch) -> TensorBatch:
        return collate(self.store, batch, **self._ids).to(self.device)

    def pack(self, batch: PlannedBatch) -> TensorBatch:
        return collate_packed(self.store, batch, self.packed_plan, **self._ids).to(self.device)

    @property
    def _ids(self) -> dict[str, int]:
        config = self.config
        return {
            "pad_id": config.pad_id,
            "eos_id": config.eos_id,
            "target_prefix_id": config.target_prefix[-1],
        }

    def alike(self) -> tuple[TensorBatch, TensorBatch]:
        """Some pairs, padded and packed."""
        batch = self.packed_plan.epoch(0)[0]
        rows = batch.rows[: len(batch.rows) // 4]
        tokens = int((self.store.target_lengths[rows] + 1).sum())
        longest = self.packed_plan.longest
        some = PlannedBatch(rows=rows, source_length=longest, target_length=longest, target_tokens=tokens)
        return self.pad(some), self.pack(some)


def attempt(text: Text, variant: str, arguments: argparse.Namespace) -> Row:
    """A variant that fails is reported, and the others are measured."""
    begin = time.perf_counter()
    try:
        row = measure(text, variant, arguments)
    except Exception as failure:
        row = {"failure": f"{type(failure).__name__}: {failure}"[:600]}
    return {"variant": variant, **row, "all_seconds": round(time.perf_counter() - begin, 1)}


def measure(text: Text, variant: str, arguments: argparse.Namespace) -> Row:
    torch.set_float32_matmul_precision("high")
    gc.collect()  # graphs of the variant before hold memory
    torch.compiler.reset()  # or code that was compiled for another variant would serve this one
    names, device = variant.split("+"), text.device
    torch.backends.cuda.enable_cudnn_sdp("cudnn" in names)
    criterion = build(text, names)
    error = gradient_error(text, names)
    kind = RecordedStep if device.type == "cuda" else Step
    step = kind(criterion, TrainingOptions(), Ranks())
    batches = text.packed() if "packed" in names else text.padded()
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    warm_up = run(step, batches, 2 * len(batches), 0)[0]  # each shape is met, and then recorded
    seconds, tokens = run(step, batches, arguments.updates, 2 * len(batches))
    step.losses.zero_()
    _, last_tokens = run(step, batches, len(batches), 2 * len(batches) + arguments.updates)
    return {
        "tokens_per_second": round(tokens / seconds),
        "milliseconds": round(1000 * seconds / arguments.updates, 2),
        "loss": round(float(step.losses[1]) / last_tokens, 4),
        "error": round(error, 5),
        "peak_gib": round(torch.cuda.max_memory_allocated() / 2**30, 2) if device.type == "cuda" else 0.0,
        "warm_up_seconds": round(warm_up, 1),
        "kernels": slowest_kernels(lambda: run(step, batches, 3, 0)) if device.type == "cuda" else [],
    }


def build(text: Text, names: list[str], *, dropout: float = 0.3) -> TrainingLoss:
    torch.manual_seed(1)
    model = Transformer(replace(text.config, dropout=dropout)).to(text.device).train()
    criterion: TrainingLoss
    if "packed" in names:
        criterion = PackedTranslationLoss(
            model,
            0.1,
            longest=text.packed_plan.longest,
            kernel="triton" if "triton" in names else "flash",
            chunk_rows=text.chunk_rows if "chunked" in names else 0,
            byte_dropout="bytes" in names,
            fused_norm="norm" in names,
        )
    else:
        criterion = TranslationLoss(model, 0.1)
    if "compiled" in names:
        torch._inductor.config.max_autotune_gemm = "autotuned" in names
        criterion.compile_once()
    return criterion


def gradient_error(text: Text, names: list[str]) -> float:
    """Of a variant without compilation and dropout, from padded batches in float32."""
    padded, packed = text.alike()
    plain = [name for name in names if name != "compiled"]
    expected = gradients(build(text, [], dropout=0.0), padded, exact=True)
    found = gradients(build(text, plain, dropout=0.0), packed if "packed" in names else padded, exact=False)
    return float((found - expected).norm() / expected.norm())


def gradients(criterion: TrainingLoss, batch: TensorBatch, *, exact: bool) -> Tensor:
    device = batch.tensors["source_ids"].device.type
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda" and not exact):
        loss, _ = criterion(**batch.tensors)
    (loss / batch.target_tokens).backward()
    return torch.cat(
        [parameter.grad.flatten() for parameter in criterion.parameters() if parameter.grad is not None]
    )


def run(step: Step, batches: list[TensorBatch], updates: int, first: int) -> tuple[float, int]:
    """Seconds and target tokens of so many updates."""
    start, tokens = time.perf_counter(), 0
    for index in range(first, first + updates):
        batch = batches[index % len(batches)]
        step.run([batch], [index], batch.target_tokens, 5e-4 * min(1, (index + 1) / 100))
        tokens += batch.target_tokens
    if step.losses.is_cuda:
        torch.cuda.synchronize()
    return time.perf_counter() - start, tokens


def show(rows: list[Row]) -> None:
    table = Table(title="Training the paper's model")
    heads = (
        "target tokens/s",
        "50,000 × 4,500 tokens",
        "ms/update",
        "peak GiB",
        "loss",
        "error",
        "warm-up s",
    )
    table.add_column("variant")
    for head in heads:
        table.add_column(head, justify="right")
    for row in rows:
        if "failure" in row:
            table.add_row(str(row["variant"]), str(row["failure"]))
            continue
        rate = float(str(row["tokens_per_second"]))
        rest = ("milliseconds", "peak_gib", "loss", "error", "warm_up_seconds")
        table.add_row(
            str(row["variant"]),
            f"{rate:,.0f}",
            f"{PAPER_TOKENS / rate / 60:.1f} min",
            *(str(row[name]) for name in rest),
        )
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
