"""Train a small German-English model, translate with it, and score it: `make training`.

The corpus is made up on the spot, so nothing is downloaded. All files go to `demo/`. A finished model is
found again, and a run that was stopped goes on where it was. For your own model see
docs/guides/training.md.
"""

import sys
import time
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from lexalign.contracts.errors import LexalignError
from lexalign.data.reader import ParallelText
from lexalign.data.synthetic import generate
from lexalign.metrics.quality import bleu, chrf
from lexalign.text.tokenizer_training import TokenizerOptions
from lexalign.training.options import TrainingOptions
from lexalign.training.recipe import Recipe
from lexalign.training.run import train_model
from lexalign.translator import Translator

FOLDER = Path("demo")
TRAIN, VALID, TEST = 20_000, 200, 500  # sentence pairs
SHOWN = 6

# Small enough for a minute on one core; the defaults are a model for real text.
RECIPE = Recipe(
    model={
        "width": 128,
        "feedforward_width": 256,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "dropout": 0.1,
    },
    training=TrainingOptions(
        updates=500,
        batch_tokens=1_200,
        learning_rate=4e-3,
        warmup=200,
        log_every=50,
        validate_every=125,
        save_every=25,
    ),
    tokenizer=TokenizerOptions(vocabulary_size=1_000),
)

# A log has no width of its own.
console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)


def main() -> None:
    pairs = generate(TRAIN + VALID + TEST)
    train, valid, test = pairs[:TRAIN], pairs[TRAIN : TRAIN + VALID], pairs[TRAIN + VALID :]

    console.print(f"[bold]1. Train[/] on {TRAIN:,} sentence pairs, about a minute the first time")
    model = train_model(
        [write_corpus("train", train)],
        write_corpus("valid", valid),
        FOLDER / "run",
        RECIPE,
        say=console.print,
    )

    console.print(f"\n[bold]2. Translate[/] {TEST} sentences that the model has never seen")
    sources, references = [german for german, _ in test], [english for _, english in test]
    start = time.perf_counter()
    translator = Translator.load(model)
    translations = [translation.text for translation in translator.translate(sources)]
    seconds = time.perf_counter() - start
    console.print(f"{seconds:.1f} s, with loading the model; the first {SHOWN} of them:")
    show(sources[:SHOWN], translations[:SHOWN], references[:SHOWN])

    console.print("[bold]3. Score[/] all of them against their references")
    for score in (bleu(translations, references), chrf(translations, references)):
        console.print(f"{score.name:<5}{score.value:6.1f}  [dim]{score.signature}[/]", soft_wrap=True)

    write_corpus("test", test)
    console.print("\n[bold]Now you:[/]")
    console.print(f'.venv/bin/lexalign translate --model {model} "{sources[0]}"', soft_wrap=True)


def write_corpus(name: str, pairs: list[tuple[str, str]]) -> ParallelText:
    """Two files, line by line: what `lexalign train --source ... --target ...` takes too."""
    corpus = ParallelText(FOLDER / f"{name}.de", FOLDER / f"{name}.en")
    for column, path in enumerate(corpus.paths):
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(pair[column] + "\n" for pair in pairs), encoding="utf-8")
    return corpus


def show(sources: list[str], translations: list[str], references: list[str]) -> None:
    table = Table("German", "translation", "reference", show_lines=True)
    for source, translation, reference in zip(sources, translations, references, strict=True):
        colour = "green" if translation == reference else "yellow"
        table.add_row(source, f"[{colour}]{translation}[/]", reference)
    console.print(table)


if __name__ == "__main__":
    # So small a model gains little from more threads, and loses much where other programs are at work too.
    torch.set_num_threads(1)
    try:
        main()
    except KeyboardInterrupt:
        console.print("stopped; run it again to go on")
        sys.exit(130)
    except LexalignError as error:
        console.print(f"{error}; or remove {FOLDER}/ to start over")
        sys.exit(2)
