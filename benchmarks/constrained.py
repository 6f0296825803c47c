"""What constraints cost: a step of each policy over a step of plain beam search, all of one length.

    python benchmarks/constrained.py --quick
    python benchmarks/constrained.py --batches 16 --json constrained.json
    python benchmarks/constrained.py --device cuda --batches 512

Up to three constraints a sentence, of one to six random tokens each, as the paper samples them. The policies
take turns, round by round, and each counts with its median. The weights are random: the time of a step does
not depend on them.
"""

import argparse
import json
import random
import statistics
import time
from dataclasses import replace
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.learned import PosteriorHead
from lexalign.contracts.constraint import TokenConstraint
from lexalign.decoding.captured import CapturedSearcher
from lexalign.decoding.constraints.requests import Matching
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.align_vdba import AlignVdba
from lexalign.decoding.policies.guided import Guided
from lexalign.decoding.policies.token_replacement import TokenReplacement
from lexalign.decoding.policies.unconstrained import Unconstrained
from lexalign.decoding.policies.vdba import Vdba
from lexalign.decoding.policy import Policy
from lexalign.decoding.search import search
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer
from lexalign.storage import write_text
from machine import signature

Constraints = list[list[TokenConstraint]]
Row = dict[str, float | int | str]
_SOURCE_LENGTH = 28


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--batches", type=int, nargs="+", default=[16])
    parser.add_argument("--beams", type=int, nargs="+", default=[5, 10])
    parser.add_argument("--length", type=int, default=32, help="tokens of every translation")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a small model and few rounds; under a minute")
    parser.add_argument("--json", type=Path, help="write the results here")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rounds, arguments.beams, arguments.length = 2, [5], 12
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = make_model(arguments.device, quick=arguments.quick)
    policies = make_policies(model)
    rows = [
        row
        for beam in arguments.beams
        for batch in arguments.batches
        for row in measure(model, policies, beam, batch, arguments)
    ]
    show(rows)
    if arguments.json:
        content = {
            "signature": signature(
                arguments.device, length=arguments.length, rounds=arguments.rounds, quick=arguments.quick
            ),
            "results": rows,
        }
        write_text(arguments.json, json.dumps(content, indent=2) + "\n")


def make_model(device: str, *, quick: bool) -> Transformer:
    config = ModelConfig(vocabulary_size=10_000)
    if quick:
        config = replace(config, vocabulary_size=1_000, width=128, encoder_layers=2, decoder_layers=2)
    model = Transformer(config).eval().requires_grad_(False)
    return model.pack("float32") if device == "cpu" else model.to(device, torch.bfloat16)


def make_policies(model: Transformer) -> dict[str, Policy]:
    config = model.config
    head = PosteriorHead(config.width, config.decoder_heads).requires_grad_(False).to(model.device)
    aligner = LearnedAligner(head, model.target_embedding, layer=config.decoder_layers - 2)
    marks = torch.rand(config.vocabulary_size, device=model.device) < 0.4
    matching = Matching(continues_word=marks)
    return {
        "plain": Unconstrained(),
        "replace": TokenReplacement(aligner=aligner, matching=matching),
        "vdba": Vdba(matching=matching),
        "align-vdba": AlignVdba(aligner=aligner, matching=matching),
        "guided": Guided(aligner=aligner, matching=matching),
    }


def measure(
    model: Transformer, policies: dict[str, Policy], beam: int, batch: int, arguments: argparse.Namespace
) -> list[Row]:
    """Seconds of a step of each policy, and over a step of plain search in the same round."""
    length = arguments.length
    options = SearchOptions(beam=beam, min_length=length, max_length=length)
    source_ids = make_sources(model, batch)
    asked = make_constraints(model, batch)
    searchers = {name: CapturedSearcher(model, options, policy) for name, policy in policies.items()}

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
    ids = torch.randint(4, config.vocabulary_size, (batch, _SOURCE_LENGTH), device=model.device)
    ids[:, -1] = config.eos_id
    return ids


def make_constraints(model: Transformer, batch: int) -> Constraints:
    generator = random.Random(1)

    def constraint() -> TokenConstraint:
        size = generator.choice([1, 1, 2, 2, 3, 4, 6])
        tokens = tuple(generator.randrange(4, model.config.vocabulary_size) for _ in range(size))
        first = generator.randrange(_SOURCE_LENGTH - 3)
        return TokenConstraint(alternatives=(tokens,), source=(first, first + 1))

    return [[constraint() for _ in range(generator.choice([1, 2, 3]))] for _ in range(batch)]


def show(rows: list[Row]) -> None:
    table = Table(title="A step with constraints")
    for name in ("beam", "batch", "policy", "ms a step", "over plain"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            str(row["beam"]),
            str(row["batch"]),
            str(row["policy"]),
            f"{float(row['step_ms']):.2f}",
            f"{float(row['over_plain']):.2f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
