"""The command `lexalign` and its subcommands."""

import os
import sys
from typing import Annotated

import typer

from lexalign import __version__
from lexalign.cli.commands.aer import aer
from lexalign.cli.commands.align import align
from lexalign.cli.commands.bench import bench
from lexalign.cli.commands.daemon import daemon, status, stop
from lexalign.cli.commands.doctor import doctor
from lexalign.cli.commands.evaluate import evaluate
from lexalign.cli.commands.glossary import glossary
from lexalign.cli.commands.keys import keys
from lexalign.cli.commands.model_formats import export_model, import_model, quantize_model
from lexalign.cli.commands.models import models
from lexalign.cli.commands.plot import plot_alignment, plot_log
from lexalign.cli.commands.sample_constraints import sample_constraints
from lexalign.cli.commands.score import score
from lexalign.cli.commands.serve import serve
from lexalign.cli.commands.shortlist import shortlist
from lexalign.cli.commands.train import train
from lexalign.cli.commands.train_aligner import train_aligner
from lexalign.cli.commands.translate import translate
from lexalign.cli.commands.translate_corpus import translate_corpus
from lexalign.cli.commands.translate_file import translate_file
from lexalign.cli.groups import Command, Commands, PlaceCommand, group_of, new_group


class AllCommands(Commands):
    order = (
        "translate",
        "align",
        "glossary",
        "models",
        "train",
        "evaluate",
        "serve",
        "daemon",
        "bench",
        "doctor",
    )


app = typer.Typer(
    cls=AllCommands,
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # help is the same text in a terminal and in a pipe
)
of_translate = new_group(("file", translate_file, Command), ("corpus", translate_corpus, Command))
of_align = new_group(("plot", plot_alignment, Command))
of_train = new_group(("aligner", train_aligner, PlaceCommand), ("plot", plot_log, Command))
of_evaluate = new_group(
    ("score", score, Command),
    ("alignment", aer, Command),
    ("sample-constraints", sample_constraints, Command),
)
of_daemon = new_group(("status", status, Command), ("stop", stop, Command))
of_serve = new_group()
of_serve.add_typer(keys, name="keys")
models.command(name="import", cls=PlaceCommand)(import_model)
models.command(name="export", cls=PlaceCommand)(export_model)
models.command(name="quantize", cls=PlaceCommand)(quantize_model)
models.command(name="shortlist", cls=Command)(shortlist)

app.command(cls=group_of(of_translate))(translate)
app.command(cls=group_of(of_align))(align)
app.add_typer(glossary, name="glossary")
app.add_typer(models, name="models")
app.command(cls=group_of(of_train, PlaceCommand))(train)
app.command(cls=group_of(of_evaluate))(evaluate)
app.command(cls=group_of(of_serve))(serve)
app.command(cls=group_of(of_daemon))(daemon)
app.command(cls=Command)(bench)
app.command(cls=Command)(doctor)

# What commands were called before they had groups.
for name, function, kind in (
    ("translate-file", translate_file, Command),
    ("translate-corpus", translate_corpus, Command),
    ("train-aligner", train_aligner, PlaceCommand),
    ("import", import_model, PlaceCommand),
    ("export", export_model, PlaceCommand),
    ("quantize", quantize_model, PlaceCommand),
    ("shortlist", shortlist, Command),
    ("score", score, Command),
    ("aer", aer, Command),
    ("plot-alignment", plot_alignment, Command),
    ("plot-log", plot_log, Command),
    ("sample-constraints", sample_constraints, Command),
):
    app.command(name=name, cls=kind, hidden=True)(function)
app.add_typer(keys, name="keys", hidden=True)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lexalign {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Machine translation with terminology constraints and word alignment.

    Start with: lexalign translate "Wo ist der Bahnhof?"
    """


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
