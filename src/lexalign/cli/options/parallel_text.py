"""Files of sentence pairs, and other files that an option names."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.data.reader import ParallelText

SourceFiles = Annotated[
    list[Path] | None, typer.Option(metavar="FILE", help="Source sentences, one per line. May be repeated.")
]
TargetFiles = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="Target sentences: as many files, in the same order."),
]
TableFiles = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="TSV", help="Lines `source<TAB>target`, instead of --source and --target. May be repeated."
    ),
]
ValidSourceFile = Annotated[Path | None, typer.Option(metavar="FILE", help="Validation source sentences.")]
ValidTargetFile = Annotated[Path | None, typer.Option(metavar="FILE", help="Validation target sentences.")]
ValidTableFile = Annotated[
    Path | None,
    typer.Option(
        metavar="TSV", help="Lines `source<TAB>target`, instead of --valid-source and --valid-target."
    ),
]


def parse_pair(text: str) -> tuple[str, str]:
    source, colon, target = text.partition(":")
    if not (source and colon and target):
        raise LexalignError(f"{text!r} is not a language pair; write it as de:en")
    return source, target


def named_file(text: str) -> tuple[str, Path]:
    """A name and a file from NAME=FILE; from the file's own name where there is a file `text`."""
    name, equals, path = text.partition("=")
    if equals and name and path and not Path(text).exists():
        return name, Path(path)
    return Path(text).name, Path(text)


def training_text(
    sources: list[Path],
    targets: list[Path],
    tables: list[Path],
    languages: Sequence[tuple[str, str]] = (),
) -> list["ParallelText"]:
    """`languages` are one pair for all files, or one for each."""
    from lexalign.data.reader import ParallelText

    if len(sources) != len(targets):
        raise LexalignError(f"{len(sources)} --source and {len(targets)} --target; give as many of each")
    corpora = [ParallelText(*pair) for pair in zip(sources, targets, strict=True)]
    corpora += [ParallelText(table) for table in tables]
    if not corpora:
        raise LexalignError("there is no training text; give --source and --target, or --data")
    if len(languages) > 1 and len(languages) != len(corpora):
        raise LexalignError(
            f"{len(languages)} --languages for {len(corpora)} texts; give one, or one for each"
        )
    if not languages:
        return corpora
    pairs = languages if len(languages) > 1 else [*languages] * len(corpora)
    return [replace(corpus, languages=pair) for corpus, pair in zip(corpora, pairs, strict=True)]


def validation_text(source: Path | None, target: Path | None, table: Path | None) -> "ParallelText":
    from lexalign.data.reader import ParallelText

    if table is not None and source is None and target is None:
        return ParallelText(table)
    if table is None and source is not None and target is not None:
        return ParallelText(source, target)
    raise LexalignError("give validation text: --valid-source and --valid-target, or --valid-data")


def read_pairs(source: Path, target: Path | None) -> Iterator[tuple[str, str]]:
    """Sentence pairs of two files, or of one file of lines `source ||| target`."""
    from lexalign.data.reader import ParallelText, read_lines

    if target is not None:
        yield from ParallelText(source, target).read()
        return
    for number, line in enumerate(read_lines(source), start=1):
        parts = line.split(" ||| ") if " ||| " in line else line.split("|||")
        if len(parts) != 2:
            raise LexalignError(
                f"{source}, line {number}: not `source ||| target`; correct it, or give a second file"
            )
        yield parts[0].strip(), parts[1].strip()


def sentence_lengths(pairs: Iterable[tuple[str, str]]) -> list[tuple[int, int]]:
    """The numbers of words of sentence pairs, against which links are checked."""
    from lexalign.text.words import words_of

    return [(len(words_of(first)[0]), len(words_of(second)[0])) for first, second in pairs]
