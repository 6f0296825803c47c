"""The second stage of head training: make the sources of a round's labels."""

from dataclasses import dataclass, replace

import numpy as np

from lexalign.alignment.attention import ShiftedAttention
from lexalign.contracts.alignment import Aligner
from lexalign.training.heads.calibration import CalibratedHeads
from lexalign.training.heads.inputs import HeadInputs, HeadRun
from lexalign.training.heads.label_choice import LabelChoice
from lexalign.training.heads.label_sources import (
    AgreedPosteriors,
    LabelSource,
    SymmetrizedLinks,
    TableLinks,
)
from lexalign.training.heads.labels import (
    SECOND_OPINION,
    STATISTICAL,
    LabelFiles,
    Statistical,
    file_labels,
    statistical_labels,
)
from lexalign.training.heads.own_labels import OwnLabels


@dataclass(frozen=True, kw_only=True)
class LabelSources:
    """The sources for the rows of the training text, and of the held-out text."""

    train: LabelSource
    valid: LabelSource | None


def make_label_sources(
    run: HeadRun, inputs: HeadInputs, choice: LabelChoice, previous: CalibratedHeads | None
) -> LabelSources:
    """The heads of the previous round label the next; the first is labelled as was chosen."""
    with run.ranks.in_turn():  # tables of links are made once, and then found
        if run.labels is None and choice.teacher == "self":
            return _by_own_translations(run, inputs, choice, previous)
        if previous is not None:
            return _by_heads(run, inputs, *previous.best_aligners())
        if run.labels is not None:
            return _from_files(run, inputs, run.labels)
        if choice.teacher in STATISTICAL:
            train, valid = _by_statistics(run, inputs, choice.teacher)
            return LabelSources(train=train, valid=valid)
        if choice.attention is not None:
            return _by_attention(run, inputs, choice.attention.places)
        models = zip(inputs.models.all, inputs.saved, strict=True)
        forward, backward = (heads["post-aln"].aligner(model) for model, heads in models)
        return _by_heads(run, inputs, forward, backward)


def _from_files(run: HeadRun, inputs: HeadInputs, files: LabelFiles) -> LabelSources:
    texts, folder = inputs.texts, run.folder / "data"
    train = TableLinks(table=file_labels(files.train, texts.train, folder))
    if files.valid is None:
        return LabelSources(train=train, valid=None)
    return LabelSources(train=train, valid=TableLinks(table=file_labels(files.valid, texts.valid, folder)))


def _by_statistics(run: HeadRun, inputs: HeadInputs, aligner: Statistical) -> tuple[TableLinks, TableLinks]:
    """Links of the training and the held-out text; the aligner learns from both, and knows no other pairs."""
    stores = [inputs.texts.train.store, inputs.texts.valid.store]
    table = statistical_labels(aligner, stores, run.options.symmetrization, run.folder / "data", run.say)
    train, valid = np.split(np.arange(len(table)), [len(stores[0])])
    return TableLinks(table=table.take(train)), TableLinks(table=table.take(valid))


def _by_own_translations(
    run: HeadRun, inputs: HeadInputs, choice: LabelChoice, previous: CalibratedHeads | None
) -> LabelSources:
    """One model's attention, the statistics of its translations and, after the first round, its head."""
    assert choice.attention is not None
    ((layer, head),) = choice.attention.places
    attention = ShiftedAttention(
        layer=layer,
        head=head,
        sentence_final_ids=inputs.final_ids,
        source_final_ids=inputs.source_final_ids,
    )
    learnt = None if previous is None else previous.best_forward_aligner()
    sources = [
        OwnLabels(attention=attention, statistics=table, continues_word=inputs.continues_word, head=learnt)
        for table in _by_statistics(run, inputs, SECOND_OPINION)
    ]
    return LabelSources(train=sources[0], valid=sources[1])


def _by_attention(run: HeadRun, inputs: HeadInputs, places: list[tuple[int, int | None]]) -> LabelSources:
    """ShiftATT of these layers, or of a single head of each."""
    forward, backward = (
        ShiftedAttention(layer=layer, head=head, sentence_final_ids=inputs.final_ids)
        for layer, head in places
    )
    source = SymmetrizedLinks(forward=forward, backward=backward, method=run.options.symmetrization)
    return LabelSources(train=source, valid=source)


def _by_heads(run: HeadRun, inputs: HeadInputs, forward: Aligner, backward: Aligner) -> LabelSources:
    """The heads of both models, and where it is asked for a second opinion."""
    agreed = AgreedPosteriors(forward=forward, backward=backward, continues_word=inputs.continues_word)
    if not run.options.second_opinion:
        return LabelSources(train=agreed, valid=agreed)
    train, valid = _by_statistics(run, inputs, SECOND_OPINION)
    return LabelSources(
        train=replace(agreed, second_opinion=train), valid=replace(agreed, second_opinion=valid)
    )
