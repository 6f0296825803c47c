"""`lexalign train-aligner`."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.cli.parallel_text import (
    SourceFiles,
    TableFiles,
    TargetFiles,
    ValidSourceFile,
    ValidTableFile,
    ValidTargetFile,
    held_out_text,
    parse_pair,
    training_text,
)
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.training.heads.labels import LabelFiles


def train_aligner(
    model: Annotated[
        Path, typer.Option(metavar="DIR", help="The model to align with; the head is saved in its folder.")
    ],
    to: Annotated[
        Path,
        typer.Option(
            metavar="DIR", help="The folder of the run: tokens, log, checkpoint. May be the model's."
        ),
    ],
    reverse_model: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The model of the other direction; it gets heads too."),
    ] = None,
    source: SourceFiles = None,
    target: TargetFiles = None,
    data: TableFiles = None,
    languages: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SOURCE:TARGET",
            help="Of a multilingual model, as de:en: for all texts, or repeated for each of them.",
        ),
    ] = None,
    valid_source: ValidSourceFile = None,
    valid_target: ValidTargetFile = None,
    valid_data: ValidTableFile = None,
    valid_languages: Annotated[
        str | None,
        typer.Option(metavar="SOURCE:TARGET", help="Of the held-out text; by default the first."),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(help="post-aln, shift-aet or prior-att. May be repeated: they learn together."),
    ] = None,
    teacher: Annotated[
        str | None,
        typer.Option(
            help="Who labels the text: shift-att, by both models (the default); hmm-agreement, fast-align, "
            "hmm or ibm4, by statistics; post-aln, the heads already saved beside both models."
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Instead of a teacher: Pharaoh links, a line for each line of the text."
        ),
    ] = None,
    labels_level: Annotated[
        str, typer.Option(help="What the links of the file are between: word (as spaces split) or subword.")
    ] = "word",
    valid_labels: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Links of the held-out text; without them no calibration."),
    ] = None,
    updates: Annotated[int, typer.Option(help="Updates of the heads in each round.")] = 10_000,
    batch_tokens: Annotated[int, typer.Option(help="Tokens of a batch.")] = 4_500,
    accumulate: Annotated[int, typer.Option(help="Batches of an update, on each rank.")] = 1,
    learning_rate: Annotated[float, typer.Option(help="The highest one.")] = 1e-3,
    rounds: Annotated[
        int, typer.Option(help="In a second round the heads of both directions teach new ones.")
    ] = 1,
    second_opinion: Annotated[
        bool,
        typer.Option(
            help="Let statistics of the text (hmm-agreement) have a say where heads teach, and teach where "
            "the attention of both models hardly agrees."
        ),
    ] = False,
    layer: Annotated[
        int | None, typer.Option(min=1, help="The decoder layer that heads look at; the last but one.")
    ] = None,
    label_layers: Annotated[
        tuple[int, int] | None,
        typer.Option(
            min=1, help="Layers of both models for the labels; those, or the single heads, that agree best."
        ),
    ] = None,
    label_heads: Annotated[
        tuple[int, int] | None,
        typer.Option(min=1, help="One head of each of these layers, in place of the mean over all."),
    ] = None,
    symmetrize: Annotated[
        str | None,
        typer.Option(
            help="How the directions' labels are joined: grow-diag-and (the default), intersection, ..."
        ),
    ] = None,
    pin_marks: Annotated[
        bool, typer.Option(help="shift-att: align a final mark with a final mark and nothing else.")
    ] = True,
    device: Annotated[
        str, typer.Option(help="cpu, cuda, cuda:1; auto is a GPU where there is one.")
    ] = "auto",
    seed: Annotated[int, typer.Option(help="Of all chance in the training.")] = 1,
) -> None:
    """Train an alignment head beside a frozen model.

    The model may be a multilingual one, and the --reverse-model the same folder: one head then serves all
    pairs of --languages, in both directions.

    Labels are the symmetrised ShiftATT alignments of both directions, or what --teacher or --labels say; with
    statistics or a file no reverse model is needed. A run that was stopped goes on where it was when the same
    command is given again. With several GPUs: torchrun --nproc-per-node 4 -m lexalign train-aligner ...

    Example: lexalign train-aligner --model de-en/model --reverse-model en-de/model --source train.de
    --target train.en --valid-source valid.de --valid-target valid.en --to de-en
    """
    from lexalign.training.heads.options import HeadOptions
    from lexalign.training.heads.run import train_aligner as train

    if second_opinion and rounds < 2 and teacher != "post-aln":
        raise LexalignError(
            "a second opinion is for heads that teach; give --rounds 2 or --teacher post-aln with it"
        )
    if symmetrize is not None and (labels is not None or teacher == "hmm-agreement"):
        raise LexalignError(
            f"{'a file of labels' if labels else teacher} joins directions itself; leave --symmetrize out"
        )
    if label_layers is not None and reverse_model is None:
        raise LexalignError("--label-layers are of two models; give --reverse-model with them")
    if label_heads is not None and label_layers is None:
        raise LexalignError("--label-heads are heads of --label-layers; give both")
    name = teacher or "shift-att"
    options = HeadOptions(
        kinds=tuple(kind or ["post-aln"]),
        teacher=name,  # type: ignore[arg-type]  # checked by the options
        updates=updates,
        batch_tokens=batch_tokens,
        accumulate=accumulate,
        learning_rate=learning_rate,
        rounds=rounds,
        second_opinion=second_opinion,
        layer=None if layer is None else layer - 1,
        label_layers=None if label_layers is None else (label_layers[0] - 1, label_layers[1] - 1),
        label_heads=None if label_heads is None else (label_heads[0] - 1, label_heads[1] - 1),
        symmetrization=symmetrize or ("grow-diag-final-and" if name == "fast-align" else "grow-diag-and"),  # type: ignore[arg-type]
        pin_marks=pin_marks,
        seed=seed,
    )
    files = _labels(labels, valid_labels, labels_level, teacher)
    pairs = [parse_pair(text) for text in languages or []]
    corpora = training_text(source or [], target or [], data or [], pairs)
    held_out = parse_pair(valid_languages) if valid_languages else next(iter(pairs), None)
    valid = replace(held_out_text(valid_source, valid_target, valid_data), languages=held_out)
    try:
        train(model, reverse_model, corpora, valid, to, options, labels=files, device=device, say=_say)
    except KeyboardInterrupt:
        _say("stopped; run the same command to go on")
        raise typer.Exit(130) from None


def _labels(train: Path | None, valid: Path | None, level: str, teacher: str | None) -> "LabelFiles | None":
    from lexalign.training.heads.labels import LabelFile, LabelFiles

    if train is None:
        if valid is not None:
            raise LexalignError("--valid-labels go with --labels; a teacher labels the held-out text itself")
        return None
    if teacher is not None:
        raise LexalignError("give --labels or --teacher, not both")
    chosen = [LabelFile(path=path, level=level) for path in (train, valid) if path is not None]  # type: ignore[arg-type]
    return LabelFiles(train=chosen[0], valid=chosen[1] if len(chosen) == 2 else None)


def _say(line: str) -> None:
    typer.echo(line, err=True)
