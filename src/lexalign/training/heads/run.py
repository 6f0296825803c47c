"""From models and parallel text to alignment heads, in stages that are skipped where they are done.

run/data/{train,valid}         token stores, shared with `lexalign train` in the same folder
run/data/labels-*.npz          labels from a file or by statistics, for the rows of the stores
run/layers.{json,png}          agreement of the two directions, layer by layer
run/teacher/                   the heads that teach, if they were saved before
run/heads-1.jsonl, ...         the log of each round
run/heads.json                 what held-out text says of the heads
model/post-aln.{json,safetensors}   the head, beside each of the models
model/attention-layers.json    which layers' attention agrees best
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from lexalign import __version__
from lexalign.alignment.head_files import HeadSettings, save_head
from lexalign.contracts.errors import LexalignError
from lexalign.data.filters import FilterOptions
from lexalign.data.preparation import file_digest
from lexalign.data.reader import ParallelText
from lexalign.models.folder import CONFIG, WEIGHTS, load_model
from lexalign.models.transformer import Transformer
from lexalign.storage import write_text
from lexalign.text.tokenizer import Tokenizer
from lexalign.training.heads import lessons as first_lessons
from lexalign.training.heads.labels import STATISTICAL, PreparedText
from lexalign.training.heads.layers import Tables, write_choice, write_tables
from lexalign.training.heads.lessons import Labels, Lessons, Sides, check_lessons
from lexalign.training.heads.options import HeadOptions
from lexalign.training.heads.report import Report, report_round, summary, temperature
from lexalign.training.heads.saved_heads import heads_fingerprint, keep_heads, kept_heads
from lexalign.training.heads.students import check_shape, enrol
from lexalign.training.heads.teachers import MutualTeacher
from lexalign.training.heads.trainer import Classroom, HeadTrainer, checkpoint_path, read_checkpoint
from lexalign.training.heads.validation import HeldOut
from lexalign.training.heads.views import Onlookers
from lexalign.training.stores import training_filters, training_store, validation_filters, validation_store

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class _Texts:
    train: PreparedText
    valid: PreparedText


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
    say: Say = lambda _: None,
) -> None:
    """Train heads beside one model, or beside both directions' models, and save them there.

    `labels` are files of links; without them the options name the teacher.
    """
    models = [model] if reverse_model is None else [model, reverse_model]
    check_lessons(options, labels, both_directions=len(models) == 2)
    onlookers, tokenizer = _load(models, device)
    _check_shapes(onlookers, options)
    saved = _saved(models, onlookers, options, labels, folder)
    texts = _texts(corpora, valid, tokenizer, filters or FilterOptions(), onlookers, folder, say)
    signature = _signature(models, texts, options, labels, folder)
    read_checkpoint(checkpoint_path(folder, "heads-1"), signature)  # refuses the folder of another run
    held_out = HeldOut(onlookers, texts.valid.store, options.batch_tokens)
    tables = held_out.choose_layers() if len(models) == 2 else {}
    if tables:
        write_tables(tables, folder)
        say(f"AER between the two directions' ShiftATT, by layers (rows: forward)\n{tables['shift-att']}")
    lessons = _lessons(onlookers, texts, tables, saved, options, labels, folder)
    torch.set_float32_matmul_precision("high")
    for number in range(1, options.rounds + 1):
        torch.manual_seed(options.seed)
        classroom = _enrol(onlookers, options, saved)
        name = f"heads-{number}"
        HeadTrainer(
            onlookers,
            classroom,
            lessons.train,
            texts.train.store,
            options,
            folder,
            name=name,
            signature=signature,
        ).run()
        report = report_round(held_out, classroom, lessons.valid, number)
        say(summary(report))
        if number < options.rounds:
            lessons = _graduated(classroom, options)
    _save(classroom, report, models, options, folder)
    if tables:
        write_choice(tables, _label_layers(tables, options), (models[0], models[1]))


def _load(models: Sequence[Path], device: str) -> tuple[Onlookers, Tokenizer]:
    loaded = [load_model(path, device=device) for path in models]
    tokenizer = loaded[0][1]
    if any(other.fingerprint != tokenizer.fingerprint for _, other in loaded):
        raise LexalignError(
            f"{models[0]} and {models[1]} have different vocabularies; "
            "train one with --tokenizer of the other"
        )
    return Onlookers(loaded[0][0], loaded[1][0] if len(models) == 2 else None), tokenizer


def _check_shapes(onlookers: Onlookers, options: HeadOptions) -> None:
    layers = options.label_layers or (0, 0)
    for model, layer in zip((onlookers.forward, onlookers.backward), layers, strict=True):
        if model is not None:
            check_shape(model, options, layer)


def _saved(
    models: Sequence[Path], onlookers: Onlookers, options: HeadOptions, labels: Labels | None, folder: Path
) -> Sides:
    """The heads that a run with the teacher `post-aln` begins with; none otherwise."""
    if labels is not None or options.teacher != "post-aln":
        return {}, {}
    assert onlookers.backward is not None
    places = [folder / "teacher" / side for side in ("forward", "backward")]
    for path, place in zip(models, places, strict=True):
        keep_heads(path, place)
    return kept_heads(places[0], onlookers.forward), kept_heads(places[1], onlookers.backward)


def _texts(
    corpora: Sequence[ParallelText],
    valid: ParallelText,
    tokenizer: Tokenizer,
    filters: FilterOptions,
    onlookers: Onlookers,
    folder: Path,
    say: Say,
) -> _Texts:
    config = onlookers.forward.config
    return _Texts(
        train=PreparedText(
            parts=corpora,
            tokenizer=tokenizer,
            filters=training_filters(filters, config),
            store=training_store(corpora, tokenizer, filters, config, folder, say),
        ),
        valid=PreparedText(
            parts=[valid],
            tokenizer=tokenizer,
            filters=validation_filters(config),
            store=validation_store(valid, tokenizer, config, folder, say),
        ),
    )


def _signature(
    models: Sequence[Path], texts: _Texts, options: HeadOptions, labels: Labels | None, folder: Path
) -> str:
    """Tells runs apart that would learn something else."""
    content = [
        options.learnt(),
        [file_digest(path / name) for path in models for name in (CONFIG, WEIGHTS)],
        [text.store.meta.fingerprint for text in (texts.train, texts.valid)],
        [file.fingerprint for file in ([] if labels is None else labels.files)],
        [heads_fingerprint(path) for path in sorted((folder / "teacher").glob("*"))],
    ]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _lessons(
    onlookers: Onlookers,
    texts: _Texts,
    tables: Tables,
    saved: Sides,
    options: HeadOptions,
    labels: Labels | None,
    folder: Path,
) -> Lessons:
    if labels is not None:
        return first_lessons.labels_from_files(labels, texts.train, texts.valid, folder / "data")
    if options.teacher in STATISTICAL:
        return first_lessons.labels_by_statistics(options, texts.train, texts.valid, folder / "data")
    if options.teacher == "post-aln":
        return first_lessons.labels_from_heads(options, onlookers, saved)
    return first_lessons.labels_from_attention(options, _label_layers(tables, options))


def _label_layers(tables: Tables, options: HeadOptions) -> tuple[int, int]:
    return options.label_layers or tables["shift-att"].best


def _enrol(onlookers: Onlookers, options: HeadOptions, saved: Sides) -> Classroom:
    backward: Transformer | None = onlookers.backward
    return Classroom(
        forward=enrol(onlookers.forward, options, saved[0]),
        backward={} if backward is None else enrol(backward, options, saved[1]),
    )


def _graduated(classroom: Classroom, options: HeadOptions) -> Lessons:
    """The heads of a round as teachers of the next."""
    best = "post-aln" if "post-aln" in options.kinds else options.kinds[0]
    teacher = MutualTeacher(
        forward=classroom.forward[best].aligner(),
        backward=classroom.backward[best].aligner(),
        method=options.symmetrization,
    )
    return Lessons(train=teacher, valid=teacher)


def _save(
    classroom: Classroom, report: Report, models: Sequence[Path], options: HeadOptions, folder: Path
) -> None:
    write_text(folder / "heads.json", json.dumps(report, indent=2) + "\n")
    notes = {"lexalign": __version__, "training": asdict(options)}
    sides = ("forward", "backward"), (classroom.forward, classroom.backward)
    for path, side, students in zip(models, *sides, strict=False):
        for name, student in students.items():
            settings = HeadSettings(
                layer=student.layer, temperature=temperature(report, side, name), notes=notes
            )
            save_head(path, student.head, settings)
