"""From two models and parallel text to alignment heads, in stages that are skipped where they are done.

run/data/{train,valid}         token stores, shared with `lexalign train` in the same folder
run/layers.json                agreement of the two directions, layer by layer
run/heads-1.jsonl, ...         the log of each round
run/heads.json                 what held-out text says of the heads
model/post-aln.{json,safetensors}   the head, beside each of the models
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from lexalign import __version__
from lexalign.alignment.attention import ShiftedAttention
from lexalign.alignment.head_files import HeadSettings, save_head
from lexalign.alignment.link_table import LinkTable
from lexalign.contracts.errors import LexalignError
from lexalign.data.filters import FilterOptions
from lexalign.data.reader import ParallelText
from lexalign.models.folder import load_model
from lexalign.models.transformer import Transformer
from lexalign.storage import write_text
from lexalign.text.tokenizer import Tokenizer
from lexalign.training.heads.options import HeadOptions
from lexalign.training.heads.students import Student
from lexalign.training.heads.teachers import MutualTeacher, TableTeacher, Teacher
from lexalign.training.heads.trainer import Classroom, HeadTrainer
from lexalign.training.heads.validation import HeldOut
from lexalign.training.heads.views import Onlookers
from lexalign.training.stores import training_store, validation_store

Say = Callable[[str], None]


def train_aligner(
    model: Path,
    reverse_model: Path | None,
    corpora: Sequence[ParallelText],
    valid: ParallelText,
    folder: Path,
    options: HeadOptions,
    *,
    labels: LinkTable | None = None,
    filters: FilterOptions | None = None,
    device: str = "auto",
    say: Say = lambda _: None,
) -> None:
    """Train heads beside one model, or beside both directions' models, and save them there."""
    if reverse_model is None and labels is None:
        raise LexalignError("labels need a reverse model, a file of links, or a statistical aligner")
    onlookers, tokenizer = _load(model, reverse_model, device)
    config = onlookers.forward.config
    store = training_store(corpora, tokenizer, filters or FilterOptions(), config, folder, say)
    held_out = HeldOut(
        onlookers, validation_store(valid, tokenizer, config, folder, say), options.batch_tokens
    )
    teacher = _first_teacher(held_out, options, labels, folder, say)
    torch.set_float32_matmul_precision("high")
    for number in range(1, options.rounds + 1):
        torch.manual_seed(options.seed)
        classroom = _open(onlookers, options)
        HeadTrainer(onlookers, classroom, teacher, store, options, folder, name=f"heads-{number}").run()
        report = _report(held_out, classroom, teacher, number)
        say(_summary(report))
        if number < options.rounds:
            teacher = _graduated(classroom, options)
    _save(classroom, report, (model, reverse_model), options, folder)


def _load(model: Path, reverse_model: Path | None, device: str) -> tuple[Onlookers, Tokenizer]:
    forward, tokenizer = load_model(model, device=_device(device))
    backward: Transformer | None = None
    if reverse_model is not None:
        backward, other = load_model(reverse_model, device=_device(device))
        if other.fingerprint != tokenizer.fingerprint:
            raise LexalignError(
                f"{model} and {reverse_model} have different vocabularies; train one with --tokenizer "
                "of the other"
            )
    return Onlookers(forward, backward), tokenizer


def _device(name: str) -> str:
    return ("cuda" if torch.cuda.is_available() else "cpu") if name == "auto" else name


def _first_teacher(
    held_out: HeldOut, options: HeadOptions, labels: LinkTable | None, folder: Path, say: Say
) -> Teacher:
    if labels is not None:
        return TableTeacher(table=labels)
    layers = options.label_layers
    if layers is None:
        table = held_out.choose_layers()
        write_text(folder / "layers.json", json.dumps({"aer": table.aer, "best": table.best}) + "\n")
        layers = table.best
        say(f"AER between the two directions' ShiftATT, by layers (rows: forward)\n{table}")
    return MutualTeacher(
        forward=ShiftedAttention(layer=layers[0]),
        backward=ShiftedAttention(layer=layers[1]),
        method=options.symmetrization,
    )


def _open(onlookers: Onlookers, options: HeadOptions) -> Classroom:
    forward, backward = onlookers.forward, onlookers.backward
    return Classroom(
        forward=_students(forward, options), backward={} if backward is None else _students(backward, options)
    )


def _students(model: Transformer, options: HeadOptions) -> dict[str, Student]:
    layer = max(model.decoder_layers - 2, 0) if options.layer is None else options.layer
    return {kind: Student(model, kind, layer, options.heads) for kind in options.kinds}


def _graduated(classroom: Classroom, options: HeadOptions) -> Teacher:
    """The heads of a round as teachers of the next."""
    if not classroom.backward:
        raise LexalignError("a second round needs a reverse model: heads of both directions teach it")
    best = "post-aln" if "post-aln" in options.kinds else options.kinds[0]
    return MutualTeacher(
        forward=classroom.forward[best].aligner(),
        backward=classroom.backward[best].aligner(),
        method=options.symmetrization,
    )


def _report(held_out: HeldOut, classroom: Classroom, teacher: Teacher, number: int) -> dict[str, Any]:
    forward, backward = list(classroom.forward.values()), list(classroom.backward.values())
    judged = held_out.judge(forward, backward, teacher)
    report: dict[str, Any] = {"round": number}
    for side, students, judgements in zip(
        ("forward", "backward"), (classroom.forward, classroom.backward), judged, strict=True
    ):
        report[side] = {name: asdict(one) for name, one in zip(students, judgements, strict=True)}
    if backward:
        table = held_out.agreement(
            [student.aligner() for student in forward], [student.aligner() for student in backward]
        )
        report["agreement"] = {name: table.aer[index][index] for index, name in enumerate(classroom.forward)}
    return report


def _summary(report: dict[str, Any]) -> str:
    lines = [f"round {report['round']}, on held-out text:"]
    for side in ("forward", "backward"):
        for name, judged in report[side].items():
            found = judged["calibration"]
            lines.append(
                f"  {side} {name}: loss {judged['loss']:.3f}, temperature {found['temperature']:.2f}, "
                f"calibration error {100 * found['error_before']:.1f} % → {100 * found['error_after']:.1f} %"
            )
    for name, value in report.get("agreement", {}).items():
        lines.append(f"  {name}: AER between the directions {100 * value:.1f}")
    return "\n".join(lines)


def _save(
    classroom: Classroom,
    report: dict[str, Any],
    models: tuple[Path, Path | None],
    options: HeadOptions,
    folder: Path,
) -> None:
    write_text(folder / "heads.json", json.dumps(report, indent=2) + "\n")
    notes = {"lexalign": __version__, "training": asdict(options)}
    for side, students, path in zip(
        ("forward", "backward"), (classroom.forward, classroom.backward), models, strict=True
    ):
        for name, student in students.items():
            assert path is not None
            temperature = report[side][name]["calibration"]["temperature"]
            save_head(
                path, student.head, HeadSettings(layer=student.layer, temperature=temperature, notes=notes)
            )
