"""Who teaches the first round of heads, and what there must be for that."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lexalign.alignment.attention import ShiftedAttention
from lexalign.alignment.statistical import check_installed
from lexalign.contracts.errors import LexalignError
from lexalign.training.heads.labels import (
    STATISTICAL,
    LabelFile,
    PreparedText,
    file_labels,
    statistical_labels,
)
from lexalign.training.heads.options import HeadOptions
from lexalign.training.heads.saved_heads import SavedHead
from lexalign.training.heads.teachers import MutualTeacher, TableTeacher, Teacher
from lexalign.training.heads.views import Onlookers

Sides = tuple[dict[str, SavedHead], dict[str, SavedHead]]  # heads of the forward and of the backward model


@dataclass(frozen=True, kw_only=True)
class Labels:
    """Files of links in place of a teacher; without one for the held-out text, heads are not calibrated."""

    train: LabelFile
    valid: LabelFile | None = None

    @property
    def files(self) -> list[LabelFile]:
        return [file for file in (self.train, self.valid) if file is not None]


@dataclass(frozen=True, kw_only=True)
class Lessons:
    """Teachers for the rows of the training text, and of the held-out text."""

    train: Teacher
    valid: Teacher | None


def check_lessons(options: HeadOptions, labels: Labels | None, *, both_directions: bool) -> None:
    """Before any work: is there all that the teacher needs?"""
    for file in () if labels is None else labels.files:
        if not file.path.is_file():
            raise LexalignError(f"{file.path}: no such file of labels")
    if labels is None and options.teacher in STATISTICAL:
        check_installed(options.teacher)
    if both_directions:
        return
    if labels is None and options.teacher not in STATISTICAL:
        raise LexalignError(
            f"the teacher {options.teacher} needs a reverse model; without one, give a file of labels or "
            f"another teacher: {', '.join(STATISTICAL)}"
        )
    if options.rounds > 1:
        raise LexalignError("a second round needs a reverse model: the heads of both directions teach it")


def labels_from_files(labels: Labels, train: PreparedText, valid: PreparedText, folder: Path) -> Lessons:
    held_out = None if labels.valid is None else file_labels(labels.valid, valid, folder)
    return Lessons(
        train=TableTeacher(table=file_labels(labels.train, train, folder)),
        valid=None if held_out is None else TableTeacher(table=held_out),
    )


def labels_by_statistics(
    options: HeadOptions, train: PreparedText, valid: PreparedText, folder: Path
) -> Lessons:
    """The aligner learns from both texts: it knows nothing of sentences that it has not seen."""
    assert options.teacher in STATISTICAL
    table = statistical_labels(options.teacher, [train.store, valid.store], options.symmetrization, folder)
    rows = np.arange(len(table))
    return Lessons(
        train=TableTeacher(table=table.take(rows[: len(train.store)])),
        valid=TableTeacher(table=table.take(rows[len(train.store) :])),
    )


def labels_from_attention(options: HeadOptions, layers: tuple[int, int]) -> Lessons:
    teacher = MutualTeacher(
        forward=ShiftedAttention(layer=layers[0]),
        backward=ShiftedAttention(layer=layers[1]),
        method=options.symmetrization,
    )
    return Lessons(train=teacher, valid=teacher)


def labels_from_heads(options: HeadOptions, onlookers: Onlookers, saved: Sides) -> Lessons:
    assert onlookers.backward is not None
    teacher = MutualTeacher(
        forward=saved[0]["post-aln"].aligner(onlookers.forward),
        backward=saved[1]["post-aln"].aligner(onlookers.backward),
        method=options.symmetrization,
    )
    return Lessons(train=teacher, valid=teacher)
