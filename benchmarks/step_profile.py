"""Where the time of a step goes on a GPU: the slowest kernels of each policy, and how many there are.

    python benchmarks/step_profile.py --batch 512 --beam 5 --json profile.json

Searches are those of `constrained.py`. Kernels on a second stream run beside others, so that the sum of all
is more than the time of a step.
"""

import argparse
from collections.abc import Iterable

import torch
from rich.console import Console
from rich.table import Table

from constrained import make_constraints, make_policies
from harness.machine import signature
from harness.options import make_parser, write_json
from harness.steps import make_model, make_sources
from lexalign.decoding.graph_search import GraphSearcher
from lexalign.decoding.options import SearchOptions

Row = dict[str, float | int | str]
_NAME_LENGTH = 60


def main() -> None:
    arguments = _parse()
    torch.manual_seed(1)
    model = make_model("cuda", quick=arguments.quick)
    options = SearchOptions(beam=arguments.beam, min_length=arguments.length, max_length=arguments.length)
    source_ids, asked = make_sources(model, arguments.batch), make_constraints(model, arguments.batch)
    rows: list[Row] = []
    for name, policy in make_policies(model).items():
        searcher = GraphSearcher(model, options, policy)
        constraints = None if name == "plain" else asked
        for _ in range(2):
            searcher.search(source_ids, constraints)  # recorded, then replayed
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            searcher.search(source_ids, constraints)
            torch.cuda.synchronize()
        rows += _slowest(name, profile.key_averages(), arguments.length, arguments.kernels)
    _show(rows)
    named = signature("cuda", length=arguments.length, beam=arguments.beam, batch=arguments.batch)
    write_json(arguments.json, {"signature": named, "results": rows})


def _parse() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="a small model")
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--length", type=int, default=32, help="tokens of every translation")
    parser.add_argument("--kernels", type=int, default=12, help="how many of the slowest to show")
    return parser.parse_args()


def _slowest(policy: str, events: Iterable[object], length: int, count: int) -> list[Row]:
    """Microseconds and launches of a step, of all kernels and of the slowest of them."""
    found = [
        (str(event.key), float(event.device_time_total), int(event.count))  # type: ignore[attr-defined]
        for event in events
    ]
    kernels = sorted((one for one in found if one[1] > 0), key=lambda one: -one[1])
    everything = "all", sum(one[1] for one in kernels), sum(one[2] for one in kernels)
    return [
        {"policy": policy, "kernel": name, "us": time / length, "launches": launches / length}
        for name, time, launches in (everything, *kernels[:count])
    ]


def _show(rows: list[Row]) -> None:
    table = Table(title="A step on a GPU")
    for name in ("policy", "kernel", "µs", "launches"):
        table.add_column(name, overflow="fold")
    for row in rows:
        name = str(row["kernel"])[:_NAME_LENGTH]
        table.add_row(str(row["policy"]), name, f"{float(row['us']):.1f}", f"{float(row['launches']):.1f}")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
