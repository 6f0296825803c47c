"""What held-out text says of layers and heads, as files and for people."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from torch import Tensor

from lexalign.alignment.layer_selection import ChosenAttention, LayerTable, write_attention_layers
from lexalign.alignment.plot import plot_layers
from lexalign.storage import write_text
from lexalign.training.heads.teachers import Teacher
from lexalign.training.heads.trainer import Classroom
from lexalign.training.heads.validation import HeldOut

Report = dict[str, Any]
Tables = Mapping[str, LayerTable]  # by method


def write_tables(tables: Tables, heads: tuple[ChosenAttention, float] | None, folder: Path) -> None:
    """`layers.json`, layers and heads counted from 1, and where matplotlib is installed `layers.png`."""
    content: dict[str, Any] = {
        method: {"aer": table.aer, "best": [layer + 1 for layer in table.best]}
        for method, table in tables.items()
    }
    if heads is not None:
        watched, aer = heads
        best = [[layer + 1, None if head is None else head + 1] for layer, head in watched.places]
        content["shift-att, single heads"] = {"aer": aer, "best": best}
    text, path, picture = json.dumps(content) + "\n", folder / "layers.json", folder / "layers.png"
    known = path.exists() and path.read_text(encoding="utf-8") == text
    write_text(path, text)
    if find_spec("matplotlib") is not None and not (known and picture.exists()):
        plot_layers(tables, picture)


def write_choice(tables: Tables, shifted: tuple[int, int], models: Sequence[Path]) -> None:
    """Beside each model which layer's attention to align with; `shifted` were taken for ShiftATT."""
    for side, path in enumerate(models):
        naive = tables["naive-att"].best
        write_attention_layers(path, {"naive-att": naive[side], "shift-att": shifted[side]})


def report_round(
    held_out: HeldOut, classroom: Classroom, teacher: Teacher | None, continuing: Tensor, number: int
) -> Report:
    """Loss, calibration and thresholds by the teacher's labels, where there are any, and how the directions
    agree."""
    forward, backward = list(classroom.forward.values()), list(classroom.backward.values())
    report: Report = {"round": number, "forward": {}, "backward": {}}
    sides = ("forward", classroom.forward), ("backward", classroom.backward)
    if teacher is not None:
        judged = held_out.judge(forward, backward, teacher)
        for (side, students), judgements in zip(sides, judged, strict=True):
            report[side] = {name: asdict(one) for name, one in zip(students, judgements, strict=True)}
    aligners = [
        {name: student.aligner(temperature(report, side, name)) for name, student in students.items()}
        for side, students in sides
    ]
    if teacher is not None:
        ahead, back = (list(side.values()) for side in aligners)
        chosen = held_out.choose_thresholds(ahead, back, teacher, continuing)
        for (side, students), found in zip(sides, chosen, strict=True):
            for name, level in zip(students, found, strict=True):
                report[side][name]["threshold"] = level
    if backward:
        (table,) = held_out.agreements(
            [([student.aligner() for student in forward], [student.aligner() for student in backward])]
        )
        report["agreement"] = {name: table.aer[index][index] for index, name in enumerate(classroom.forward)}
        teams = [(aligner, aligners[1][name]) for name, aligner in aligners[0].items()]
        levels = [
            (threshold(report, "forward", name), threshold(report, "backward", name))
            for name in classroom.forward
        ]
        above = held_out.agreements_above(teams, levels, continuing)
        report["agreement_above"] = dict(zip(classroom.forward, above, strict=True))
    return report


def temperature(report: Report, side: str, name: str) -> float:
    """1 where it could not be fitted."""
    return float(report[side][name]["calibration"]["temperature"]) if name in report[side] else 1.0


def threshold(report: Report, side: str, name: str) -> float:
    """0 where there are no labels to choose it by."""
    return float(report[side][name]["threshold"]) if name in report[side] else 0.0


def summary(report: Report) -> str:
    lines = [f"round {report['round']}, on held-out text:"]
    for side in ("forward", "backward"):
        for name, judged in report[side].items():
            found = judged["calibration"]
            lines.append(
                f"  {side} {name}: loss {judged['loss']:.3f}, temperature {found['temperature']:.2f}, "
                f"calibration error {100 * found['error_before']:.1f} % → {100 * found['error_after']:.1f} %"
                f", threshold {judged['threshold']:g}"
            )
    if not report["forward"]:
        lines.append("  there are no labels for it: temperatures stay 1, and thresholds 0")
    for name, value in report.get("agreement", {}).items():
        lines.append(
            f"  {name}: AER between the directions {100 * value:.1f}; "
            f"{100 * report['agreement_above'][name]:.1f} without links below the thresholds"
        )
    return "\n".join(lines)
