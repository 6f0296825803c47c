"""Differences to the first system and their intervals: a forest plot for each metric."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lexalign.metrics.evaluation import MetricScore, SystemScores

_LEFT, _RIGHT, _TOP, _ROW = 110, 14, 8, 24
_WIDTH = 360
_LONGEST_NAME = 17


def difference_figures(systems: Sequence["SystemScores"]) -> str:
    """A figure for each metric; its zero is the score of the first system."""
    names = [system.name for system in systems[1:]]
    figures = []
    for index, score in enumerate(systems[0].scores):
        compared = [system.scores[index] for system in systems[1:]]
        figures.append(
            f"<figure><figcaption>{escape(score.name)}</figcaption>{_plot(names, compared)}</figure>"
        )
    return f'<div class="grid">{"".join(figures)}</div>'


def _plot(names: Sequence[str], scores: Sequence["MetricScore"]) -> str:
    bounds = [bound for score in scores if score.against_first for bound in score.against_first.interval]
    reach = max([abs(bound) for bound in bounds] + [0.1]) * 1.08
    bottom = _TOP + _ROW * len(names)
    parts = [f'<line class="axis" x1="{_x(0, reach)}" x2="{_x(0, reach)}" y1="{_TOP}" y2="{bottom}"/>']
    for row, (name, score) in enumerate(zip(names, scores, strict=True)):
        parts.append(_line(name, score, _TOP + _ROW * (row + 0.5), reach))
    for value, anchor in ((-reach, "start"), (0.0, "middle"), (reach, "end")):
        label = f"{value:+.1f}" if value else "0"
        place = f'x="{_x(value, reach)}" y="{bottom + 14}" text-anchor="{anchor}"'
        parts.append(f'<text class="tick" {place}>{label}</text>')
    return f'<svg viewBox="0 0 {_WIDTH} {bottom + 20}" role="img">{"".join(parts)}</svg>'


def _line(name: str, score: "MetricScore", y: float, reach: float) -> str:
    against = score.against_first
    if against is None:
        return ""
    low, high = (_x(bound, reach) for bound in against.interval)
    kind = ("up" if against.difference > 0 else "down") if score.significant else "level"
    shown = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
    title = f"{name}: {against.difference:+.2f}, p = {against.p_value:.4f}"
    return (
        f'<g class="{kind}"><title>{escape(title)}</title>'
        f'<text x="0" y="{y + 4}">{escape(shown)}</text>'
        f'<line class="bar" x1="{low}" x2="{high}" y1="{y}" y2="{y}"/>'
        f'<circle class="dot" cx="{_x(against.difference, reach)}" cy="{y}" r="4"/></g>'
    )


def _x(value: float, reach: float) -> float:
    """The x coordinate of a value from -reach to reach, right of the names."""
    return round(_LEFT + (value + reach) / (2 * reach) * (_WIDTH - _LEFT - _RIGHT), 1)
