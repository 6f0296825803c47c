"""`lexalign train`."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.bundled.cache import find_folder
from lexalign.cli.messages import resumable, say
from lexalign.cli.options.computation import Device
from lexalign.cli.options.model_choice import ModelSource, ModelTarget, both_languages
from lexalign.cli.options.parallel_text import (
    SourceFiles,
    TableFiles,
    TargetFiles,
    ValidSourceFile,
    ValidTableFile,
    ValidTargetFile,
    training_text,
    validation_text,
)
from lexalign.contracts.errors import MissingExtraError

if TYPE_CHECKING:
    from lexalign.data.reader import ParallelText
    from lexalign.text.subwords import Languages
    from lexalign.training.recipe import Recipe


def train(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Folder of the run; the model is saved in DIR/model."
        ),
    ],
    source: SourceFiles = None,
    target: TargetFiles = None,
    data: TableFiles = None,
    valid_source: ValidSourceFile = None,
    valid_target: ValidTargetFile = None,
    valid_data: ValidTableFile = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="TOML", help="Recipe with [model], [training], [tokenizer] and [filters]."),
    ] = None,
    tokenizer: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Tokenizer to use instead of training one.")
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            parser=find_folder,
            help="Model whose weights and tokenizer the training starts from, by its folder or name.",
        ),
    ] = None,
    device: Device = "auto",
    updates: Annotated[int | None, typer.Option(help="Number of updates; overrides the recipe.")] = None,
    batch_tokens: Annotated[int | None, typer.Option(help="Tokens in a batch; overrides the recipe.")] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed; overrides the recipe.")] = None,
    source_language: ModelSource = None,
    target_language: ModelTarget = None,
    portable: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write a checkpoint in files of 16 MB here whenever the run is saved."
        ),
    ] = None,
    portable_bits: Annotated[int, typer.Option(help="16 or 32 bits a number; 32 is exact.")] = 16,
    portable_optimizer: Annotated[
        bool, typer.Option(help="Keep the optimiser's state, which is twice the weights.")
    ] = True,
    continue_from: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Go on from a portable checkpoint.")
    ] = None,
    stop_after_updates: Annotated[
        int, typer.Option(help="Stop after so many updates, to go on later; 0 is never.")
    ] = 0,
    stop_after_seconds: Annotated[
        float, typer.Option(help="Stop so many seconds after the start, to go on later; 0 is never.")
    ] = 0.0,
    plot: Annotated[
        bool | None,
        typer.Option("--plot/--no-plot", help="Plot DIR/curve.png; by default if matplotlib is installed."),
    ] = None,
) -> None:
    """Train a translation model from parallel text.

    Files may be plain or compressed (.gz, .bz2, .xz). A run that was stopped resumes when you give the same
    command again. The languages of the model are the suffixes of the files, as in train.de and train.en,
    unless --from and --to are given. To train on several GPUs:
    torchrun --nproc-per-node 4 -m lexalign train ...

    Example: lexalign train --source train.de --target train.en --valid-source valid.de
    --valid-target valid.en --output run
    """
    corpora = training_text(source or [], target or [], data or [])
    valid = validation_text(valid_source, valid_target, valid_data)
    languages = both_languages(source_language, target_language) or _languages_of(corpora)
    plots = _can_plot(plot)
    recipe = _recipe(config, updates, batch_tokens, seed)
    from lexalign.training.portable import PartOptions
    from lexalign.training.run import train_model

    parts = PartOptions(
        portable=portable,
        continue_from=continue_from,
        with_optimizer=portable_optimizer,
        bits=portable_bits,
        stop_after_updates=stop_after_updates,
        stop_after_seconds=stop_after_seconds,
    )
    with resumable(), _part(portable):
        train_model(
            corpora,
            valid,
            output,
            recipe,
            device=device,
            tokenizer=tokenizer,
            start=start,
            languages=languages,
            parts=parts,
            say=say,
        )
    log = output / "log.jsonl"  # a short part may end before its first entry
    if plots and log.exists() and os.environ.get("RANK", "0") == "0":
        from lexalign.training.plot import plot_log

        plot_log(log, output / "curve.png")


@contextmanager
def _part(portable: Path | None) -> Iterator[None]:
    """The end of a part ends the command; the user learns how to continue."""
    from lexalign.training.trainer import PartEnd

    try:
        yield
    except PartEnd as end:
        elsewhere = "" if portable is None else f", or elsewhere with --continue-from {portable}"
        say(f"{end}; run the same command again to continue{elsewhere}")


def _languages_of(corpora: Sequence["ParallelText"]) -> "Languages | None":
    """The languages that the suffixes of the files name, if they agree."""
    from lexalign.text.model_languages import languages_of_files

    found = {languages_of_files(corpus.source, corpus.target) for corpus in corpora} - {None}
    return found.pop() if len(found) == 1 else None


def _recipe(config: Path | None, updates: int | None, batch_tokens: int | None, seed: int | None) -> "Recipe":
    from lexalign.training.recipe import Recipe

    recipe = Recipe() if config is None else Recipe.read(config)
    training = recipe.training
    return replace(
        recipe,
        training=replace(
            training,
            updates=training.updates if updates is None else updates,
            batch_tokens=training.batch_tokens if batch_tokens is None else batch_tokens,
            seed=training.seed if seed is None else seed,
        ),
    )


def _can_plot(wanted: bool | None) -> bool:
    """A missing matplotlib is reported before a long run, not after it."""
    from importlib.util import find_spec

    if wanted and find_spec("matplotlib") is None:
        raise MissingExtraError("plotting needs matplotlib: pip install 'lexalign[train]'")
    return find_spec("matplotlib") is not None if wanted is None else wanted
