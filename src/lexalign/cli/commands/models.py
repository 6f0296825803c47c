"""`lexalign models`: models by name."""

from typing import Annotated

import typer

from lexalign.cli.groups import Command, Commands
from lexalign.cli.messages import say
from lexalign.cli.output.progress import DownloadProgress

models = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Get, list, import, export and quantize models.",
)

Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="Helsinki-NLP/opus-mt-de-en, firefox:en-de, argos:de-en, ..."),
]


@models.command(name="list", cls=Command)
def list_models() -> None:
    """List downloaded and bundled models; those with a star are found by --from and --to."""
    from lexalign.hub import describe_models

    for one in describe_models():
        star = "*" if one.is_default else " "
        head = "head" if one.has_head else "no head"
        origin = "bundled" if one.version is None else f"version {one.version[:12]}"
        typer.echo(
            f"{star} {one.name:<40} {one.direction:<16} {one.size / 1e6:>9,.1f} MB  {head:<8} {origin}"
        )


@models.command(cls=Command)
def get(
    name: Name,
    int8: Annotated[
        bool, typer.Option("--int8", help="Store weights in 8 bits: a quarter of the size of float32.")
    ] = False,
) -> None:
    """Download a model and import it into the cache folder.

    OWNER/NAME is a model of the HuggingFace hub, firefox:SOURCE-TARGET one of Firefox, and
    argos:SOURCE-TARGET one of Argos Translate and LibreTranslate. Files are checked by the checksums that
    their index publishes. A stopped download resumes when you give the same command again.

    Example: lexalign models get Helsinki-NLP/opus-mt-de-en
    """
    from lexalign.hub import get_model

    with DownloadProgress() as progress:
        folder = get_model(name, int8=int8, say=say, on_progress=progress.show)
    say(f"{name} is in {folder}; use it with --model {name}")


@models.command(cls=Command)
def show(name: Name) -> None:
    """Show where a model is and what it is."""
    from lexalign.hub.models import describe_model
    from lexalign.models.folder import load_config

    one, config = describe_model(name), load_config(describe_model(name).folder)
    head = "post-aln" if one.has_head else f"none; lexalign train aligner --model {one.name} --text TEXT"
    lines = {
        "name": one.name,
        "folder": str(one.folder),
        "version": one.version or "bundled",
        "languages": one.direction,
        "shape": f"{config.encoder_layers}+{config.decoder_layers} layers of width {config.width}, "
        f"{config.vocabulary_size:,} entries",
        "size": f"{one.size / 1e6:,.1f} MB",
        "alignment head": head,
        "found by languages": "yes" if one.is_default else "no",
    }
    for title, value in lines.items():
        typer.echo(f"{title:<20}{value}")


@models.command(cls=Command)
def remove(name: Name) -> None:
    """Remove a downloaded model, or a download that was not finished."""
    from lexalign.hub import remove_model

    say(f"{remove_model(name)} is removed")
