"""What constraints cost end to end: whole searches of real sentences, each as long as it likes.

    python benchmarks/free_length.py --model de-en/model --constraints terms.jsonl --quick
    python benchmarks/free_length.py --model de-en/model --constraints terms.jsonl --json free-length.json

A search with constraints may run for more steps than a plain one, which `constrained.py` leaves out. The
sentences of the file that have constraints are sorted by length and searched in batches, on one thread of the
CPU. The policies take turns, round by round.
"""

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import torch
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from torch import Tensor

from lexalign.contracts.model import DecoderOutput
from lexalign.data.collate import pad_sentences
from lexalign.data.reader import read_lines
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.unconstrained import Unconstrained
from lexalign.decoding.policy import Policy
from lexalign.decoding.search import search
from lexalign.glossary.constraint_files import ConstrainedText, parse_constraints
from lexalign.models.folder import load_model
from lexalign.models.transformer import Transformer
from lexalign.storage import write_text
from lexalign.text.subwords import ModelTokenizer
from lexalign.translator.constraints import token_constraints
from lexalign.translator.model_resources import ModelResources
from lexalign.translator.options import ConstraintOptions
from lexalign.translator.policies import make_policy
from machine import signature
from steps import Constraints, Row

PLAIN = "plain"
POLICIES = ("vdba", "align-vdba", "guided")


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

    def step(self, state: object, token_ids: Tensor) -> DecoderOutput:
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
        constraints=arguments.constraints.name,
        sentences=len(sentences),
        batch=arguments.batch,
        precision=arguments.precision or "as stored",
        rounds=arguments.rounds,
    )
    show(rows)
    print("|".join(f"{key}:{value}" for key, value in named.items()))
    if arguments.json:
        content = {"signature": named, "results": rows}
        write_text(arguments.json, json.dumps(content, indent=2) + "\n")


def make_policies(folder: Path, model: Transformer, tokenizer: ModelTokenizer) -> dict[str, Policy]:
    resources = ModelResources(folder=folder, weights=model, tokenizer=tokenizer, languages=None)
    found: dict[str, Policy] = {PLAIN: Unconstrained()}
    for name in POLICIES:
        found[name] = make_policy(ConstraintOptions(policy=name), resources)
    return found


def read_sentences(path: Path, count: int) -> list[ConstrainedText]:
    found = parse_constraints(read_lines(path), name=str(path))
    return list(islice((sentence for sentence in found if sentence[1]), count))


def make_batches(
    sentences: Sequence[ConstrainedText], size: int, vocabulary: object, tokenizer: ModelTokenizer
) -> list[Batch]:
    """The longest first."""
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
            found = search(model, batch.source_ids, options, policies[name], asked)
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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True, help="a model folder with a post-aln head")
    parser.add_argument("--constraints", type=Path, required=True, help="sentences with constraints")
    parser.add_argument("--sentences", type=int, default=64)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--beams", type=int, nargs="+", default=[5, 10])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--precision", choices=["float32", "int8"], help="as the model is stored")
    parser.add_argument("--quick", action="store_true", help="few sentences, one round; under a minute")
    parser.add_argument("--json", type=Path, help="write the results here")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.sentences, arguments.beams, arguments.rounds = 16, [5], 1
    return arguments


if __name__ == "__main__":
    main()
