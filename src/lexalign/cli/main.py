"""The command `lexalign`: one file for each of its commands."""

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from lexalign import __version__
from lexalign.cli.aer import aer
from lexalign.cli.align import align
from lexalign.cli.evaluate import evaluate
from lexalign.cli.export import export
from lexalign.cli.failures import one_line_failures
from lexalign.cli.glossary import glossary
from lexalign.cli.import_model import import_model
from lexalign.cli.plot_alignment import plot_alignment
from lexalign.cli.plot_log import plot_log
from lexalign.cli.quantize import quantize
from lexalign.cli.sample_constraints import sample_constraints
from lexalign.cli.score import score
from lexalign.cli.serve import keys, serve
from lexalign.cli.train import train
from lexalign.cli.train_aligner import train_aligner
from lexalign.cli.translate import translate
from lexalign.cli.translate_corpus import translate_corpus
from lexalign.cli.translate_file import translate_file


class Commands(TyperGroup):
    """Fails in one line, whatever the command."""

    def invoke(self, ctx: Any) -> Any:
        with one_line_failures():
            return super().invoke(ctx)


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # help that reads the same in a terminal, a pipe and a manual
)
app.command()(train)
app.command(name="train-aligner")(train_aligner)
app.command()(translate)
app.command(name="translate-corpus")(translate_corpus)
app.command(name="translate-file")(translate_file)
app.command(name="import")(import_model)
app.command()(export)
app.command()(score)
app.command()(evaluate)
app.command()(align)
app.command()(aer)
app.command(name="plot-alignment")(plot_alignment)
app.command(name="plot-log")(plot_log)
app.command()(quantize)
app.command(name="sample-constraints")(sample_constraints)
app.add_typer(glossary, name="glossary")
app.command()(serve)
app.add_typer(keys, name="keys")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lexalign {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Train translation models, translate with them, and score translations."""


def run() -> None:
    try:
        app(prog_name="lexalign")
    except SystemExit as end:
        if int(os.environ.get("WORLD_SIZE", "1")) > 1 and not end.code:
            _leave_at_once()
        raise


def _leave_at_once() -> None:
    """As a rank among others whose work is done: torch's threads may abort while Python is taken down, and
    torchrun would count a finished rank as a failed one."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
