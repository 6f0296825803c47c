"""An evaluation as one self-contained HTML page: scores, differences, and segments."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from lexalign import __version__
from lexalign.cli.output.evaluation.forest_plots import difference_figures
from lexalign.cli.output.evaluation.page_style import STYLE
from lexalign.cli.output.evaluation.report import shown_time, signatures, timed
from lexalign.cli.output.evaluation.segments import segment_articles

if TYPE_CHECKING:
    from lexalign.glossary.constraint_files import ConstrainedText
    from lexalign.metrics.evaluation import Evaluation, MetricScore, System, SystemScores


def as_page(
    evaluation: "Evaluation",
    systems: Sequence["System"],
    references: Sequence[str],
    constrained: Sequence["ConstrainedText"] | None,
    num_examples: int,
) -> str:
    """All text is escaped; `constrained` are the source texts with their constraints."""
    names = ", ".join(system.name for system in systems)
    title = f"Evaluation of {names}"
    counts = f"{evaluation.num_segments:,} segments, {evaluation.num_constraints:,} constraints"
    listed = "\n".join(f"{name:<12}  {signature}" for name, signature in signatures(evaluation))
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="soft">{counts}</p>',
        f'<div class="scroll">{_scores(evaluation)}</div>',
        _differences(evaluation),
        segment_articles(evaluation.options.words, systems, references, constrained, num_examples),
        f"<h2>Signatures</h2><pre>{escape(listed)}</pre>",
        f"<footer>Made by lexalign {escape(__version__)}.</footer>",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _scores(evaluation: "Evaluation") -> str:
    metrics = [score.name for score in evaluation.systems[0].scores]
    best = [
        max(round(system.scores[index].value, 1) for system in evaluation.systems)
        for index in range(len(metrics))
    ]
    heads = ["", *metrics, *(["time"] if timed(evaluation) else [])]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    rows = "".join(_row(system, best, timed(evaluation)) for system in evaluation.systems)
    return f'<table class="scores"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _row(system: "SystemScores", best: Sequence[float], with_time: bool) -> str:
    cells = [
        _cell(score, best=round(score.value, 1) == bound)
        for score, bound in zip(system.scores, best, strict=True)
    ]
    if with_time:
        cells.append(f'<td><span class="value">{shown_time(system.seconds)}</span></td>')
    return f'<tr><th scope="row">{escape(system.name)}</th>{"".join(cells)}</tr>'


def _cell(score: "MetricScore", *, best: bool) -> str:
    low, high = score.interval
    small = f"<small>{low:.1f} – {high:.1f}</small>"
    if score.against_first is not None:
        star = "*" if score.significant else ""
        small += f"<small>p = {score.against_first.p_value:.3f}{star}</small>"
    kind = ' class="best"' if best else ""
    return f'<td{kind}><span class="value">{score.value:.1f}</span>{small}</td>'


def _differences(evaluation: "Evaluation") -> str:
    if len(evaluation.systems) < 2:
        return '<p class="soft">Under each score: its 95 % interval.</p>'
    first = escape(evaluation.systems[0].name)
    return (
        '<p class="soft">Under each score: its 95 % interval, and the p-value of the difference to '
        f"{first} by paired bootstrap resampling (* below 0.05).</p>"
        f"<h2>Difference to {first}</h2>"
        '<p class="soft">Points, with 95 % intervals; in colour where p is below 0.05.</p>'
        f"{difference_figures(evaluation.systems)}"
    )
