"""What constraints cost end to end: whole searches of real sentences, each as long as it likes.

    python benchmarks/free_length.py --quick
    python benchmarks/free_length.py --model de-en/model --constraints terms.jsonl --json free-length.json

A search with constraints may run for more steps than a plain one, which `constrained.py` leaves out. The
sentences of the file that have constraints are sorted by length and searched in batches, on one thread of the
CPU. The policies take turns, round by round.
"""

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import cast

import torch
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from torch import Tensor

from harness.machine import signature
from harness.options import make_parser, write_json
from harness.samples import constrained_sentences
from harness.steps import Constraints, Row
from lexalign.bundled import find_model
from lexalign.contracts.model import DecoderOutput, Vocabulary
from lexalign.data.collate import pad_sentences
from lexalign.data.reader import read_lines
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.unconstrained import Unconstrained
from lexalign.decoding.policy import Policy
from lexalign.decoding.search import search
from lexalign.glossary.constraint_files import ConstrainedText, parse_constraints
from lexalign.models.cache import DecoderCache
from lexalign.models.folder import load_model
from lexalign.models.transformer import Transformer
from lexalign.text.subwords import ModelTokenizer
from lexalign.translator.constraints import token_constraints
from lexalign.translator.model_resources import ModelResources
from lexalign.translator.options import ConstraintOptions, PolicyName
from lexalign.translator.policies import make_policy

PLAIN = "plain"
POLICIES: tuple[PolicyName, ...] = ("replace", "vdba", "align-vdba", "guided")


@dataclass(frozen=True)
class Batch:
    source_ids: Tensor  # (B, S)
    constraints: Constraints


class CountedModel:
    """A model that counts its steps."""

    def __init__(self, model: Transformer) -> None:
        self._model, self.steps = model, 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._model, name)

    def step(self, state: DecoderCache, token_ids: Tensor) -> DecoderOutput:
        self.steps += 1
        return self._model.step(state, token_ids)


def main() -> None:
    arguments = _parse()
    torch.set_num_threads(1)
    model, tokenizer = load_model(arguments.model, precision=arguments.precision)
    policies = make_policies(arguments.model, model, tokenizer)
    sentences = read_sentences(arguments.constraints, arguments.sentences)
    batches = make_batches(sentences, arguments.batch, model.vocabulary, tokenizer)
    rows = [
        row
        for beam in arguments.beams
        for row in measure(CountedModel(model), policies, batches, beam, arguments.rounds)
    ]
    named = signature(
        "cpu",
        model=arguments.model.name,
        constraints=arguments.constraints.name if arguments.constraints else "sample sentences",
        sentences=len(sentences),
        batch=arguments.batch,
        precision=arguments.precision or "as stored",
        rounds=arguments.rounds,
    )
    show(rows)
    print("|".join(f"{key}:{value}" for key, value in named.items()))
    write_json(arguments.json, {"signature": named, "results": rows})


def make_policies(folder: Path, model: Transformer, tokenizer: ModelTokenizer) -> dict[str, Policy]:
    resources = ModelResources(folder=folder, weights=model, tokenizer=tokenizer, languages=None)
    found: dict[str, Policy] = {PLAIN: Unconstrained()}
    for name in POLICIES:
        found[name] = make_policy(ConstraintOptions(policy=name), resources)
    return found


def read_sentences(path: Path | None, count: int) -> list[ConstrainedText]:
    if path is None:
        return constrained_sentences()[:count]
    found = parse_constraints(read_lines(path), name=str(path))
    return list(islice((sentence for sentence in found if sentence[1]), count))


def make_batches(
    sentences: Sequence[ConstrainedText], size: int, vocabulary: Vocabulary, tokenizer: ModelTokenizer
) -> list[Batch]:
    """Batches of sentences, the longest first."""
    read = []
    for text, constraints in sentences:
        encoding = tokenizer.source.encode_with_offsets(text)
        read.append((encoding.ids, list(token_constraints(tokenizer.target, encoding, constraints))))
    read.sort(key=lambda sentence: -len(sentence[0]))
    chunks = [read[first : first + size] for first in range(0, len(read), size)]
    return [
        Batch(
            pad_sentences([[*ids, vocabulary.eos_id] for ids, _ in chunk], vocabulary.pad_id),
            [asked for _, asked in chunk],
        )
        for chunk in chunks
    ]


def measure(
    model: CountedModel, policies: dict[str, Policy], batches: Sequence[Batch], beam: int, rounds: int
) -> list[Row]:
    """Seconds, steps and tokens of all batches, over those of plain search in the same round."""
    options = SearchOptions(beam=beam)

    def run(name: str, chosen: Sequence[Batch]) -> dict[str, float]:
        model.steps, tokens = 0, 0
        start, spent = time.perf_counter(), time.process_time()
        for batch in chosen:
            asked = None if name == PLAIN else batch.constraints
            found = search(cast(Transformer, model), batch.source_ids, options, policies[name], asked)
            tokens += sum(len(ranked[0].token_ids) for ranked in found)
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - spent
        return {"seconds": seconds, "cpu_seconds": cpu_seconds, "steps": model.steps, "tokens": tokens}

    for name in policies:
        run(name, batches[-1:])  # memory is taken
    found = [{name: run(name, batches) for name in policies} for _ in range(rounds)]

    def median(name: str, what: str, over: bool) -> float:
        return statistics.median(one[name][what] / (one[PLAIN][what] if over else 1) for one in found)

    return [
        {
            "beam": beam,
            "policy": name,
            "seconds": median(name, "seconds", over=False),
            "over_plain": median(name, "seconds", over=True),
            # What other processes do is hardly seen in this one.
            "cpu_over_plain": median(name, "cpu_seconds", over=True),
            "steps": found[0][name]["steps"],
            "steps_over_plain": median(name, "steps", over=True),
            "tokens": found[0][name]["tokens"],
        }
        for name in policies
    ]


def show(rows: Sequence[Row]) -> None:
    table = Table(title="Searches with constraints, at free length", box=SIMPLE_HEAD)
    for head in ("beam", "policy", "seconds", "× plain", "× in CPU time", "steps", "× plain", "tokens"):
        table.add_column(head, justify="right", no_wrap=head == "policy")
    for row in rows:
        table.add_row(
            str(row["beam"]),
            str(row["policy"]),
            f"{row['seconds']:.2f}",
            f"{row['over_plain']:.3f}",
            f"{row['cpu_over_plain']:.3f}",
            str(row["steps"]),
            f"{row['steps_over_plain']:.3f}",
            str(row["tokens"]),
        )
    Console().print(table)


def _parse() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="few sentences, one round")
    parser.add_argument("--model", type=Path, default=find_model("de", "en"), help="with a post-aln head")
    parser.add_argument("--constraints", type=Path, help="sentences with constraints")
    parser.add_argument("--sentences", type=int, default=64)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--beams", type=int, nargs="+", default=[5, 10])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--precision", choices=["float32", "int8"], help="as the model is stored")
    arguments = parser.parse_args()
    if arguments.constraints is None and not arguments.quick:
        parser.error("give --constraints FILE, or --quick")
    if arguments.quick:
        arguments.sentences, arguments.beams, arguments.rounds = 16, [5], 1
    return arguments


if __name__ == "__main__":
    main()
