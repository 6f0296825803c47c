"""Options of translation memories."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.cli.options.sections import MEMORY
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.memory import MemoryUnit

MemoryFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--memory",
        metavar="FILE",
        help="Translation memory (.tmx, .tsv): exact matches are used, near ones reported. May be repeated.",
        rich_help_panel=MEMORY,
    ),
]
MemorySimilarity = Annotated[
    float,
    typer.Option(
        "--memory-similarity",
        min=1,
        max=100,
        help="Minimum similarity of near matches, in per cent; 100 for exact ones only.",
        rich_help_panel=MEMORY,
    ),
]
WriteMemory = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Also write the new translations to this translation memory (.tmx), or add them to it.",
        rich_help_panel=MEMORY,
    ),
]


def known_languages(source: str | None, target: str | None) -> tuple[str, str]:
    if source is None or target is None:
        raise LexalignError("a translation memory needs the languages; give --from and --to")
    return source, target


def read_units(files: Sequence[Path], languages: tuple[str, str]) -> Iterator["MemoryUnit"]:
    from lexalign.memory import read_memory

    for path in files:
        yield from read_memory(path, languages)


def check_memories(files: Sequence[Path], new: Path | None) -> None:
    """Raise the errors that can be known before anything is translated."""
    for path in files:
        if not path.is_file():
            raise LexalignError(f"{path}: there is no such translation memory")
    if new is not None and new.suffix.lower() != ".tmx":
        raise LexalignError(f"{new}: a translation memory is written as .tmx; give it such a name")
