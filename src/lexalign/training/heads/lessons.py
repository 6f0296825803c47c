"""Who teaches the first round of heads, and what there must be for that."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from torch import Tensor

from lexalign.alignment.statistical import check_installed
from lexalign.alignment.symmetrization import Method
from lexalign.contracts.alignment import Aligner
from lexalign.contracts.errors import LexalignError
from lexalign.training.heads.labels import (
    STATISTICAL,
    LabelFile,
    Statistical,
    file_labels,
    statistical_labels,
)
from lexalign.training.heads.options import HeadOptions
from lexalign.training.heads.teachers import AgreedTeacher, MutualTeacher, TableTeacher, Teacher
from lexalign.training.heads.texts import Texts


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


def first_lessons(
    options: HeadOptions,
    labels: Labels | None,
    texts: Texts,
    attention: Sequence[Aligner],
    teachers: Sequence[Aligner],
    continuing: Tensor,
    folder: Path,
) -> Lessons:
    """From files, by statistics, by the heads `teachers` of both models, or by their `attention`.

    `continuing` (V,) marks the tokens that go on with a word.
    """
    if labels is not None:
        return _from_files(labels, texts, folder)
    if options.teacher in STATISTICAL:
        train, valid = _statistics(options.teacher, options.symmetrization, texts, folder)
        return Lessons(train=train, valid=valid)
    if options.teacher != "shift-att":
        return head_lessons(teachers[0], teachers[1], continuing, options, texts, folder)
    teacher = MutualTeacher(forward=attention[0], backward=attention[1], method=options.symmetrization)
    return Lessons(train=teacher, valid=teacher)


def head_lessons(
    forward: Aligner, backward: Aligner, continuing: Tensor, options: HeadOptions, texts: Texts, folder: Path
) -> Lessons:
    """By the heads of both models."""
    if options.heads_teach == "links":
        teacher = MutualTeacher(forward=forward, backward=backward, method=options.symmetrization)
        return Lessons(train=teacher, valid=teacher)
    agreed = AgreedTeacher(forward=forward, backward=backward, continuing=continuing)
    if not options.second_opinion:
        return Lessons(train=agreed, valid=agreed)
    train, valid = _statistics("hmm-agreement", options.symmetrization, texts, folder)
    return Lessons(train=replace(agreed, second_opinion=train), valid=replace(agreed, second_opinion=valid))


def _from_files(labels: Labels, texts: Texts, folder: Path) -> Lessons:
    held_out = None if labels.valid is None else file_labels(labels.valid, texts.valid, folder)
    return Lessons(
        train=TableTeacher(table=file_labels(labels.train, texts.train, folder)),
        valid=None if held_out is None else TableTeacher(table=held_out),
    )


def _statistics(
    aligner: Statistical, method: Method, texts: Texts, folder: Path
) -> tuple[TableTeacher, TableTeacher]:
    """Of the training and the held-out text. The aligner learns from both: it knows no other sentences."""
    stores = [texts.train.store, texts.valid.store]
    table = statistical_labels(aligner, stores, method, folder)
    rows = np.arange(len(table))
    train, valid = rows[: len(stores[0])], rows[len(stores[0]) :]
    return TableTeacher(table=table.take(train)), TableTeacher(table=table.take(valid))
