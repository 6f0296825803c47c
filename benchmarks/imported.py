"""Speed of an imported Marian model, against transformers and CTranslate2 on the same weights in one run.

    python benchmarks/imported.py --quick
    python benchmarks/imported.py --marian opus-mt-de-en --input test.de --json imported.json
    python benchmarks/imported.py --model models/de-en --constraints terms.jsonl --old-python old/bin/python

A folder of Marian's (`--marian`), or a model of ours that is exported first, is imported and measured as in
decode.py. With `--old-python`, the Python of an environment that has transformers 4.55, the constrained
search of that is held against ours on the same constraints: a sentence at a time, one thread, scores by our
model.
"""

import argparse
import contextlib
import json
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from decode import measure, open_workers, quieten, save_random_model, settings
from engines import PEERS, Folders, make_engines, missing_peers
from lexalign.alignment.head_files import load_head, save_head, saved_heads
from lexalign.data.reader import read_lines
from lexalign.glossary.constraint_files import parse_constraints
from lexalign.interop.importing import import_model
from lexalign.interop.marian import export_marian
from lexalign.models.folder import load_model
from lexalign.models.transformer import Transformer
from lexalign.storage import write_text
from lexalign.text.subwords import SubwordTokenizer
from lexalign.translator.constraint_tokens import token_constraints
from lexalign.translator.engine import Engine
from lexalign.translator.options import ConstraintOptions, TranslateOptions
from lexalign.translator.plan import SearchPlan, Sentence
from report import Report, print_report, sign
from workers import Workers
from workload import Case, draw_sentences, make_batches, read_sentences

_BEAM = 5


def main() -> None:
    arguments = parse()
    console = Console()
    quieten()
    torch.set_num_threads(1)  # a process that has had threads cannot be forked
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as stack:
        missing = missing_peers(arguments.peers)
        peers = [peer for peer in arguments.peers if peer not in missing]
        folders = prepare(arguments, peers, Path(scratch))
        model, tokenizer = load_model(folders.lexalign)
        sentences = choose_sentences(arguments, tokenizer.source, model)
        # A recorded search is for one length, so on a GPU few lengths are asked for.
        multiple = 1 if arguments.device == "cpu" else 16
        batches = {
            size: make_batches(sentences, size, model.config.eos_id, multiple) for size in arguments.batches
        }
        cases = [Case(beam=_BEAM, batch=batch) for batch in arguments.batches]
        engines = make_engines(
            folders, settings(arguments.device, "workers"), peers, arguments.device, tokenizer.source
        )
        workers = [stack.enter_context(open_workers(Workers(engine, batches))) for engine in engines]
        results = measure(workers, cases, arguments.rounds, console)
        report = Report(signature=sign(arguments, sentences, missing), results=results, limits=[])
        constrained = compare_constrained(arguments, folders, sentences) if arguments.old_python else []
    print_report(report, console)
    if constrained:
        show(constrained, console)
    if arguments.json:
        content = {"signature": report.signature, "results": report.results, "constrained": constrained}
        write_text(arguments.json, json.dumps(content, indent=2, default=vars) + "\n")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--marian", type=Path, help="a HuggingFace folder of Marian's")
    parser.add_argument("--model", type=Path, help="a folder of ours; random weights without both")
    parser.add_argument("--input", type=Path, help="one sentence a line; random tokens without it")
    parser.add_argument("--sentences", type=int, default=64)
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--peers", nargs="*", choices=sorted(PEERS), default=sorted(PEERS))
    parser.add_argument("--old-python", type=Path, help="Python of an environment with transformers 4.55")
    parser.add_argument("--constraints", type=Path, help="sentences with constraints; random ones without it")
    parser.add_argument("--quick", action="store_true", help="a few short sentences, one round")
    parser.add_argument("--json", type=Path, help="write the results here")
    arguments = parser.parse_args()
    arguments.beams = [_BEAM]
    if arguments.quick:
        arguments.sentences, arguments.rounds = 16, 1
    return arguments


def prepare(arguments: argparse.Namespace, peers: list[str], scratch: Path) -> Folders:
    """The model as Marian's, as CTranslate2's, and imported; heads of ours go with it."""
    marian = arguments.marian or scratch / "marian"
    folders = Folders(
        lexalign=scratch / "imported", marian=marian, ctranslate2=scratch / "ctranslate2", shift=0
    )
    if arguments.marian is None:
        own = arguments.model or scratch / "own"
        if arguments.model is None:
            save_random_model(own, arguments.seed)
        export_marian(*load_model(own), marian, "xx", "yy")
    import_model(marian, folders.lexalign)
    for kind in saved_heads(arguments.model) if arguments.model else []:
        save_head(folders.lexalign, *load_head(arguments.model, kind))
    if "ct2" in peers:
        from ctranslate2.converters import TransformersConverter

        TransformersConverter(str(marian)).convert(str(folders.ctranslate2))
    return folders


def choose_sentences(
    arguments: argparse.Namespace, tokenizer: SubwordTokenizer, model: Transformer
) -> list[list[int]]:
    if arguments.input:
        return read_sentences(arguments.input, arguments.sentences, tokenizer)
    # The padding is the last entry.
    longest = 14 if arguments.quick else 80
    return draw_sentences(arguments.sentences, model.config.vocabulary_size - 1, arguments.seed, longest)


def compare_constrained(
    arguments: argparse.Namespace, folders: Folders, sentences: list[list[int]]
) -> list[dict[str, Any]]:
    """Time, constraints met and the mean score of what each search has found."""
    engine, tokenizer = Engine.load(folders.lexalign, arguments.device, "float32")
    asked = ask(arguments, tokenizer, sentences)
    eos_id = load_model(folders.lexalign)[0].config.eos_id
    phrases = [[list(one.alternatives[0]) for one in sentence.constraints] for sentence in asked]
    rows = []
    policies = ["vdba", *(["guided", "align-vdba"] if "post-aln" in saved_heads(folders.lexalign) else [])]
    for policy in policies:
        options = TranslateOptions(beam=_BEAM, constraints=ConstraintOptions(policy=policy))  # type: ignore[arg-type]
        plan = SearchPlan(search=options.search(engine.max_target), constraints=options.constraints)
        engine.search(asked[:1], plan)
        started = time.perf_counter()
        found = [engine.search([sentence], plan)[0][0].token_ids for sentence in asked]
        rows.append(judge(f"lexalign {policy}", time.perf_counter() - started, found, asked, phrases, engine))
    theirs = old_search(arguments, folders, asked, phrases, eos_id)
    ended = [ids[: ids.index(eos_id)] if eos_id in ids else ids for ids in theirs["found"]]
    rows.append(judge(f"transformers {theirs['version']}", theirs["seconds"], ended, asked, phrases, engine))
    return rows


def ask(arguments: argparse.Namespace, tokenizer: Any, sentences: list[list[int]]) -> list[Sentence]:
    if arguments.constraints:
        read = parse_constraints(read_lines(arguments.constraints), name=str(arguments.constraints))
        encodings = [tokenizer.source.encode_with_offsets(text) for text, _ in read[: arguments.sentences]]
        return [
            Sentence(encoding.ids, token_constraints(tokenizer.target, encoding, constraints))
            for encoding, (_, constraints) in zip(encodings, read, strict=False)
        ]
    from lexalign.contracts.constraint import TokenConstraint

    generator = random.Random(arguments.seed)
    pool = [index for ids in sentences for index in ids]
    return [
        Sentence(
            ids,
            tuple(
                TokenConstraint(alternatives=(tuple(generator.choices(pool, k=2)),), source=(0,))
                for _ in range(generator.randint(1, 2))
            ),
        )
        for ids in sentences
    ]


def old_search(
    arguments: argparse.Namespace,
    folders: Folders,
    asked: Sequence[Sentence],
    phrases: list[list[list[int]]],
    eos_id: int,
) -> dict[str, Any]:
    content = {
        "folder": str(folders.marian),
        "device": arguments.device,
        "threads": 1,
        "beam": _BEAM,
        "sources": [[*sentence.ids, eos_id] for sentence in asked],
        "phrases": phrases,
    }
    command = [str(arguments.old_python), str(Path(__file__).parent / "forced_words.py")]
    done = subprocess.run(command, input=json.dumps(content), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{shutil.which(command[0]) or command[0]} failed:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def judge(
    name: str,
    seconds: float,
    found: Sequence[Sequence[int]],
    asked: Sequence[Sentence],
    phrases: list[list[list[int]]],
    engine: Engine,
) -> dict[str, Any]:
    met = sum(holds(ids, phrase) for ids, wanted in zip(found, phrases, strict=True) for phrase in wanted)
    scores = [
        sum(values) / len(values)
        for sentence, ids in zip(asked, found, strict=True)
        for values in engine.force([sentence.ids], [list(ids)])
    ]
    return {
        "engine": name,
        "seconds": seconds,
        "sentences_per_second": len(asked) / seconds,
        "met": met,
        "constraints": sum(map(len, phrases)),
        "mean_token_log_probability": sum(scores) / len(scores),
    }


def holds(ids: Sequence[int], phrase: Sequence[int]) -> bool:
    size = len(phrase)
    return any(list(ids[place : place + size]) == list(phrase) for place in range(len(ids) - size + 1))


def show(rows: list[dict[str, Any]], console: Console) -> None:
    table = Table(title=f"With constraints, beam {_BEAM}, one sentence at a time", title_justify="left")
    for name in ("engine", "sentences/s", "constraints met", "log-probability of a token"):
        table.add_column(name, justify="left" if name == "engine" else "right")
    for row in rows:
        table.add_row(
            row["engine"],
            f"{row['sentences_per_second']:.2f}",
            f"{row['met']} of {row['constraints']}",
            f"{row['mean_token_log_probability']:.3f}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
