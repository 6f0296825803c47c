"""The files of sentence pairs that a command is given."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.data.reader import ParallelText

SourceFiles = Annotated[
    list[Path] | None, typer.Option(metavar="FILE", help="Source sentences, one a line. May be repeated.")
]
TargetFiles = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="Their translations; as many files, in the same order."),
]
TableFiles = Annotated[
    list[Path] | None,
    typer.Option(metavar="TSV", help="Instead of both: source, tab, target. May be repeated."),
]
ValidSourceFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Held-out source sentences, to judge by.")
]
ValidTargetFile = Annotated[Path | None, typer.Option(metavar="FILE", help="Their translations.")]
ValidTableFile = Annotated[
    Path | None, typer.Option(metavar="TSV", help="Instead of both: source, tab, target.")
]


def parse_pair(text: str) -> tuple[str, str]:
    source, colon, target = text.partition(":")
    if not (source and colon and target):
        raise LexalignError(f"{text!r} is not a pair of languages; write it as de:en")
    return source, target


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
        raise LexalignError("nothing to learn from; give --source and --target, or --data")
    if len(languages) > 1 and len(languages) != len(corpora):
        raise LexalignError(
            f"{len(languages)} --languages for {len(corpora)} texts; give one, or one for each"
        )
    if not languages:
        return corpora
    pairs = languages if len(languages) > 1 else [*languages] * len(corpora)
    return [replace(corpus, languages=pair) for corpus, pair in zip(corpora, pairs, strict=True)]


def held_out_text(source: Path | None, target: Path | None, table: Path | None) -> "ParallelText":
    from lexalign.data.reader import ParallelText

    if table is not None and source is None and target is None:
        return ParallelText(table)
    if table is None and source is not None and target is not None:
        return ParallelText(source, target)
    raise LexalignError("give held-out text: --valid-source and --valid-target, or --valid-data")
