"""`lexalign train aligner`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.bundled.cache import find_folder, refuse_bundled
from lexalign.cli.messages import resumable, say
from lexalign.cli.options.computation import Device
from lexalign.cli.options.parallel_text import (
    SourceFiles,
    TableFiles,
    TargetFiles,
    ValidSourceFile,
    ValidTableFile,
    ValidTargetFile,
    parse_pair,
    training_text,
    validation_text,
)
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.data.reader import ParallelText
    from lexalign.training.heads.labels import LabelFiles


@dataclass(frozen=True, kw_only=True)
class _Defaults:
    updates: int
    batch_tokens: int
    rounds: int


_USUAL = _Defaults(updates=10_000, batch_tokens=4_500, rounds=1)
_WITHOUT_PARALLEL_TEXT = _Defaults(updates=500, batch_tokens=3_000, rounds=2)


def train_aligner(
    model: Annotated[
        Path,
        typer.Option(
            metavar="MODEL",
            parser=find_folder,
            help="Model to train heads for, by its folder or name; they are saved in its folder.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder of the run, for tokens, log and checkpoint. May be that of the model; with --text "
            "by default MODEL.aligner.",
        ),
    ] = None,
    text: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Text in the source language, one sentence per line, instead of parallel text: the model "
            "translates it itself. May be repeated.",
        ),
    ] = None,
    reverse_text: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Text in the target language, for --reverse-model to translate."),
    ] = None,
    max_lines: Annotated[
        int,
        typer.Option(
            min=1, help="--text: maximum number of lines for each direction, taken from the whole text."
        ),
    ] = 15_000,
    reverse_model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL", parser=find_folder, help="Model of the reverse direction; it gets heads too."
        ),
    ] = None,
    source: SourceFiles = None,
    target: TargetFiles = None,
    data: TableFiles = None,
    languages: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SOURCE:TARGET",
            help="Languages of a multilingual model, such as de:en, for all texts, or one per text.",
        ),
    ] = None,
    valid_source: ValidSourceFile = None,
    valid_target: ValidTargetFile = None,
    valid_data: ValidTableFile = None,
    valid_languages: Annotated[
        str | None,
        typer.Option(metavar="SOURCE:TARGET", help="Languages of the validation text; by default the first."),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            help="Kind of head: post-aln, shift-aet or prior-att. May be repeated; all are trained together.",
        ),
    ] = None,
    teacher: Annotated[
        str | None,
        typer.Option(
            metavar="ALIGNER",
            help="Aligner that labels the text: shift-att of both models (the default); self, the attention "
            "of one model with hmm-agreement (the default with --text and no reverse model); a statistical "
            "aligner (hmm-agreement, fast-align, hmm, ibm4); or post-aln, the saved heads of both models.",
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Labels instead of a teacher: Pharaoh links, one line per line of the text."
        ),
    ] = None,
    labels_level: Annotated[
        str,
        typer.Option(
            metavar="LEVEL", help="Units of the links in the file: word (separated by spaces) or subword."
        ),
    ] = "word",
    valid_labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Labels of the validation text; without them, --labels give uncalibrated heads.",
        ),
    ] = None,
    updates: Annotated[
        int | None,
        typer.Option(
            help="Number of updates in each round.",
            show_default=f"{_USUAL.updates:,}, with --text {_WITHOUT_PARALLEL_TEXT.updates:,}",
        ),
    ] = None,
    batch_tokens: Annotated[
        int | None,
        typer.Option(
            help="Tokens in a batch.",
            show_default=f"{_USUAL.batch_tokens:,}, with --text {_WITHOUT_PARALLEL_TEXT.batch_tokens:,}",
        ),
    ] = None,
    accumulate: Annotated[
        int, typer.Option(help="Gradient accumulation: batches per update, on each rank.")
    ] = 1,
    learning_rate: Annotated[float, typer.Option(help="Peak learning rate.")] = 1e-3,
    rounds: Annotated[
        int | None,
        typer.Option(
            help="Rounds of self-training: from the second on, heads teach.",
            show_default=f"{_USUAL.rounds}, with --text {_WITHOUT_PARALLEL_TEXT.rounds}",
        ),
    ] = None,
    second_opinion: Annotated[
        bool,
        typer.Option(
            help="Combine the labels of heads with those of hmm-agreement, which also replaces shift-att if "
            "the two directions hardly agree."
        ),
    ] = False,
    layer: Annotated[
        int | None,
        typer.Option(
            min=1, help="Decoder layer of the heads; by default the second-to-last, or the last of two."
        ),
    ] = None,
    label_layers: Annotated[
        tuple[int, int] | None,
        typer.Option(
            min=1,
            metavar="LAYER LAYER",
            help="shift-att: a layer of each model; by default the layers or single heads that agree best.",
        ),
    ] = None,
    label_heads: Annotated[
        tuple[int, int] | None,
        typer.Option(
            min=1,
            metavar="HEAD HEAD",
            help="shift-att: one attention head in each of these layers; by default their mean.",
        ),
    ] = None,
    symmetrize: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD",
            help="Symmetrization of the labels: grow-diag-and (the default), intersection, ...",
        ),
    ] = None,
    pin_marks: Annotated[
        bool, typer.Option(help="shift-att: align final punctuation only with final punctuation.")
    ] = True,
    device: Device = "auto",
    seed: Annotated[int, typer.Option(help="Random seed.")] = 1,
) -> None:
    """Train an alignment head for a frozen model.

    The labels are the symmetrized ShiftATT alignments of both directions, unless --teacher or --labels give
    others; a statistical teacher or a file needs no reverse model. The model may be multilingual, and the
    --reverse-model the same folder: one head then aligns all pairs of --languages, in both directions.

    With --text there is no parallel text: the model translates the text itself, and its own attention, the
    statistics of its translations and the heads of the first round are the teachers of the second. A reverse
    model, which translates --reverse-text, is optional.

    A run that was stopped resumes when you give the same command again. To train on several GPUs:
    torchrun --nproc-per-node 4 -m lexalign train aligner ...

    Example: lexalign train aligner --model de-en/model --reverse-model en-de/model --source train.de
    --target train.en --valid-source valid.de --valid-target valid.en --output de-en

    Example: lexalign train aligner --model firefox:en-de --text news.en
    """
    from lexalign.training.heads.label_choice import check_labels
    from lexalign.training.heads.options import HeadOptions
    from lexalign.training.heads.run import train_aligner as train

    for folder in (model, reverse_model):
        if folder is not None:
            refuse_bundled(folder)
    defaults = _WITHOUT_PARALLEL_TEXT if text else _USUAL
    num_rounds = defaults.rounds if rounds is None else rounds
    num_updates = defaults.updates if updates is None else updates
    if text and teacher is None and labels is None:
        teacher = "self" if reverse_model is None else "shift-att"
        second_opinion = second_opinion or (reverse_model is not None and num_rounds > 1)
    if second_opinion and num_rounds < 2 and teacher != "post-aln":
        raise LexalignError(
            "--second-opinion needs heads as teachers; give --rounds 2 or --teacher post-aln with it"
        )
    if symmetrize is not None and (labels is not None or teacher == "hmm-agreement"):
        raise LexalignError(
            f"labels of {'a file' if labels else teacher} are symmetrized already; leave --symmetrize out"
        )
    if label_layers is not None and reverse_model is None:
        raise LexalignError("--label-layers are layers of two models; give --reverse-model with them")
    if label_heads is not None and label_layers is None:
        raise LexalignError("--label-heads are heads of --label-layers; give both")
    name = teacher or "shift-att"
    options = HeadOptions(
        kinds=tuple(kind or ["post-aln"]),
        teacher=name,  # type: ignore[arg-type]  # checked by the options
        updates=num_updates,
        batch_tokens=defaults.batch_tokens if batch_tokens is None else batch_tokens,
        accumulate=accumulate,
        learning_rate=learning_rate,
        warmup=min(HeadOptions.warmup, num_updates // 5) if text else HeadOptions.warmup,
        rounds=num_rounds,
        second_opinion=second_opinion,
        layer=None if layer is None else layer - 1,
        label_layers=None if label_layers is None else (label_layers[0] - 1, label_layers[1] - 1),
        label_heads=None if label_heads is None else (label_heads[0] - 1, label_heads[1] - 1),
        symmetrization=symmetrize or ("grow-diag-final-and" if name == "fast-align" else "grow-diag-and"),  # type: ignore[arg-type]
        pin_marks=pin_marks,
        seed=seed,
    )
    files = _labels(labels, valid_labels, labels_level, teacher)
    pairs = [parse_pair(one) for one in languages or []]
    if text or reverse_text:
        _check_text_options(source, target, data, valid_source, valid_target, valid_data, labels)
        if not text:
            raise LexalignError("give text in the source language with --text")
        check_labels(options, files, both_directions=reverse_model is not None)
        own = OwnText(model, reverse_model, tuple(text or ()), tuple(reverse_text or ()), max_lines)
        folder = output or model.with_name(f"{model.name}.aligner")
        with resumable():
            corpora, valid = own.translate(folder, pairs[0] if pairs else None, device)
            train(model, reverse_model, corpora, valid, folder, options, device=device, say=say)
        return
    if output is None:
        raise LexalignError("give the folder of the run with --output DIR")
    corpora = training_text(source or [], target or [], data or [], pairs)
    held_out = parse_pair(valid_languages) if valid_languages else next(iter(pairs), None)
    valid = replace(validation_text(valid_source, valid_target, valid_data), languages=held_out)
    with resumable():
        train(model, reverse_model, corpora, valid, output, options, labels=files, device=device, say=say)


def _check_text_options(*others: object) -> None:
    if any(others):
        raise LexalignError(
            "--text is translated by the model itself; leave out --source, --target, --data, --labels and "
            "all validation text"
        )


@dataclass(frozen=True)
class OwnText:
    """Text of one language for each direction, which the models translate themselves."""

    model: Path
    reverse_model: Path | None
    text: tuple[Path, ...]
    reverse_text: tuple[Path, ...]
    max_lines: int

    def translate(
        self, folder: Path, languages: tuple[str, str] | None, device: str
    ) -> tuple[list["ParallelText"], "ParallelText"]:
        """The training text of each direction, and the held-out text of both."""
        from lexalign.translator.self_translation import join_held_out, translate_text

        if self.reverse_text and self.reverse_model is None:
            raise LexalignError("--reverse-text is translated by --reverse-model; give it too")
        place = folder / "text"
        parts = [
            translate_text(
                self.model, self.text, place / "forward", self.max_lines, languages, device=device, say=say
            )
        ]
        if self.reverse_text and self.reverse_model is not None:
            turned = None if languages is None else (languages[1], languages[0])
            parts.append(
                translate_text(
                    self.reverse_model,
                    self.reverse_text,
                    place / "backward",
                    self.max_lines,
                    turned,
                    device=device,
                    say=say,
                ).turned()
            )
        return [part.train for part in parts], join_held_out(parts, place)


def _labels(train: Path | None, valid: Path | None, level: str, teacher: str | None) -> "LabelFiles | None":
    from lexalign.training.heads.labels import LabelFile, LabelFiles

    if train is None:
        if valid is not None:
            raise LexalignError("--valid-labels go with --labels; a teacher labels validation text itself")
        return None
    if teacher is not None:
        raise LexalignError("give --labels or --teacher, not both")
    chosen = [LabelFile(path=path, level=level) for path in (train, valid) if path is not None]  # type: ignore[arg-type]
    return LabelFiles(train=chosen[0], valid=chosen[1] if len(chosen) == 2 else None)
