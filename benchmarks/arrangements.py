"""Whether the same text has the same translation in every arrangement, and what that costs.

    python benchmarks/arrangements.py --quick --input news.de
    python benchmarks/arrangements.py --input news.de --sentences 500 --json arrangements.json

The first sentences of a file are translated in ten arrangements: other batches, orders, windows and numbers
of processes, each alone, and among the segments of an HTML and an XLIFF file. Texts, scores and
log-probabilities are compared with those of the default, to the last bit. Then the time, in CPU seconds of one
process, beside that of `int8-shared`, in which results do depend on the arrangement; the two take turns, round
by round.
"""

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from lexalign.bundled import find_model
from lexalign.models.projection import Precision
from lexalign.storage import write_text
from lexalign.translator import TranslateOptions, Translation, Translator
from machine import signature
from segment_files import translate_as_html, translate_as_xliff

Row = dict[str, object]
Arrange = Callable[[Translator, list[str], TranslateOptions], list[str] | list[Translation]]

BATCHES = {"default batches": None, "one by one": 1}


def main() -> None:
    arguments = _parse()
    lines = [line.strip() for line in arguments.input.read_text(encoding="utf-8").splitlines()]
    texts = [line for line in lines if line][: arguments.sentences]
    differences = [
        row for precision in arguments.precisions for row in compare(arguments.model, precision, texts)
    ]
    costs = measure(arguments.model, texts[: arguments.timed], arguments.rounds)
    named = signature(
        "cpu",
        model=arguments.model.name,
        input=arguments.input.name,
        sentences=len(texts),
        timed=min(arguments.timed, len(texts)),
        rounds=arguments.rounds,
        beam=TranslateOptions().beam,
    )
    show("Sentences that differ from those of the default", differences)
    show("CPU time", costs)
    print("|".join(f"{key}:{value}" for key, value in named.items()))
    if arguments.json:
        content = {"signature": named, "differences": differences, "costs": costs}
        write_text(arguments.json, json.dumps(content, indent=2) + "\n")


def arrangements(options: TranslateOptions) -> dict[str, Arrange]:
    def with_options(**changes: int) -> Arrange:
        return lambda translator, texts, _: translator.translate(texts, replace(options, **changes))

    return {
        "batches of 64 tokens": with_options(batch_tokens=64),
        "batches of 200": with_options(batch_tokens=200),
        "batches of 4,096": with_options(batch_tokens=4096),
        "windows of 50 sentences": with_options(window=50),
        "reversed": lambda translator, texts, _: translator.translate(texts[::-1], options)[::-1],
        "shuffled": _shuffled,
        "two workers": with_options(workers=2, batch_tokens=256),
        "each alone": lambda translator, texts, _: [translator.translate(text, options) for text in texts],
        "in an HTML file": translate_as_html,
        "in an XLIFF file": translate_as_xliff,
    }


def _shuffled(translator: Translator, texts: list[str], options: TranslateOptions) -> list[Translation]:
    order = random.Random(1).sample(range(len(texts)), len(texts))
    found = translator.translate([texts[index] for index in order], options)
    return [translation for _, translation in sorted(zip(order, found, strict=True), key=lambda pair: pair[0])]


def compare(model: Path, precision: Precision, texts: list[str]) -> list[Row]:
    translator, options = Translator.load(model, device="cpu", precision=precision), TranslateOptions(workers=1)
    usual = translator.translate(texts, options)
    rows: list[Row] = []
    for name, arrange in arrangements(options).items():
        found = arrange(translator, texts, options)
        pairs = list(zip(found, usual, strict=True))
        whole = [one for one, _ in pairs if isinstance(one, Translation)]
        rows.append(
            {
                "precision": precision,
                "arrangement": name,
                "texts": sum(_text(one) != other.text for one, other in pairs),
                "scores": sum(one != other for one, other in pairs) if whole else None,
            }
        )
    return rows


def _text(found: str | Translation) -> str:
    return found if isinstance(found, str) else found.text


def measure(model: Path, texts: list[str], rounds: int) -> list[Row]:
    """Sentences per second of a core, and the time over that of a shared scale in the same round."""
    precisions: tuple[Precision, ...] = ("int8-shared", "int8", "float32")
    translators = {kind: Translator.load(model, device="cpu", precision=kind) for kind in precisions}
    rows: list[Row] = []
    for name, batch_tokens in BATCHES.items():
        some = texts if batch_tokens is None else texts[: max(1, len(texts) // 4)]
        options = TranslateOptions(workers=1, batch_tokens=batch_tokens)
        for translator in translators.values():
            translator.translate(some[:8], options)  # memory is taken
        spent = [_round(translators, some, options, turn) for turn in range(rounds)]
        for kind in precisions:
            rows.append(
                {
                    "precision": kind,
                    "batches": name,
                    "sentences/s": len(some) / statistics.median(one[kind] for one in spent),
                    "over int8-shared": statistics.median(one[kind] / one["int8-shared"] for one in spent),
                }
            )
    return rows


def _round(
    translators: dict[Precision, Translator], texts: list[str], options: TranslateOptions, turn: int
) -> dict[str, float]:
    spent: dict[str, float] = {}
    for kind, translator in list(translators.items())[:: 1 if turn % 2 else -1]:
        start = time.process_time()
        translator.translate(texts, options)
        spent[kind] = time.process_time() - start
    return spent


def show(title: str, rows: Sequence[Row]) -> None:
    table = Table(title=title, box=SIMPLE_HEAD)
    for head in rows[0]:
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(*(_shown(value) for value in row.values()))
    Console().print(table)


def _shown(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--input", type=Path, required=True, help="sentences, one on each line")
    parser.add_argument("--model", type=Path, default=find_model("de", "en"), help="by default de-en")
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--precisions", nargs="+", default=["int8", "float32"])
    parser.add_argument("--timed", type=int, default=160, help="of them, for the time")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="few sentences and rounds; under a minute")
    parser.add_argument("--json", type=Path, help="write the results here")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.sentences, arguments.timed, arguments.rounds = 40, 24, 3
        arguments.precisions = ["int8"]
    return arguments


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
