"""The command `lexalign`: one file for each of its commands."""

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from lexalign import __version__
from lexalign.cli.commands.aer import aer
from lexalign.cli.commands.align import align
from lexalign.cli.commands.evaluate import evaluate
from lexalign.cli.commands.export import export
from lexalign.cli.commands.glossary import glossary
from lexalign.cli.commands.import_model import import_model
from lexalign.cli.commands.plot_alignment import plot_alignment
from lexalign.cli.commands.plot_log import plot_log
from lexalign.cli.commands.quantize import quantize
from lexalign.cli.commands.sample_constraints import sample_constraints
from lexalign.cli.commands.score import score
from lexalign.cli.commands.serve import keys, serve
from lexalign.cli.commands.train import train
from lexalign.cli.commands.train_aligner import train_aligner
from lexalign.cli.commands.translate import translate
from lexalign.cli.commands.translate_corpus import translate_corpus
from lexalign.cli.commands.translate_file import translate_file
from lexalign.cli.failures import one_line_failures


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
