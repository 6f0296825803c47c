"""The command `lexalign` and its subcommands."""

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from lexalign import __version__
from lexalign.cli.commands.aer import aer
from lexalign.cli.commands.align import align
from lexalign.cli.commands.evaluate import evaluate
from lexalign.cli.commands.glossary import glossary
from lexalign.cli.commands.model_formats import export_model, import_model, quantize_model
from lexalign.cli.commands.models import models
from lexalign.cli.commands.plot import plot_alignment, plot_log
from lexalign.cli.commands.sample_constraints import sample_constraints
from lexalign.cli.commands.score import score
from lexalign.cli.commands.serve import keys, serve
from lexalign.cli.commands.train import train
from lexalign.cli.commands.train_aligner import train_aligner
from lexalign.cli.commands.translate import translate
from lexalign.cli.commands.translate_corpus import translate_corpus
from lexalign.cli.commands.translate_file import translate_file
from lexalign.cli.messages import one_line_failures


class Commands(TyperGroup):
    """A group whose commands all fail with one line."""

    def invoke(self, ctx: Any) -> Any:
        with one_line_failures():
            return super().invoke(ctx)


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # help is the same text in a terminal and in a pipe
)
app.command()(train)
app.command(name="train-aligner")(train_aligner)
app.command()(translate)
app.command(name="translate-corpus")(translate_corpus)
app.command(name="translate-file")(translate_file)
app.add_typer(models, name="models")
app.command(name="import")(import_model)
app.command(name="export")(export_model)
app.command()(score)
app.command()(evaluate)
app.command()(align)
app.command()(aer)
app.command(name="plot-alignment")(plot_alignment)
app.command(name="plot-log")(plot_log)
app.command(name="quantize")(quantize_model)
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
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Machine translation with terminology constraints and word alignment."""


def run() -> None:
    try:
        app(prog_name="lexalign")
    except SystemExit as end:
        if int(os.environ.get("WORLD_SIZE", "1")) > 1 and not end.code:
            _exit_at_once()
        raise


def _exit_at_once() -> None:
    """A rank that is done skips Python's shutdown: torch's threads may abort during it, and torchrun would
    count the finished rank as failed."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
