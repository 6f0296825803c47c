"""An evaluation as a table for a terminal, and as JSON."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lexalign import __version__

if TYPE_CHECKING:
    from lexalign.metrics.evaluation import Evaluation, MetricScore, SystemScores


def as_table(evaluation: "Evaluation") -> str:
    """Scores of the systems, then their differences to the first, then the signatures."""
    first = evaluation.systems[0]
    blocks = [_align([_header(evaluation), *(_row(evaluation, system) for system in evaluation.systems)])]
    if len(evaluation.systems) > 1:
        title = f"Against {first.name} (* where p < 0.05):"
        width = max(len(system.name) for system in evaluation.systems[1:])
        differences = [
            _difference(system.name.ljust(width), score)
            for system in evaluation.systems[1:]
            for score in system.scores
        ]
        blocks.append(f"{title}\n{_align(differences)}")
    blocks.append("\n".join(f"{name:<12}  {text}" for name, text in signatures(evaluation)))
    return "\n\n".join(blocks)


def as_json(evaluation: "Evaluation") -> str:
    content = {
        "version": __version__,
        "segments": evaluation.num_segments,
        "constraints": evaluation.num_constraints,
        "bootstrap": evaluation.options.bootstrap.signature,
        "systems": [_fields(system, evaluation.systems[0].name) for system in evaluation.systems],
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def signatures(evaluation: "Evaluation") -> list[tuple[str, str]]:
    """The signature of each metric, the same for all systems."""
    found = [(score.name, score.signature) for score in evaluation.systems[0].scores]
    return [*found, ("intervals", evaluation.options.bootstrap.signature)]


def timed(evaluation: "Evaluation") -> bool:
    return any(system.seconds is not None for system in evaluation.systems)


def shown_time(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds:,.1f} s"


def _header(evaluation: "Evaluation") -> list[str]:
    names = [score.name for score in evaluation.systems[0].scores]
    return ["", *names, *(["time"] if timed(evaluation) else [])]


def _row(evaluation: "Evaluation", system: "SystemScores") -> list[str]:
    values = [f"{score.value:.1f}{'*' if score.significant else ' '}" for score in system.scores]
    return [system.name, *values, *([shown_time(system.seconds)] if timed(evaluation) else [])]


def _difference(name: str, score: "MetricScore") -> list[str]:
    against = score.against_first
    assert against is not None
    low, high = against.interval
    return [
        f"{name}  {score.name}",
        f"{against.difference:+.2f}",
        f"[{low:+.2f}, {high:+.2f}]",
        f"p = {against.p_value:.4f}{'*' if score.significant else ' '}",
    ]


def _align(rows: Sequence[Sequence[str]]) -> str:
    """Columns of equal width: names are aligned left, numbers right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for name, *cells in rows:
        padded = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        lines.append("  ".join([name.ljust(widths[0]), *padded]).rstrip())
    return "\n".join(lines)


def _fields(system: "SystemScores", first: str) -> dict[str, Any]:
    scores = []
    for score in system.scores:
        fields: dict[str, Any] = {
            "name": score.name,
            "value": score.value,
            "interval": score.interval,
            "signature": score.signature,
        }
        if score.against_first is not None:
            against = score.against_first
            fields["against"] = {
                "system": first,
                "difference": against.difference,
                "interval": against.interval,
                "p_value": against.p_value,
            }
        scores.append(fields)
    timing = {} if system.seconds is None else {"seconds": system.seconds}
    return {"name": system.name, **timing, "scores": scores}
