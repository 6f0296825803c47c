"""Constraints on an imported Marian model: our searches against transformers 4.55, on the same weights.

    python benchmarks/imported_terms.py --quick
    python benchmarks/imported_terms.py --model de-en --constraints terms.jsonl --old-python old/bin/python

`--old-python` is the Python of an environment that has transformers 4.55.4, which was the last to know
`force_words_ids`; without it ours are measured alone. One sentence at a time, one thread; the searches take
turns, sentence by sentence. The score is the log-probability of a token, its mean over a translation and
then over all, by our model in float32.
"""

import argparse
import contextlib
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table

from harness.engines.folders import imported_folders
from harness.engines.rounds import quieten
from harness.engines.term_searchers import BEAM, Searcher, Theirs, our_searchers, phrases_of
from harness.engines.workload import draw_sentences
from harness.machine import signature
from harness.options import make_parser, write_json
from lexalign.contracts.constraint import TokenConstraint
from lexalign.data.reader import read_lines
from lexalign.glossary.constraint_files import parse_constraints
from lexalign.models.folder import load_config
from lexalign.text.subwords import ModelTokenizer
from lexalign.translator import Sentence
from lexalign.translator.constraints import token_constraints
from lexalign.translator.execution import keep_freed_memory
from lexalign.translator.forced_targets import score_targets
from lexalign.translator.model_resources import ModelResources


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of one search for one sentence."""

    seconds: float
    met: int
    score: float


@dataclass(kw_only=True)
class Row:
    """What a search has done so far, sentence by sentence."""

    name: str
    precision: str
    outcomes: list[Outcome] = field(default_factory=list)


def main() -> None:
    arguments = parse()
    console = Console()
    quieten()
    torch.set_num_threads(1)
    keep_freed_memory()  # as the product's own workers do
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as stack:
        folders = imported_folders(arguments.marian, arguments.model, [], Path(scratch), arguments.seed)
        model = ModelResources.load(folders.lexalign, arguments.device, "float32")
        sentences = ask(arguments, model.tokenizer)
        searchers: list[Searcher] = our_searchers(model, folders.lexalign, arguments.device)
        if arguments.old_python:
            eos_id = load_config(folders.lexalign).eos_id
            theirs = Theirs(arguments.old_python, folders.marian, arguments.device, eos_id)
            searchers.append(stack.enter_context(theirs))
        else:
            console.print("no --old-python: transformers is left out")
        rows = compare(searchers, sentences, model, console)
        sentences = sentences[: len(rows[0].outcomes)]
    show(rows, sentences, console)
    content = {"signature": sign(arguments, sentences), "results": [asdict(row) for row in rows]}
    write_json(arguments.json, content)


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="four sentences")
    parser.add_argument("--marian", type=Path, help="a HuggingFace folder of Marian's")
    parser.add_argument(
        "--model", type=Path, help="a folder of ours, with heads; random weights without both"
    )
    parser.add_argument("--constraints", type=Path, help="sentences with constraints; random ones without it")
    parser.add_argument("--old-python", type=Path, help="Python of an environment with transformers 4.55")
    parser.add_argument("--sentences", type=int, default=100, help="the first that have constraints")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.sentences = 4
    return arguments


def ask(arguments: argparse.Namespace, tokenizer: ModelTokenizer) -> list[Sentence]:
    """Sentences with one form of each constraint: `force_words_ids` has no room for forms and phrases."""
    if not arguments.constraints:
        return invent(arguments, tokenizer.target.vocabulary_size - 1)  # the padding is the last entry
    read = parse_constraints(read_lines(arguments.constraints), name=str(arguments.constraints))
    chosen = [(text, constraints) for text, constraints in read if constraints][: arguments.sentences]
    sentences = []
    for text, constraints in chosen:
        encoding = tokenizer.source.encode_with_offsets(text)
        asked = token_constraints(tokenizer.target, encoding, constraints)
        single = tuple(replace(one, alternatives=one.alternatives[:1]) for one in asked)
        sentences.append(Sentence(encoding.ids, single))
    return sentences


def invent(arguments: argparse.Namespace, vocabulary_size: int) -> list[Sentence]:
    generator = random.Random(arguments.seed)
    sources = draw_sentences(arguments.sentences, vocabulary_size, arguments.seed, longest=14)
    return [
        Sentence(
            ids,
            tuple(
                TokenConstraint(alternatives=(tuple(generator.choices(ids, k=2)),), source=(0,))
                for _ in range(generator.randint(1, 2))
            ),
        )
        for ids in sources
    ]


def compare(
    searchers: list[Searcher], sentences: list[Sentence], model: ModelResources, console: Console
) -> list[Row]:
    """Search sentence by sentence; Ctrl-C ends it with the sentences that all have translated."""
    rows = [Row(name=searcher.name, precision=searcher.precision) for searcher in searchers]
    for searcher in searchers:
        searcher.search(sentences[0])  # whatever is made ready once
    with contextlib.suppress(KeyboardInterrupt):
        for sentence in track(sentences, console=console, transient=True):
            found = [try_on(searcher, sentence, model) for searcher in searchers]
            for row, outcome in zip(rows, found, strict=True):
                row.outcomes.append(outcome)
    return rows


def try_on(searcher: Searcher, sentence: Sentence, model: ModelResources) -> Outcome:
    started = time.perf_counter()
    ids = searcher.search(sentence)
    return Outcome(
        seconds=time.perf_counter() - started,
        met=sum(holds(ids, phrase) for phrase in phrases_of(sentence)),
        score=statistics.mean(score_targets(model.transformer, [sentence.ids], [ids], len(ids))[0]),
    )


def holds(ids: Sequence[int], phrase: Sequence[int]) -> bool:
    size = len(phrase)
    return any(list(ids[place : place + size]) == list(phrase) for place in range(len(ids) - size + 1))


def sign(arguments: argparse.Namespace, sentences: list[Sentence]) -> dict[str, object]:
    return signature(
        arguments.device,
        model=arguments.model.name if arguments.model else "random weights",
        constraints_file=arguments.constraints.name if arguments.constraints else "random tokens",
        sentences=len(sentences),
        constraints=sum(len(sentence.constraints) for sentence in sentences),
        source_tokens=statistics.mean(len(sentence.ids) for sentence in sentences),
        beam=BEAM,
        batch=1,
        threads=1,
    )


def show(rows: list[Row], sentences: list[Sentence], console: Console) -> None:
    asked = sum(len(sentence.constraints) for sentence in sentences)
    table = Table(title=f"{len(sentences)} sentences, beam {BEAM}, one at a time", title_justify="left")
    for name in ("search", "precision", "seconds", "sentences/s", "met", "score"):
        table.add_column(name, justify="left" if name in ("search", "precision") else "right")
    for row in rows:
        seconds = sum(one.seconds for one in row.outcomes)
        met = sum(one.met for one in row.outcomes)
        cells = (f"{seconds:.1f}", f"{len(sentences) / seconds:.2f}", f"{met} of {asked}")
        table.add_row(
            row.name, row.precision, *cells, f"{statistics.mean(one.score for one in row.outcomes):.3f}"
        )
    console.print(table)


if __name__ == "__main__":
    main()
