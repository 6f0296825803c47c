"""Whether the same text has the same translation in every arrangement, and what that costs.

    python benchmarks/arrangements.py --quick
    python benchmarks/arrangements.py --input news.de --sentences 500 --json arrangements.json

The first sentences of a file are translated in ten arrangements: other batches, orders, windows and numbers
of processes, each alone, and as the segments of an HTML and an XLIFF file in other orders. Texts, scores and
log-probabilities are compared with those of the default, to the last bit; segments, which are cut into
sentences, with those of a file of plain text. Then the time, in CPU seconds of one process, beside that of
`int8-shared`, in which results do depend on the arrangement; they take turns, round by round.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Literal

import torch
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from harness.machine import signature
from harness.options import make_parser, write_json
from harness.samples import read_sentences
from lexalign.bundled import find_model
from lexalign.markup import DocumentOptions, DocumentTranslation, read_document
from lexalign.models.projection import Precision
from lexalign.translator import AlignedSentences, TranslateOptions, Translation, Translator

Row = dict[str, object]
Translate = Callable[[list[str]], list[Translation]]
Format = Literal["text", "html", "xliff1"]

BATCHES = {"default batches": None, "one by one": 1}
FILES: dict[str, Format] = {"in an HTML file": "html", "in an XLIFF file": "xliff1"}


def main() -> None:
    arguments = _parse()
    texts = read_sentences(arguments.input)[: arguments.sentences]
    differences = [
        row for precision in arguments.precisions for row in compare(arguments.model, precision, texts)
    ]
    costs = measure(arguments.model, texts[: arguments.timed], arguments.rounds)
    named = signature(
        "cpu",
        model=arguments.model.name,
        input=arguments.input.name if arguments.input else "sample sentences",
        sentences=len(texts),
        timed=min(arguments.timed, len(texts)),
        rounds=arguments.rounds,
        beam=TranslateOptions().beam,
    )
    show("Sentences that differ from those of the default", differences)
    show("CPU time", costs)
    print("|".join(f"{key}:{value}" for key, value in named.items()))
    write_json(arguments.json, {"signature": named, "differences": differences, "costs": costs})


def arrangements(translator: Translator, options: TranslateOptions) -> dict[str, Translate]:
    def translate(changed: TranslateOptions) -> Translate:
        return lambda texts: translator.translate(texts, changed)

    return {
        "batches of 64 tokens": translate(replace(options, batch_tokens=64)),
        "batches of 200": translate(replace(options, batch_tokens=200)),
        "batches of 4,096": translate(replace(options, batch_tokens=4096)),
        "windows of 50 sentences": translate(replace(options, window=50)),
        "reversed": lambda texts: translator.translate(texts[::-1], options)[::-1],
        "shuffled": lambda texts: _in_order(texts, translate(options)),
        "two workers": translate(replace(options, workers=2, batch_tokens=256)),
        "each alone": lambda texts: [translator.translate(text, options) for text in texts],
    }


def _in_order(texts: list[str], translate: Translate) -> list[Translation]:
    order = random.Random(1).sample(range(len(texts)), len(texts))
    found = dict(zip(order, translate([texts[index] for index in order]), strict=True))
    return [found[index] for index in range(len(texts))]


def compare(model: Path, precision: Precision, texts: list[str]) -> list[Row]:
    translator, options = (
        Translator.load(model, device="cpu", precision=precision),
        TranslateOptions(workers=1),
    )
    usual = translator.translate(texts, options)
    rows: list[Row] = []
    for name, translate in arrangements(translator, options).items():
        pairs = list(zip(translate(texts), usual, strict=True))
        different = sum(one.text != other.text for one, other in pairs)
        rows.append(_difference(precision, name, different, sum(one != other for one, other in pairs)))
    plain = segments(translator, texts, "text", options)
    for name, kind in FILES.items():
        found = segments(translator, texts[::-1], kind, replace(options, batch_tokens=300))[::-1]
        different = sum(one != other for one, other in zip(found, plain, strict=True))
        rows.append(_difference(precision, name, different, None))
    return rows


def _difference(precision: Precision, name: str, texts: int, scores: int | None) -> Row:
    return {"precision": precision, "arrangement": name, "texts": texts, "texts or scores": scores}


def segments(translator: Translator, texts: list[str], kind: Format, options: TranslateOptions) -> list[str]:
    """The translated segments of a file that has the texts."""
    named = DocumentOptions(source_language="de", target_language="en")
    sentences = AlignedSentences(translator=translator, options=options)
    work = DocumentTranslation(read_document(_file(texts, kind).encode(), kind, named), sentences.fits)
    for aligned in sentences.translate(work.missing):
        work.add(aligned)
    return [segment.text for segment in work.segments()]


def _file(texts: list[str], kind: Format) -> str:
    if kind == "text":
        return "".join(f"{text}\n" for text in texts)
    if kind == "html":
        return f"<html><body>{''.join(f'<p>{escape(text)}</p>' for text in texts)}</body></html>"
    units = "".join(
        f'<trans-unit id="{index}"><source>{escape(text)}</source></trans-unit>'
        for index, text in enumerate(texts)
    )
    head = '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">'
    file = '<file original="a" source-language="de" target-language="en" datatype="plaintext">'
    return f'<?xml version="1.0" encoding="UTF-8"?>{head}{file}<body>{units}</body></file></xliff>'


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
    parser = make_parser(__doc__, quick="few sentences and rounds")
    parser.add_argument("--input", type=Path, help="sentences, one on each line")
    parser.add_argument("--model", type=Path, default=find_model("de", "en"), help="by default de-en")
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--precisions", nargs="+", default=["int8", "float32"])
    parser.add_argument("--timed", type=int, default=160, help="of them, for the time")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    if arguments.input is None and not arguments.quick:
        parser.error("give --input FILE, or --quick")
    if arguments.quick:
        arguments.sentences, arguments.timed, arguments.rounds = 40, 24, 3
        arguments.precisions = ["int8"]
    return arguments


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
