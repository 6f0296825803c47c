"""Heat maps of a sentence's alignments, side by side: source words × target words, with gold links outlined.

A darker cell is a more probable link; a link without a probability counts as 1. Sure gold links have a solid
outline, possible ones a dashed one. Tables of layers are drawn in the same way: dark is agreement.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexalign.alignment.layer_selection import LayerTable
from lexalign.alignment.plot.fonts import word_fonts
from lexalign.contracts.alignment import Link
from lexalign.contracts.errors import LexalignError, MissingExtraError
from lexalign.storage import new_file

FORMATS = ("png", "svg", "pdf")

_CELL = 0.27  # inches
_LAYER_CELL = 0.5
_WIDTH = 20.0  # maximum width of a row of panels, in inches
_LETTER = 0.085  # width of a letter of a label, in inches
_SHADES = ("#ffffff", "#dbe7f3", "#9dc0de", "#4d8bbf", "#1c5688", "#0b2f55")
_GOLD = "#d1495b"
_GRID = "#e4e7ec"
_INK = "#222b38"
_SETTINGS = {"pdf.fonttype": 42, "svg.fonttype": "path", "axes.unicode_minus": False}


@dataclass(frozen=True, kw_only=True)
class SentencePicture:
    """A sentence pair, the links of each method, and the gold links where there are any."""

    source: Sequence[str]
    target: Sequence[str]
    methods: Sequence[tuple[str, Sequence[Link]]]
    gold: Sequence[Link] | None = None


def plot_alignment(picture: SentencePicture, path: Path, *, font: Path | None = None) -> None:
    """Write the figure in the format of the path's suffix; `font` is a file, tried before installed fonts."""
    if not picture.source or not picture.target:
        raise LexalignError("a sentence without words cannot be drawn")
    _write(lambda: draw_alignment(picture, font=font), path)


def plot_layers(tables: Mapping[str, LayerTable], path: Path) -> None:
    """Write a figure of how layers agree, a panel for each method, in the format of the path's suffix."""
    _write(lambda: draw_layers(tables), path)


def _write(draw: Callable[[], Any], path: Path) -> None:
    format = path.suffix.lstrip(".").lower() or "png"
    if format not in FORMATS:
        raise LexalignError(f"{path}: pictures can be {', '.join(f'.{name}' for name in FORMATS)}")
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError("drawing needs matplotlib: pip install 'lexalign[train]'") from None
    with matplotlib.rc_context(_SETTINGS), new_file(path) as temporary:
        draw().savefig(temporary, dpi=200, format=format, bbox_inches="tight")


def draw_alignment(picture: SentencePicture, *, font: Path | None = None) -> Any:
    """The figure of a sentence; panels that do not fit into a row go below it."""
    from matplotlib.figure import Figure

    fonts = word_fonts([*picture.source, *picture.target, *(name for name, _ in picture.methods)], font)
    width, height = (_CELL * len(words) for words in (picture.source, picture.target))
    left, top = (_LETTER * max(map(len, words)) + 0.3 for words in (picture.target, picture.source))
    num_columns = max(1, min(len(picture.methods), int((_WIDTH - left) // (width + 0.3))))
    num_rows = -(-len(picture.methods) // num_columns)
    size = (left + num_columns * (width + 0.3) + 0.8, num_rows * (height + top + 0.6))
    figure = Figure(figsize=size, layout="compressed")
    panels = figure.subplots(num_rows, num_columns, squeeze=False).flatten().tolist()
    for index, (panel, (name, links)) in enumerate(zip(panels, picture.methods, strict=False)):
        _draw_panel(panel, picture, name, links, fonts, with_targets=index % num_columns == 0)
    for unused in panels[len(picture.methods) :]:
        unused.set_axis_off()
    _draw_legend(figure, panels, picture.gold or ())
    return figure


def draw_layers(tables: Mapping[str, LayerTable]) -> Any:
    """The figure of layer tables: forward layers in rows, backward in columns, the best pair outlined."""
    from matplotlib.figure import Figure

    num_rows, num_columns = (
        max(sizes)
        for sizes in zip(*((len(table.aer), len(table.aer[0])) for table in tables.values()), strict=True)
    )
    size = (len(tables) * (_LAYER_CELL * num_columns + 0.8), _LAYER_CELL * num_rows + 1.2)
    figure = Figure(figsize=size, layout="compressed")
    panels = figure.subplots(1, len(tables), squeeze=False).flatten().tolist()
    for panel, (name, table) in zip(panels, tables.items(), strict=True):
        _draw_layer_panel(panel, name, table)
    figure.suptitle("AER between the directions, %", fontsize=10.5, color=_INK)
    return figure


def _draw_layer_panel(panel: Any, name: str, table: LayerTable) -> None:
    aer = np.array(table.aer)
    panel.imshow(1 - aer, cmap=_shades(), vmin=0, vmax=1, aspect="equal")
    _draw_grid(panel, aer.shape[1], aer.shape[0])
    for set_ticks, count in ((panel.set_xticks, aer.shape[1]), (panel.set_yticks, aer.shape[0])):
        set_ticks(range(count), range(1, count + 1))
    panel.tick_params(length=0, labelsize=9, labelcolor=_INK, pad=3)
    for (row, column), value in np.ndenumerate(aer):
        colour = "white" if value < 0.45 else _INK
        panel.text(column, row, f"{100 * value:.1f}", ha="center", va="center", fontsize=8.5, color=colour)
    forward, backward = table.best
    _outline(panel, Link(backward, forward))
    panel.set_title(name, fontsize=9.5, color=_INK)
    panel.set_xlabel("backward layer", fontsize=9, color=_INK)
    panel.set_ylabel("forward layer", fontsize=9, color=_INK)


def _draw_panel(
    panel: Any,
    picture: SentencePicture,
    name: str,
    links: Sequence[Link],
    fonts: dict[str, list[str]],
    *,
    with_targets: bool,
) -> None:
    panel.imshow(_matrix(picture, links), cmap=_shades(), vmin=0, vmax=1, aspect="equal")
    _draw_grid(panel, len(picture.source), len(picture.target))
    _label(panel.set_xticks, picture.source, fonts, rotation=55, ha="left", rotation_mode="anchor")
    _label(panel.set_yticks, picture.target if with_targets else [""] * len(picture.target), fonts)
    panel.tick_params(length=0, labelsize=9, labelcolor=_INK, pad=2, top=True, labeltop=True)
    panel.tick_params(bottom=False, labelbottom=False)
    for link in picture.gold or ():
        _outline(panel, link)
    panel.set_xlabel(name, fontsize=10.5, color=_INK, labelpad=7, fontfamily=fonts[name])
    panel.xaxis.label.set_parse_math(False)


def _label(set_ticks: Any, words: Sequence[str], fonts: dict[str, list[str]], **style: Any) -> None:
    for label, word in zip(set_ticks(range(len(words)), words, **style), words, strict=True):
        # A dollar sign would begin a formula.
        for text in (label.label1, label.label2):
            text.set_parse_math(False)
            text.set_fontfamily(fonts.get(word, "DejaVu Sans"))


def _draw_grid(panel: Any, num_source: int, num_target: int) -> None:
    panel.set_xticks(np.arange(num_source + 1) - 0.5, minor=True)
    panel.set_yticks(np.arange(num_target + 1) - 0.5, minor=True)
    panel.grid(which="minor", color=_GRID, linewidth=0.6)
    panel.tick_params(which="minor", length=0, top=False, bottom=False, left=False)
    for spine in panel.spines.values():
        spine.set(color="#98a2b3", linewidth=0.8)


def _outline(panel: Any, link: Link) -> None:
    from matplotlib.patches import Rectangle

    corner = (link.source - 0.43, link.target - 0.43)
    line = {"edgecolor": _GOLD, "linewidth": 1.4, "linestyle": _line(link.sure)}
    panel.add_patch(Rectangle(corner, 0.86, 0.86, fill=False, zorder=3, **line))


def _line(sure: bool) -> Any:
    return "solid" if sure else (0, (2.2, 1.6))


def _draw_legend(figure: Any, panels: Sequence[Any], gold: Sequence[Link]) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.patches import Patch

    bar = figure.colorbar(
        ScalarMappable(cmap=_shades()), ax=list(panels), shrink=0.6, aspect=18, pad=0.015, fraction=0.04
    )
    bar.set_label("probability", fontsize=9, color=_INK)
    bar.ax.tick_params(labelsize=8, length=2, labelcolor=_INK)
    bar.outline.set(color="#98a2b3", linewidth=0.8)
    marks = [
        Patch(fill=False, edgecolor=_GOLD, linewidth=1.4, linestyle=_line(sure), label=label)
        for sure, label in ((True, "sure gold link"), (False, "possible gold link"))
        if any(link.sure == sure for link in gold)
    ]
    if marks:
        figure.legend(
            handles=marks, loc="outside lower center", ncols=2, frameon=False, fontsize=9, handlelength=1.1
        )


def _matrix(picture: SentencePicture, links: Sequence[Link]) -> NDArray[np.float64]:
    """Probabilities (target words, source words)."""
    matrix = np.zeros((len(picture.target), len(picture.source)))
    for link in links:
        matrix[link.target, link.source] = 1.0 if link.probability is None else link.probability
    return matrix


def _shades() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("probability", _SHADES)
