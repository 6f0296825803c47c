"""The choice of the output format of `lexalign translate`."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from lexalign.cli.output.translation.lines import as_json, moses, plain
from lexalign.cli.output.translation.terminal import TerminalView

if TYPE_CHECKING:
    from lexalign.translator import Translation

# Output for a line: its index, its source and its translation.
View = Callable[[int, str, "Translation"], str]


def is_watched(output: Path | None) -> bool:
    """Whether the output goes to a terminal."""
    return output is None and sys.stdout.isatty()


def choose_view(*, json_lines: bool, n_best: int, alignment: bool, watched: bool) -> View:
    """Plain lines for files and pipes; the terminal view for terminals, or where alignment is asked for."""
    if json_lines:
        return lambda _, source, translation: as_json(source, translation)
    if n_best > 1:
        return lambda index, _, translation: moses(index, translation)
    if not (watched or alignment):
        return lambda _index, _source, translation: plain(translation)
    colours = watched and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    view = TerminalView(
        alignment=alignment,
        table=watched,
        colours=colours,
        width=get_terminal_size().columns if watched else 100,
    )
    return lambda _, source, translation: view.render(source, translation)
