"""`lexalign plot-alignment` and `lexalign plot-log`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.cli.options.parallel_text import named_file
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.contracts.alignment import Link

Picture = Annotated[Path, typer.Argument(metavar="PICTURE", help="Picture to write: .png, .svg or .pdf.")]


def plot_alignment(
    source: Annotated[
        Path,
        typer.Argument(metavar="SOURCE", help="Source sentences, one per line, with spaces between words."),
    ],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="Target sentences, in the same form.")],
    picture: Picture,
    alignment: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE",
            help="Alignment to plot, with or without probabilities. May be repeated: one panel for each.",
        ),
    ] = None,
    gold: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Gold alignment; its links are outlined.")
    ] = None,
    sentence: Annotated[int, typer.Option(min=1, help="Sentence to plot, counted from 1.")] = 1,
    font: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Font for words that the installed fonts lack.")
    ] = None,
) -> None:
    """Plot alignments of a sentence as heat maps, side by side, with gold links outlined.

    Example: lexalign align plot test.de test.en picture.pdf --alignment PostAln=links --gold gold.talp
    """
    if not alignment:
        raise LexalignError("there is no alignment to plot; give --alignment NAME=FILE")
    from lexalign.alignment.plot import SentencePicture
    from lexalign.alignment.plot import plot_alignment as plot
    from lexalign.data.reader import ParallelText
    from lexalign.text.words import words_of

    words = [
        (words_of(first)[0], words_of(second)[0]) for first, second in ParallelText(source, target).read()
    ]
    if sentence > len(words):
        raise LexalignError(f"--sentence {sentence}: {source} has {len(words)} lines")
    lengths = [(len(first), len(second)) for first, second in words]
    drawn = SentencePicture(
        source=words[sentence - 1][0],
        target=words[sentence - 1][1],
        methods=[(name, _links(path, lengths, sentence)) for name, path in map(named_file, alignment)],
        gold=_links(gold, lengths, sentence) if gold else None,
    )
    plot(drawn, picture, font=font)


def plot_log(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="Log of a training run, log.jsonl.")],
    picture: Picture,
) -> None:
    """Plot the learning curve of a training run.

    Example: lexalign train plot run/log.jsonl curve.png
    """
    from lexalign.training import plot

    plot.plot_log(log, picture)


def _links(path: Path, lengths: Sequence[tuple[int, int]], sentence: int) -> Sequence["Link"]:
    from lexalign.alignment.formats import read_alignments

    return read_alignments(path, lengths=lengths).sentences[sentence - 1]
