"""`lexalign plot-log`."""

from pathlib import Path
from typing import Annotated

import typer


def plot_log(
    log: Annotated[Path, typer.Argument(help="The log of a training run, log.jsonl.")],
    picture: Annotated[Path, typer.Argument(help="Where to write the picture: .png, .svg or .pdf.")],
) -> None:
    """Draw the learning curve of a training run.

    Example: lexalign plot-log run/log.jsonl curve.png
    """
    from lexalign.training import plot

    plot.plot_log(log, picture)
