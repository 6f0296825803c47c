"""How the cost of a sentence grows with its length, the beam, the terms that it asks for and the vocabulary.

    python benchmarks/curves.py --output docs/images/cost.png --json cost.json

CPU time of one thread for a sentence in a batch of 16, by the paper's model with random weights in int8; one
thing changes at a time, the others are 22 tokens, beam 5, no terms and 10,000 entries. Medians of rounds in
which all points of a curve take turns.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch

from harness.machine import signature
from harness.options import make_parser, write_json
from lexalign.contracts.constraint import TokenConstraint
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.vdba import Vdba
from lexalign.decoding.search import search
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer

BATCH = 16
CURVES = {
    "length": [8, 16, 32, 48, 64, 96],
    "beam": [1, 2, 5, 10, 15, 20],
    "terms": [0, 1, 2, 3, 4, 6],
    "vocabulary": [4_000, 10_000, 20_000, 32_000, 64_000],
}
AXES = {
    "length": "tokens of a sentence",
    "beam": "beam",
    "terms": "terms of two tokens, by VDBA",
    "vocabulary": "entries of the vocabulary",
}
USUAL = {"length": 22, "beam": 5, "terms": 0, "vocabulary": 10_000}


def main() -> None:
    arguments = parse()
    torch.set_num_threads(1)
    found = {name: measure(name, values, arguments.rounds) for name, values in CURVES.items()}
    write_json(arguments.json, {"signature": signature("cpu", rounds=arguments.rounds), "ms": found})
    draw(found, arguments.output)


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="one round")
    parser.add_argument("--output", type=Path, required=True, help="the picture")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rounds = 1
    return arguments


def measure(name: str, values: list[int], rounds: int) -> dict[int, float]:
    """Milliseconds of CPU for a sentence, at each of the values."""
    models: dict[int, Transformer] = {}
    points = {value: make_point(USUAL | {name: value}, models) for value in values}
    times: dict[int, list[float]] = {value: [] for value in values}
    for _ in range(rounds + 1):
        for value, run in points.items():
            started = time.thread_time()
            run()
            times[value].append(1000 * (time.thread_time() - started) / BATCH)
    return {value: statistics.median(found[1:]) for value, found in times.items()}


def make_point(case: dict[str, int], models: dict[int, Transformer]) -> Callable[[], object]:
    size, length = case["vocabulary"], case["length"]
    if size not in models:
        torch.manual_seed(1)
        config = ModelConfig(vocabulary_size=size)
        models[size] = Transformer(config).eval().requires_grad_(False).pack("int8")
    generator = random.Random(1)
    source_ids = torch.randint(4, size, (BATCH, length), generator=torch.Generator().manual_seed(1))
    source_ids[:, -1] = 1
    options = SearchOptions(beam=case["beam"], min_length=length, max_length=length)
    if not case["terms"]:
        return lambda: search(models[size], source_ids, options)
    terms = [
        [
            TokenConstraint(alternatives=((generator.randrange(4, size), generator.randrange(4, size)),))
            for _ in range(case["terms"])
        ]
        for _ in range(BATCH)
    ]
    return lambda: search(models[size], source_ids, options, Vdba(), terms)


def draw(found: dict[str, dict[int, float]], path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(found), figsize=(11, 2.8), layout="constrained")
    for axis, (name, points) in zip(axes, found.items(), strict=True):
        axis.plot(list(points), list(points.values()), marker="o", markersize=3, color="#1f5fa8")
        axis.set_xlabel(AXES[name])
        axis.set_xlim(left=0)
        axis.set_ylim(bottom=0)
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", linewidth=0.4)
    axes[0].set_ylabel("ms of CPU a sentence")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
