"""Words a second of one core by greedy search, the bundled models, with a shortlist and without.

    python benchmarks/greedy.py --german news.de --english news.en --json greedy.json

From text to text, beam 1, one thread. The shortlists are learnt from the models' own translations of the
texts behind the first sentences, which are the ones that are timed, and are used whether or not something is
lost by them. With and without take turns in every round, and the medians of their CPU time count.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import torch

from harness.machine import signature
from harness.options import make_parser, write_json
from harness.samples import ENGLISH, GERMAN, read_sentences
from lexalign.bundled import find_model
from lexalign.training.shortlist import ShortlistOptions
from lexalign.translator import TranslateOptions, Translator
from lexalign.translator.model_resources import ModelResources
from lexalign.translator.shortlisting import make_shortlist, translator_with

ORDINARY = 8, 40  # words
ENOUGH = 1_000  # texts to learn a list from


@dataclass(frozen=True, kw_only=True)
class Row:
    pair: str
    batch: int
    words_per_second: float
    with_shortlist: float | None
    unchanged: float | None  # translations, as a share of the held-out ones


def main() -> None:
    options = parse()
    torch.set_num_threads(1)
    rows = [
        row
        for source, target, path, samples in (
            ("de", "en", options.german, GERMAN),
            ("en", "de", options.english, ENGLISH),
        )
        for row in measure(source, target, read_sentences(path) if path else list(samples), options)
    ]
    named = signature("cpu", rounds=options.rounds, sentences=options.sentences, beam=1)
    for row in rows:
        shown = "" if row.with_shortlist is None else f"{row.with_shortlist:8,.0f} with a shortlist"
        kept = "" if row.unchanged is None else f" ({row.unchanged:.1%} of the translations unchanged)"
        print(f"{row.pair}  batches of {row.batch:2}: {row.words_per_second:8,.0f} words/s{shown}{kept}")
    print(named)
    write_json(options.json, {"signature": named, "results": [asdict(row) for row in rows]})


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="one round, no shortlists")
    parser.add_argument("--german", type=Path, help="sentences, one a line; by default a few built-in ones")
    parser.add_argument("--english", type=Path)
    parser.add_argument("--sentences", type=int, default=160, help="that are timed; the others teach lists")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if options.quick:
        options.rounds = 1
    return options


def measure(source: str, target: str, texts: Sequence[str], options: argparse.Namespace) -> Iterator[Row]:
    folder = find_model(source, target)
    texts = [text for text in texts if ORDINARY[0] <= len(text.split()) <= ORDINARY[1]]
    timed, others = texts[: options.sentences], texts[options.sentences :]
    unchanged, translators = None, [Translator.load(folder)]
    if not options.quick and len(others) >= ENOUGH:
        search = TranslateOptions(beam=1, workers=1)
        shortlist, report = make_shortlist(folder, others, None, options=ShortlistOptions(), search=search)
        unchanged = report.same
        translators.append(translator_with(ModelResources.load(folder, "cpu", None), shortlist))
    for batch in (1, 16):
        rates = measure_rates(translators, timed, batch, options.rounds)
        yield Row(
            pair=f"{source}-{target}",
            batch=batch,
            words_per_second=rates[0],
            with_shortlist=rates[1] if len(rates) > 1 else None,
            unchanged=unchanged,
        )


def measure_rates(
    translators: Sequence[Translator], texts: Sequence[str], batch: int, rounds: int
) -> list[float]:
    words = sum(len(text.split()) for text in texts)
    times: list[list[float]] = [[] for _ in translators]
    groups = [texts[first : first + batch] for first in range(0, len(texts), batch)]
    for turn in range(rounds + 1):  # the first is to warm up
        for translator, ours in zip(translators, times, strict=True):
            started = time.process_time()
            for group in groups:
                translator.translate(list(group), TranslateOptions(beam=1, workers=1))
            if turn:
                ours.append(time.process_time() - started)
    return [words / median(ours) for ours in times]


if __name__ == "__main__":
    main()
