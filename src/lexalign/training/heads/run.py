"""From models and parallel text to alignment heads, in stages that are skipped where they are done.

run/data/{train,valid}         token stores, shared with `lexalign train` in the same folder
run/data/labels-*.npz          labels from a file or by statistics, for the rows of the stores
run/layers.{json,png}          agreement of the two directions, layer by layer, and of single heads
run/teacher/                   the heads that teach, if they were saved before
run/heads-1.jsonl, ...         the log of each round
run/heads.json                 what held-out text says of the heads
model/post-aln.{json,safetensors}   the head, beside each of the models
model/attention-layers.json    which layers' attention agrees best
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from lexalign import __version__
from lexalign.alignment.attention import ShiftedAttention, sentence_final_ids
from lexalign.alignment.head_files import HeadSettings, load_head, save_head
from lexalign.alignment.layer_selection import ChosenAttention
from lexalign.contracts.alignment import Aligner
from lexalign.contracts.errors import LexalignError
from lexalign.data.filters import FilterOptions
from lexalign.data.preparation import file_digest
from lexalign.data.reader import ParallelText
from lexalign.models.folder import CONFIG, WEIGHTS, load_model, parse_device
from lexalign.storage import write_text
from lexalign.text.subwords import ModelTokenizer
from lexalign.text.word_starts import word_continuation_mask
from lexalign.training.checkpoint import saved_batches
from lexalign.training.heads.lessons import SECOND_OPINION, Curriculum, Labels, check_lessons
from lexalign.training.heads.options import HeadOptions
from lexalign.training.heads.report import (
    Report,
    Tables,
    report_round,
    summary,
    temperature,
    threshold,
    write_choice,
    write_tables,
)
from lexalign.training.heads.saved_heads import SavedHead, heads_fingerprint, keep_heads, kept_heads
from lexalign.training.heads.students import Student, check_shape, enrol
from lexalign.training.heads.texts import Texts, prepare_texts
from lexalign.training.heads.trainer import Classroom, HeadRun, HeadTrainer
from lexalign.training.heads.validation import HeldOut
from lexalign.training.heads.views import Onlookers
from lexalign.training.ranks import Ranks, check_shared, join_ranks, share_batches

SavedHeads = list[dict[str, SavedHead]]  # of each model, by their kinds
# AER between two directions, above which attention teaches worse than statistics of the text. Models of five
# language pairs are 33 to 52 apart by their best heads; where one had no head that aligns, 80 and 87.
_POOR = 0.7


def train_aligner(
    model: Path,
    reverse_model: Path | None,
    corpora: Sequence[ParallelText],
    valid: ParallelText,
    folder: Path,
    options: HeadOptions,
    *,
    labels: Labels | None = None,
    filters: FilterOptions | None = None,
    device: str = "auto",
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Train heads beside one model, or beside both directions' models, and save them there.

    `labels` are files of links; without them the options name the teacher.
    """
    chosen = parse_device(device)
    with join_ranks(chosen) as ranks:
        _train(
            [model] if reverse_model is None else [model, reverse_model],
            Material(corpora=corpora, valid=valid, labels=labels, filters=filters or FilterOptions()),
            folder,
            options,
            ranks,
            ranks.device(chosen),
            say if ranks.is_first else _quiet,
        )


@dataclass(frozen=True, kw_only=True)
class Material:
    """What a run learns from."""

    corpora: Sequence[ParallelText]
    valid: ParallelText
    labels: Labels | None
    filters: FilterOptions


def _train(
    paths: Sequence[Path],
    material: Material,
    folder: Path,
    options: HeadOptions,
    ranks: Ranks,
    device: torch.device,
    say: Callable[[str], None],
) -> None:
    labels = material.labels
    check_lessons(options, labels, both_directions=len(paths) == 2)
    onlookers, tokenizer = _load(paths, str(device))
    torch.set_float32_matmul_precision("high")
    torch.backends.cuda.enable_cudnn_sdp(False)  # it would plan for every shape of batch
    _check_shapes(onlookers, options)
    with ranks.in_turn():
        check_shared(folder, ranks)
        saved = _saved(paths, onlookers, folder) if labels is None and options.teacher == "post-aln" else []
        texts = prepare_texts(
            material.corpora,
            material.valid,
            tokenizer,
            material.filters,
            onlookers.forward.config,
            folder,
            say,
        )
    first_round = folder / "checkpoints" / "heads-1.pt"
    accumulate = share_batches(options.accumulate, ranks, saved_batches(first_round))
    options = replace(options, accumulate=accumulate)
    held_out = HeldOut(onlookers, texts.valid.store, options.batch_tokens, ranks)
    marks = sentence_final_ids(tokenizer.target) if options.pin_marks else ()
    by_attention = labels is None and options.teacher == "shift-att"
    tables = held_out.choose_layers(marks) if len(paths) == 2 else {}
    heads = held_out.choose_heads(marks) if by_attention and options.label_layers is None else None
    watched, apart = _watched(tables, heads, options) if by_attention else (None, None)
    poor = apart is not None and apart > _POOR
    if poor and options.second_opinion:
        options, watched = replace(options, teacher=SECOND_OPINION), None
    signature = _signature(paths, texts, options, labels, folder, ranks, watched)
    HeadRun(folder=folder, name="heads-1", signature=signature).read()  # refuses the folder of another run
    if tables:
        if ranks.is_first:
            write_tables(tables, heads, folder)
        say(f"AER between the two directions' ShiftATT, by layers (rows: forward)\n{tables['shift-att']}")
    if heads is not None:
        say(f"by single heads {100 * heads[1]:.1f} at best: {heads[0]}")
    if watched is not None:
        say(f"labels by {watched}")
    if poor:
        remedy = f"--teacher {SECOND_OPINION} needs none" if watched else f"labels by {SECOND_OPINION}"
        say(f"the two directions hardly agree, as if one had no attention that aligns: {remedy}")
    teachers = [heads["post-aln"].aligner(one) for one, heads in zip(onlookers.models, saved, strict=False)]
    attention = [
        ShiftedAttention(layer=layer, head=head, sentence_final_ids=marks)
        for layer, head in (watched.places if watched else ())
    ]
    continuing = word_continuation_mask(tokenizer.target).to(device)
    curriculum = Curriculum(
        options=options, texts=texts, continuing=continuing, folder=folder / "data", say=say
    )
    with ranks.in_turn():
        lessons = curriculum.first(labels, attention, teachers)
    for number in range(1, options.rounds + 1):
        classroom = _enrol(onlookers, options, saved)
        run = HeadRun(folder=folder, name=f"heads-{number}", signature=signature)
        HeadTrainer(onlookers, classroom, lessons.train, texts.train.store, options, run, ranks).train()
        report = report_round(held_out, classroom, lessons.valid, continuing, number)
        say(summary(report))
        if number < options.rounds:
            forward, backward = _graduated(classroom, report, options)
            with ranks.in_turn():
                lessons = curriculum.by_heads(forward, backward)
    if ranks.is_first:
        _save(classroom, report, paths, options, watched, folder)
        if tables:
            named = options.label_layers if options.label_heads is None else None
            write_choice(tables, named or tables["shift-att"].best, _distinct(paths))
    ranks.wait()


def _watched(
    tables: Tables, heads: tuple[ChosenAttention, float] | None, options: HeadOptions
) -> tuple[ChosenAttention, float | None]:
    """The attention that labels, as was asked for or where both models agree best (layers in doubt), and then
    the AER between them."""
    if options.label_layers is not None:
        return ChosenAttention(layers=options.label_layers, heads=options.label_heads or (None, None)), None
    table = tables["shift-att"]
    if heads is not None and heads[1] < table.least:
        return heads
    return ChosenAttention(layers=table.best), table.least


def _load(paths: Sequence[Path], device: str) -> tuple[Onlookers, ModelTokenizer]:
    distinct = _distinct(paths)
    loaded = [load_model(path, device=device) for path in distinct]
    tokenizer = loaded[0][1]
    if any(other.fingerprint != tokenizer.fingerprint for _, other in loaded):
        raise LexalignError(
            f"{paths[0]} and {paths[1]} have different vocabularies; train one with --tokenizer of the "
            "other, or align the text by `lexalign align --symmetrize` and give it as --labels"
        )
    if len(paths) == 2 and not tokenizer.mirrored:
        raise LexalignError(f"{paths[0]} reads and writes in different tokens; train without --reverse-model")
    return Onlookers(loaded[0][0], loaded[-1][0] if len(paths) == 2 else None), tokenizer


def _distinct(paths: Sequence[Path]) -> Sequence[Path]:
    """A multilingual model may be its own reverse."""
    return paths[:1] if len({path.resolve() for path in paths}) == 1 else paths


def _check_shapes(onlookers: Onlookers, options: HeadOptions) -> None:
    layers, heads = options.label_layers or (0, 0), options.label_heads or (0, 0)
    for model, layer, head in zip(onlookers.models, layers, heads, strict=False):
        check_shape(model, options, layer, head)


def _saved(paths: Sequence[Path], onlookers: Onlookers, folder: Path) -> SavedHeads:
    """The heads that are beside the models when the run begins."""
    places = [folder / "teacher" / side for side in ("forward", "backward")]
    for path in paths:
        load_head(path, "post-aln")
    for path, place in zip(paths, places, strict=True):
        keep_heads(path, place)
    return [kept_heads(place, model) for place, model in zip(places, onlookers.models, strict=True)]


def _signature(
    paths: Sequence[Path],
    texts: Texts,
    options: HeadOptions,
    labels: Labels | None,
    folder: Path,
    ranks: Ranks,
    watched: ChosenAttention | None,
) -> str:
    """Tells runs apart that would learn something else; of labels by layers it has always been silent."""
    content: list[Any] = [
        options.learnt(),
        [file_digest(path / name) for path in paths for name in (CONFIG, WEIGHTS)],
        texts.fingerprint,
        [file.fingerprint for file in ([] if labels is None else labels.files)],
        [heads_fingerprint(place) for place in sorted((folder / "teacher").glob("*"))],
    ]
    if watched is not None and watched.heads != (None, None) and options.label_heads is None:
        content.append(watched.places)
    if (batches := ranks.world * options.accumulate) > 1:
        content.append(batches)
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _enrol(onlookers: Onlookers, options: HeadOptions, saved: SavedHeads) -> Classroom:
    torch.manual_seed(options.seed)
    students: list[dict[str, Student]] = [{}, {}]
    for side, model in enumerate(onlookers.models):
        if side and model is onlookers.forward:
            students[side] = students[0]
        else:
            students[side] = enrol(model, options, saved[side] if saved else {})
    return Classroom(forward=students[0], backward=students[1])


def _graduated(classroom: Classroom, report: Report, options: HeadOptions) -> tuple[Aligner, Aligner]:
    """The heads of a round as teachers of the next."""
    best = "post-aln" if "post-aln" in options.kinds else options.kinds[0]
    forward = classroom.forward[best].aligner(temperature(report, "forward", best))
    backward = classroom.backward[best].aligner(temperature(report, "backward", best))
    return forward, backward


def _save(
    classroom: Classroom,
    report: Report,
    paths: Sequence[Path],
    options: HeadOptions,
    watched: ChosenAttention | None,
    folder: Path,
) -> None:
    write_text(folder / "heads.json", json.dumps(report, indent=2) + "\n")
    notes = {"lexalign": __version__, "training": asdict(options)}
    if watched is not None:
        notes["labels"] = str(watched)
    sides = ("forward", "backward"), (classroom.forward, classroom.backward)
    for path, side, students in zip(_distinct(paths), *sides, strict=False):
        for name, student in students.items():
            settings = HeadSettings(
                layer=student.layer,
                temperature=temperature(report, side, name),
                threshold=threshold(report, side, name),
                notes=notes,
            )
            save_head(path, student.head, settings)


def _quiet(_: str) -> None:
    """Ranks other than the first say nothing."""
