"""The first stage of head training: choose what labels the text.

With two models, their attention is compared on the held-out text, layer by layer and by single heads.
ShiftATT labels by the layers or heads on which both directions agree best.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lexalign.alignment.attention_selection import choose_attention
from lexalign.alignment.layer_selection import ChosenAttention, LayerTable
from lexalign.alignment.plot import plot_layers
from lexalign.alignment.statistical import check_installed
from lexalign.contracts.errors import LexalignError
from lexalign.storage import write_text
from lexalign.training.heads.inputs import HeadInputs, HeadRun
from lexalign.training.heads.labels import SECOND_OPINION, STATISTICAL, LabelFiles
from lexalign.training.heads.options import HeadOptions, TeacherName

# AER between two directions, above which attention teaches worse than statistics of the text. Models of five
# language pairs are 33 to 52 apart by their best heads; where one had no head that aligns, 80 and 87.
_POOR = 0.7
# Translations by which the attention of a single model is chosen, and about how many tokens they have.
_NUM_SAMPLES, _SAMPLE_LENGTH = 32, 16


@dataclass(frozen=True, kw_only=True)
class LabelChoice:
    """What labels the text of the first round, if no files do, and why."""

    teacher: TeacherName
    attention: ChosenAttention | None = None  # that the teacher shift-att reads
    poor: bool = False  # the two directions' attention hardly agrees
    tables: Mapping[str, LayerTable]  # agreement by the method of attention; empty without a reverse model
    single_heads: tuple[ChosenAttention, float] | None = None  # that agree best, and the AER between them


def check_labels(options: HeadOptions, files: LabelFiles | None, *, both_directions: bool) -> None:
    """Before any work: is there all that the labels need?"""
    for file in () if files is None else files.all:
        if not file.path.is_file():
            raise LexalignError(f"{file.path}: no such file of labels")
    if files is None and options.teacher in STATISTICAL:
        check_installed(options.teacher)
    if files is None and options.teacher == "self":
        if both_directions:
            raise LexalignError("the teacher self is one model alone; leave the reverse model out")
        return
    if both_directions:
        return
    if files is None and options.teacher not in STATISTICAL:
        raise LexalignError(
            f"the teacher {options.teacher} needs a reverse model; without one, give a file of labels or "
            f"another teacher: self, {', '.join(STATISTICAL)}"
        )
    if options.rounds > 1:
        raise LexalignError("a second round needs a reverse model: the heads of both directions teach it")


def choose_labels(run: HeadRun, inputs: HeadInputs) -> LabelChoice:
    options, held_out = run.options, inputs.held_out
    if run.labels is None and options.teacher == "self":
        return LabelChoice(teacher="self", attention=_own_attention(inputs), tables={})
    tables = held_out.choose_layers(inputs.final_ids) if run.both_directions else {}
    if run.labels is not None or options.teacher != "shift-att":
        return LabelChoice(teacher=options.teacher, tables=tables)
    if options.label_layers is not None:
        asked = ChosenAttention(layers=options.label_layers, heads=options.label_heads or (None, None))
        return LabelChoice(teacher="shift-att", attention=asked, tables=tables)
    single = held_out.choose_heads(inputs.final_ids)
    by_layers = ChosenAttention(layers=tables["shift-att"].best), tables["shift-att"].least
    attention, aer = single if single[1] < by_layers[1] else by_layers
    poor = aer > _POOR
    replaced = poor and options.second_opinion
    return LabelChoice(
        teacher=SECOND_OPINION if replaced else "shift-att",
        attention=None if replaced else attention,
        poor=poor,
        tables=tables,
        single_heads=single,
    )


def _own_attention(inputs: HeadInputs) -> ChosenAttention:
    """Of the one model, by its translations of some short sentences of the held-out text."""
    store = inputs.texts.valid.store
    rows = sorted(range(len(store)), key=lambda row: abs(int(store.source_lengths[row]) - _SAMPLE_LENGTH))
    pairs = [(store.source(row).tolist(), store.target(row).tolist()) for row in rows[:_NUM_SAMPLES]]
    found = choose_attention(
        inputs.models.forward, pairs, inputs.models.device, inputs.final_ids, inputs.source_final_ids
    )
    layer, head = found["shift-att"]
    return ChosenAttention(layers=(layer,), heads=(head,))


def report_choice(run: HeadRun, choice: LabelChoice) -> None:
    """Tell what was chosen, and write down how well attention agrees."""
    if choice.tables:
        if run.ranks.is_first:
            _write_tables(choice, run.folder)
        table = choice.tables["shift-att"]
        run.say(f"AER between the two directions' ShiftATT, by layers (rows: forward)\n{table}")
    if choice.single_heads is not None:
        best, aer = choice.single_heads
        run.say(f"by single heads {100 * aer:.1f} at best: {best}")
    if choice.attention is not None:
        beside = f" and {SECOND_OPINION}" if choice.teacher == "self" else ""
        run.say(f"labels by {choice.attention}{beside}")
    if choice.poor:
        replaced = choice.attention is None
        remedy = f"labels by {SECOND_OPINION}" if replaced else f"--teacher {SECOND_OPINION} needs none"
        run.say(f"the two directions hardly agree, as if one had no attention that aligns: {remedy}")


def _write_tables(choice: LabelChoice, folder: Path) -> None:
    """`layers.json`, layers and heads counted from 1, and where matplotlib is installed `layers.png`."""
    content: dict[str, Any] = {
        method: {"aer": table.aer, "best": [layer + 1 for layer in table.best]}
        for method, table in choice.tables.items()
    }
    if choice.single_heads is not None:
        watched, aer = choice.single_heads
        best = [[layer + 1, None if head is None else head + 1] for layer, head in watched.places]
        content["shift-att, single heads"] = {"aer": aer, "best": best}
    text, path, picture = json.dumps(content) + "\n", folder / "layers.json", folder / "layers.png"
    known = path.exists() and path.read_text(encoding="utf-8") == text
    write_text(path, text)
    if find_spec("matplotlib") is not None and not (known and picture.exists()):
        plot_layers(choice.tables, picture)
