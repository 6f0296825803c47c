"""The results as tables; they carry what is needed to get the same numbers again."""

import argparse
import importlib.metadata
import os
import platform
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from harness.engines.engines import Setting
from harness.engines.workload import Case
from lexalign import __version__


@dataclass(frozen=True, kw_only=True)
class Result:
    """An engine in one setting; the median over the rounds."""

    engine: str
    precision: str
    setting: Setting
    case: Case
    sentences_per_second: float
    seconds: list[float]


@dataclass(frozen=True, kw_only=True)
class Limit:
    """What all cores could do if they did nothing but the products of our model."""

    case: Case
    precision: str
    gflop_per_sentence: float
    encoder_gflops: float  # of one core
    decoder_gflops: float
    sentences_per_second: float


@dataclass(frozen=True, kw_only=True)
class Report:
    signature: dict[str, Any]
    results: list[Result]
    limits: list[Limit]

    @property
    def cases(self) -> list[Case]:
        return list(dict.fromkeys(result.case for result in self.results))

    def best(self, engine: str, precision: str, case: Case) -> float:
        """Sentences per second in the engine's best setting; 0 where it did not run."""
        speeds = [
            result.sentences_per_second
            for result in self.results
            if (result.engine, result.precision, result.case) == (engine, precision, case)
        ]
        return max(speeds, default=0.0)

    def pairs(self) -> list[tuple[str, str, str]]:
        """Our precisions, each beside the engines and precisions it is compared with."""
        kinds = dict.fromkeys((result.engine, result.precision) for result in self.results)
        ours = [precision for engine, precision in kinds if engine == "lexalign"]
        return [(mine, *kind) for mine in ours for kind in kinds if kind[0] != "lexalign"]


def sign(arguments: argparse.Namespace, sentences: list[list[int]], missing: list[str]) -> dict[str, Any]:
    lengths = sorted(map(len, sentences))
    return {
        "versions": {
            "lexalign": __version__,  # which may be run where it is not installed
            **{name: _version(name) for name in ("torch", "ctranslate2", "transformers", "numpy")},
        },
        "python": platform.python_version(),
        "cpu": _cpu_name(),
        "cores": len(os.sched_getaffinity(0)),
        "device": _device_name(arguments.device),
        "model": str(arguments.model.name) if arguments.model else "random weights, default size",
        "input": str(arguments.input.name) if arguments.input else "random tokens",
        "seed": arguments.seed,
        "sentences": len(sentences),
        "source_length": {
            "mean": round(statistics.mean(lengths), 1),
            "median": statistics.median(lengths),
            "min": lengths[0],
            "max": lengths[-1],
        },
        "target_length": "the longest source of the batch, forced",
        "beams": arguments.beams,
        "batches": arguments.batches,
        "rounds": arguments.rounds,
        "missing_peers": missing,
    }


def print_report(report: Report, console: Console) -> None:
    console.print(_speeds(report))
    if report.pairs():
        console.print(_ratios(report))
    if report.limits:
        console.print(_limits(report))
    versions = ", ".join(f"{name} {value}" for name, value in report.signature["versions"].items())
    rest = {key: value for key, value in report.signature.items() if key != "versions"}
    console.print(versions, style="dim", highlight=False)
    console.print("; ".join(f"{key} {value}" for key, value in rest.items()), style="dim", highlight=False)


def _speeds(report: Report) -> Table:
    table = _table("Sentences per second", report, "engine", "precision", "workers")
    kinds = dict.fromkeys((result.engine, result.precision, result.setting) for result in report.results)
    for kind in sorted(kinds, key=lambda kind: kind[:2]):
        speeds = [
            result.sentences_per_second
            for case in report.cases
            for result in report.results
            if (result.engine, result.precision, result.setting) == kind and result.case == case
        ]
        table.add_row(*map(str, kind), *(f"{speed:.2f}" for speed in speeds))
    return table


def _ratios(report: Report) -> Table:
    table = _table("Ours over theirs, each in its best setting", report, "lexalign", "over")
    for precision, engine, peer_precision in report.pairs():
        ratios = [
            report.best("lexalign", precision, case) / report.best(engine, peer_precision, case)
            for case in report.cases
        ]
        table.add_row(precision, f"{engine} {peer_precision}", *(f"{ratio:.2f}" for ratio in ratios))
    return table


def _limits(report: Report) -> Table:
    table = _table("The arithmetic limit", report, "precision", "")
    for precision in dict.fromkeys(limit.precision for limit in report.limits):
        limits = [limit for limit in report.limits if limit.precision == precision]
        reached = [
            report.best("lexalign", precision, limit.case) / limit.sentences_per_second for limit in limits
        ]
        table.add_row(precision, "GFLOP a sentence", *(f"{limit.gflop_per_sentence:.1f}" for limit in limits))
        table.add_row("", "GFLOP/s of a core, encoder", *(f"{limit.encoder_gflops:.0f}" for limit in limits))
        table.add_row("", "GFLOP/s of a core, decoder", *(f"{limit.decoder_gflops:.0f}" for limit in limits))
        table.add_row("", "sentences/s at most", *(f"{limit.sentences_per_second:.1f}" for limit in limits))
        table.add_row("", "lexalign reaches", *(f"{share:.0%}" for share in reached))
    return table


def _table(title: str, report: Report, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column)
    for case in report.cases:
        table.add_column(f"beam {case.beam}\nbatch {case.batch}", justify="right")
    return table


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "missing"


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown"
    )


def _device_name(device: str) -> str:
    if device == "cpu":
        return device
    import torch

    return torch.cuda.get_device_name(device)
