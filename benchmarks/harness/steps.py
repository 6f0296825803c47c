"""A step of beam search under several policies, over a step of plain beam search.

The policies take turns, round by round, and each counts with its median. All translations have one length,
and the weights are random: the time of a step does not depend on them.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import replace

import torch
from rich.console import Console
from rich.table import Table

from harness.machine import signature
from harness.options import make_parser, write_json
from lexalign.contracts.constraint import TokenConstraint
from lexalign.decoding.graph_search import GraphSearcher
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policy import Policy
from lexalign.decoding.search import search
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer

SOURCE_LENGTH = 28
Constraints = list[list[TokenConstraint]]
Row = dict[str, float | int | str]


def compare(
    description: str | None,
    title: str,
    make_policies: Callable[[Transformer], dict[str, Policy]],
    make_constraints: Callable[[Transformer, int], Constraints] | None = None,
) -> None:
    """Read the command line, measure and show the whole benchmark; one of the policies is `plain`."""
    arguments = _parse(description)
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = make_model(arguments.device, quick=arguments.quick)
    policies = make_policies(model)
    rows = []
    for beam in arguments.beams:
        for batch in arguments.batches:
            asked = make_constraints(model, batch) if make_constraints else None
            rows += _measure(model, policies, beam, batch, asked, arguments)
    _show(title, rows)
    named = signature(
        arguments.device, length=arguments.length, rounds=arguments.rounds, quick=arguments.quick
    )
    write_json(arguments.json, {"signature": named, "results": rows})


def _parse(description: str | None) -> argparse.Namespace:
    parser = make_parser(description, quick="a small model and few rounds")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--batches", type=int, nargs="+", default=[16])
    parser.add_argument("--beams", type=int, nargs="+", default=[5, 10])
    parser.add_argument("--length", type=int, default=32, help="tokens of every translation")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rounds, arguments.beams, arguments.length = 2, [5], 12
    return arguments


def make_model(device: str, *, quick: bool) -> Transformer:
    config = ModelConfig(vocabulary_size=10_000)
    if quick:
        config = replace(config, vocabulary_size=1_000, width=128, encoder_layers=2, decoder_layers=2)
    model = Transformer(config).eval().requires_grad_(False)
    return model.pack("float32") if device == "cpu" else model.to(device, torch.bfloat16)


def _measure(
    model: Transformer,
    policies: dict[str, Policy],
    beam: int,
    batch: int,
    asked: Constraints | None,
    arguments: argparse.Namespace,
) -> list[Row]:
    """Seconds of a step of each policy, and over a step of plain search in the same round."""
    length: int = arguments.length
    options = SearchOptions(beam=beam, min_length=length, max_length=length)
    source_ids = make_sources(model, batch)
    searchers = {name: GraphSearcher(model, options, policy) for name, policy in policies.items()}

    def run(name: str) -> float:
        constraints = None if name == "plain" else asked
        start = time.perf_counter()
        if model.device.type == "cpu":
            search(model, source_ids, options, policies[name], constraints)
        else:
            searchers[name].search(source_ids, constraints)
            torch.cuda.synchronize()
        return (time.perf_counter() - start) / (length + 1)

    for name in policies:
        run(name)  # memory is taken, and searches are recorded
    rounds = [{name: run(name) for name in policies} for _ in range(arguments.rounds)]
    return [
        {
            "beam": beam,
            "batch": batch,
            "policy": name,
            "step_ms": 1000 * statistics.median(found[name] for found in rounds),
            "over_plain": statistics.median(found[name] / found["plain"] for found in rounds),
        }
        for name in policies
    ]


def make_sources(model: Transformer, batch: int) -> torch.Tensor:
    config = model.config
    ids = torch.randint(4, config.vocabulary_size, (batch, SOURCE_LENGTH), device=model.device)
    ids[:, -1] = config.eos_id
    return ids


def _show(title: str, rows: list[Row]) -> None:
    table = Table(title=title)
    for name in ("beam", "batch", "policy", "ms a step", "over plain"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            str(row["beam"]),
            str(row["batch"]),
            str(row["policy"]),
            f"{float(row['step_ms']):.2f}",
            f"{float(row['over_plain']):.3f}",
        )
    Console().print(table)
