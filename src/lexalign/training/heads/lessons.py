"""Who teaches a round of heads, and what there must be for that."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from torch import Tensor

from lexalign.alignment.statistical import check_installed
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

SECOND_OPINION: Statistical = "hmm-agreement"


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


@dataclass(frozen=True, kw_only=True, eq=False)
class Curriculum:
    """What teachers of all rounds work with; `continuing` (V,) marks the tokens that go on with a word."""

    options: HeadOptions
    texts: Texts
    continuing: Tensor
    folder: Path  # where labels are kept
    say: Callable[[str], None] = lambda _: None

    def first(self, labels: Labels | None, attention: Sequence[Aligner], heads: Sequence[Aligner]) -> Lessons:
        """From files, by statistics, by the heads of both models that were there before, or by attention."""
        options = self.options
        if labels is not None:
            return self._from_files(labels)
        if options.teacher in STATISTICAL:
            train, valid = self._statistics(options.teacher)
            return Lessons(train=train, valid=valid)
        if options.teacher != "shift-att":
            return self.by_heads(heads[0], heads[1])
        teacher = MutualTeacher(forward=attention[0], backward=attention[1], method=options.symmetrization)
        return Lessons(train=teacher, valid=teacher)

    def by_heads(self, forward: Aligner, backward: Aligner) -> Lessons:
        """Of both models."""
        options = self.options
        if options.heads_teach == "links":
            teacher = MutualTeacher(forward=forward, backward=backward, method=options.symmetrization)
            return Lessons(train=teacher, valid=teacher)
        agreed = AgreedTeacher(forward=forward, backward=backward, continuing=self.continuing)
        if not options.second_opinion:
            return Lessons(train=agreed, valid=agreed)
        train, valid = self._statistics(SECOND_OPINION)
        return Lessons(
            train=replace(agreed, second_opinion=train), valid=replace(agreed, second_opinion=valid)
        )

    def _from_files(self, labels: Labels) -> Lessons:
        train = file_labels(labels.train, self.texts.train, self.folder)
        held_out = None if labels.valid is None else file_labels(labels.valid, self.texts.valid, self.folder)
        return Lessons(
            train=TableTeacher(table=train),
            valid=None if held_out is None else TableTeacher(table=held_out),
        )

    def _statistics(self, aligner: Statistical) -> tuple[TableTeacher, TableTeacher]:
        """Of the training and the held-out text; the aligner learns from both, and knows no other pairs."""
        stores = [self.texts.train.store, self.texts.valid.store]
        table = statistical_labels(aligner, stores, self.options.symmetrization, self.folder, self.say)
        rows = np.arange(len(table))
        train, valid = rows[: len(stores[0])], rows[len(stores[0]) :]
        return TableTeacher(table=table.take(train)), TableTeacher(table=table.take(valid))
