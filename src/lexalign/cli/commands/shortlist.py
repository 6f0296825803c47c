"""`lexalign models shortlist`: a lexical shortlist for a model that has none."""

from pathlib import Path
from typing import Annotated

import typer

from lexalign.bundled.cache import find_folder, refuse_bundled
from lexalign.cli.messages import say
from lexalign.contracts.errors import LexalignError


def shortlist(
    model: Annotated[
        Path,
        typer.Option(
            "--model",
            metavar="MODEL",
            parser=find_folder,
            help="Folder or name of the model; the list is written into its folder.",
        ),
    ],
    source: Annotated[
        Path, typer.Option("--source", metavar="FILE", help="Sentences to learn from, one per line.")
    ],
    target: Annotated[
        Path | None,
        typer.Option(
            "--target", metavar="FILE", help="Their translations; by default the model's own are used."
        ),
    ] = None,
    frequent: Annotated[
        int, typer.Option("--frequent", min=1, help="Most frequent target tokens, which are on every list.")
    ] = 100,
    per_token: Annotated[
        int, typer.Option("--per-token", min=1, help="Target tokens that a source token may become.")
    ] = 100,
    beam: Annotated[int, typer.Option("--beam", min=1, help="Beam size of the comparison.")] = 5,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Write the list even if translations become worse.")
    ] = False,
) -> None:
    """Learn which target tokens a sentence's words may become, so that only those are scored.

    The list is learnt from parallel text, or from the model's own translations of a text, and compared on
    held-out sentences. It is written, and from then on used, if nothing is lost: if BLEU is not lower, or,
    without --target, if 98 % of the translations stay as they are.

    Example: lexalign models shortlist --model run/model --source train.de --target train.en
    """
    from lexalign.data.reader import read_lines
    from lexalign.text.tokenizer_files import load_tokenizer
    from lexalign.training.shortlist import ShortlistOptions
    from lexalign.translator import TranslateOptions
    from lexalign.translator.shortlisting import make_shortlist

    folder = model
    refuse_bundled(folder)
    sources = list(read_lines(source))
    targets = None if target is None else list(read_lines(target))
    if targets is not None and len(targets) != len(sources):
        raise LexalignError(f"{source} has {len(sources):,} lines and {target} {len(targets):,}")
    options = ShortlistOptions(frequent=frequent, per_token=per_token)
    found, report = make_shortlist(
        folder, sources, targets, options=options, search=TranslateOptions(beam=beam), say=say
    )
    typer.echo(f"held-out sentences      {report.num_sentences:,}, beam {beam}")
    typer.echo(f"tokens of a list        {report.mean_length:,.0f} of {report.vocabulary_size:,}")
    typer.echo(f"reference tokens listed {report.recall:.2%}")
    typer.echo(f"translations unchanged  {report.same:.1%}")
    if report.bleu is not None:
        typer.echo(f"BLEU                    {report.bleu[0]:.2f} without, {report.bleu[1]:.2f} with")
    typer.echo(f"speed                   {report.speed:.2f} of that without")
    if not (report.no_loss or anyway):
        typer.echo("not written, because something is lost; to use it nevertheless: --anyway")
        raise typer.Exit(1)
    found.save(folder, load_tokenizer(folder).fingerprint)
    typer.echo(f"written into {folder}; --no-shortlist scores all tokens")
