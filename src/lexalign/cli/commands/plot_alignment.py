"""`lexalign plot-alignment`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.contracts.alignment import Link

Lengths = Sequence[tuple[int, int]]


def plot_alignment(
    source: Annotated[Path, typer.Argument(help="Source sentences, words split by spaces, one a line.")],
    target: Annotated[Path, typer.Argument(help="Their translations, in the same form.")],
    picture: Annotated[Path, typer.Argument(help="Where to write the picture: .png, .svg or .pdf.")],
    alignment: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE",
            help="A method's alignment, with or without probabilities. May be repeated: side by side.",
        ),
    ] = None,
    gold: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The gold alignment, to be outlined.")
    ] = None,
    sentence: Annotated[int, typer.Option(min=1, help="Which sentence to draw, counted from 1.")] = 1,
    font: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A font for words that the installed ones lack.")
    ] = None,
) -> None:
    """Draw alignments of a sentence as heat maps, one beside the other, with the gold outlined.

    Example: lexalign plot-alignment test.de test.en picture.pdf --alignment PostAln=links --gold gold.talp
    """
    if not alignment:
        raise LexalignError("nothing to draw; name an alignment with --alignment NAME=FILE")
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
        methods=[(name, _links(path, lengths, sentence)) for name, path in map(_named, alignment)],
        gold=_links(gold, lengths, sentence) if gold else None,
    )
    plot(drawn, picture, font=font)


def _links(path: Path, lengths: Lengths, sentence: int) -> Sequence["Link"]:
    from lexalign.alignment.formats import read_alignments

    return read_alignments(path, lengths=lengths).sentences[sentence - 1]


def _named(alignment: str) -> tuple[str, Path]:
    """NAME=FILE, unless there is a file with such a name."""
    name, equals, path = alignment.partition("=")
    if equals and name and path and not Path(alignment).exists():
        return name, Path(path)
    return Path(alignment).name, Path(alignment)
