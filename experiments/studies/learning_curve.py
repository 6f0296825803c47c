"""What more training gives: BLEU, AER and agreement of German-English models against tokens seen.

    python -m experiments.studies.learning_curve --to docs/images/learning-curve.png

The figures are those of `experiments/results/learning-curve/`, a file for each run, of which the first has
filled marks; docs/research/training.md tells how they were measured. The paper's own numbers stand at 1.8
billion tokens, which is what its 50,000 updates must mean. ShiftATT sets final marks apart, as it does
beside the paper's numbers in docs/research/results.md.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from experiments.paper.pipeline.workspace import RESULTS
from experiments.paper.report import paper_numbers
from lexalign.contracts.errors import LexalignError
from lexalign.storage import new_file

CURVES = sorted((RESULTS / "learning-curve").glob("de-en*.json"), key=lambda path: path.stem)  # of all runs
PAPER_TOKENS = 1.8  # billions: 50,000 updates of 36,000 tokens

Point = dict[str, Any]

_COLOURS = {"de-en": "#1f4e79", "en-de": "#c1666b", "both": "#5b8c5a"}
_NAMES = {"de-en": "de→en", "en-de": "en→de", "both": "both"}
_INK = "#222b38"
_AGAIN = {"label": None, "markerfacecolor": "white", "linewidth": 0.7}  # of another run
_DODGE = {"de-en": -0.04, "en-de": 0.0, "both": 0.04}  # so that numbers of the paper that are alike are seen


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--curve", type=Path, nargs="+", default=CURVES, help="the measured points of runs")
    parser.add_argument("--to", type=Path, required=True, help="the picture, as .png, .svg or .pdf")
    options = parser.parse_args(arguments)
    plot_curve([read_points(curve) for curve in options.curve], options.to)


def read_points(path: Path) -> list[Point]:
    """The points of the run itself; a mean of several models has no place on the line."""
    points: list[Point] = json.loads(path.read_text(encoding="utf-8"))["points"]
    return [point for point in points if "target_tokens" in point]


def plot_curve(runs: Sequence[Sequence[Point]], path: Path) -> None:
    """Write the figure in the format of the path's suffix."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise LexalignError("drawing needs matplotlib: pip install 'lexalign[plot]'") from None
    figure = Figure(figsize=(11, 4), layout="constrained")
    panels = figure.subplots(1, 3)
    for panel, draw in zip(panels, (_draw_bleu, _draw_aer, _draw_agreement), strict=True):
        for number, points in enumerate(runs):
            draw(panel, points, again=number > 0)
        _finish(panel)
    with new_file(path) as temporary:
        figure.savefig(temporary, dpi=150, format=path.suffix.lstrip(".") or "png")


def _draw_bleu(panel: Any, points: Sequence[Point], *, again: bool) -> None:
    for text, line in (("validation", "o--"), ("gold", "o-")):
        for side in ("de-en", "en-de"):
            label = f"{text} text, {_NAMES[side]}"
            _line(panel, points, side, _bleu(text, side), style=line, label=label, again=again)
    _, _, bleu, _ = paper_numbers.CONSTRAINED[5]["de-en"]["none"]
    _star(panel, "de-en", bleu)
    panel.set(title="BLEU, beam 5", ylim=(0, 55))
    _legend(panel, "lower right", 0.0)


def _draw_aer(panel: Any, points: Sequence[Point], *, again: bool) -> None:
    with_heads = [point for point in points if "post_aln" in point]
    for side in ("de-en", "en-de", "both"):
        paper = paper_numbers.SYMMETRISED_AER["de-en"] if side == "both" else paper_numbers.AER[side]
        for key, method, line, shown in (
            ("shift_att_pinned", "shift-att", "o--", points),
            ("post_aln", "post-aln", "s-", with_heads),
        ):
            label = f"{'PostAln' if key == 'post_aln' else 'ShiftATT'}, {_NAMES[side]}"
            _line(panel, shown, side, _aer(key, side), style=line, label=label, again=again)
            _star(panel, side, paper[method][0], filled=key == "post_aln")
    panel.set(title="AER on gold text, %", ylim=(12, 40))
    _legend(panel, "upper right", 1.0)


def _draw_agreement(panel: Any, points: Sequence[Point], *, again: bool) -> None:
    with_heads = [point for point in points if "post_aln" in point]
    for shown, found, style, label in (
        (points, [point["shift_att_pinned"] for point in points], "o--", "ShiftATT"),
        (with_heads, [point["post_aln"]["paper"] for point in with_heads], "s-", "PostAln"),
    ):
        tokens, values = [_billions(point, "both") for point in shown], [one["agreement"] for one in found]
        panel.plot(tokens, values, style, color=_INK, ms=4, **{"label": label, **(_AGAIN if again else {})})
    panel.set(title="AER between directions, validation text, %", ylim=(20, 50))
    _legend(panel, "upper right", 1.0)


def _bleu(text: str, side: str) -> Callable[[Point], float]:
    return lambda point: float(point["bleu"][text][side])


def _aer(key: str, side: str) -> Callable[[Point], float]:
    """ShiftATT by the layers that agree best on validation text; PostAln by the paper's rules."""
    return lambda point: float((point[key]["paper"] if key == "post_aln" else point[key])["aer"][side])


def _line(
    panel: Any,
    points: Sequence[Point],
    side: str,
    value: Callable[[Point], float],
    *,
    style: str,
    label: str,
    again: bool,
) -> None:
    tokens, values = [_billions(point, side) for point in points], [value(point) for point in points]
    look = {"label": label, **(_AGAIN if again else {})}
    panel.plot(tokens, values, style, color=_COLOURS[side], ms=4, **look)


def _star(panel: Any, side: str, value: float, *, filled: bool = True) -> None:
    """A number of the paper."""
    face = _COLOURS[side] if filled else "white"
    style = {"color": _COLOURS[side], "markerfacecolor": face, "zorder": 3}
    panel.plot(PAPER_TOKENS + _DODGE[side], value, "*", ms=9, **style)


def _billions(point: Point, side: str) -> float:
    """Target tokens seen; of both directions, their mean."""
    tokens = point["target_tokens"]
    return float(sum(tokens.values()) / len(tokens) if side == "both" else tokens[side]) / 1e9


def _legend(panel: Any, corner: str, height: float) -> None:
    panel.legend(loc=corner, bbox_to_anchor=(0.89, height), fontsize=8, frameon=False)


def _finish(panel: Any) -> None:
    panel.axvline(PAPER_TOKENS, color="#98a2b3", linewidth=1, linestyle=":")
    place = {"xy": (PAPER_TOKENS, 0.5), "xycoords": ("data", "axes fraction")}
    offset = {"xytext": (4, 0), "textcoords": "offset points"}
    panel.annotate("the paper", **place, **offset, rotation=90, va="center", fontsize=8, color="#667085")
    panel.set_xlim(0, PAPER_TOKENS + 0.12)
    panel.set_xticks([0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8])
    panel.set_xlabel("billions of target tokens seen", fontsize=9)
    panel.title.set_size(10)
    panel.tick_params(labelsize=8)
    panel.grid(alpha=0.3)


if __name__ == "__main__":
    main()
