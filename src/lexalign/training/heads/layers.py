"""The choice of layers of a run: a table and a picture in its folder, the best pair beside the models."""

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from lexalign.alignment.attention_layers import write_attention_layers
from lexalign.alignment.layer_selection import LayerTable
from lexalign.alignment.plot import plot_layers
from lexalign.storage import write_text

Tables = Mapping[str, LayerTable]  # by method


def write_tables(tables: Tables, folder: Path) -> None:
    """`layers.json`, layers counted from 1, and where matplotlib is installed `layers.png`."""
    content = {
        method: {"aer": table.aer, "best": [layer + 1 for layer in table.best]}
        for method, table in tables.items()
    }
    text, path, picture = json.dumps(content) + "\n", folder / "layers.json", folder / "layers.png"
    known = path.exists() and path.read_text(encoding="utf-8") == text
    write_text(path, text)
    if find_spec("matplotlib") is not None and not (known and picture.exists()):
        plot_layers(tables, picture)


def write_choice(tables: Tables, shifted: tuple[int, int], models: tuple[Path, Path]) -> None:
    """Beside each model which layer's attention to align with; `shifted` were taken for ShiftATT."""
    for side, path in enumerate(models):
        naive = tables["naive-att"].best
        write_attention_layers(path, {"naive-att": naive[side], "shift-att": shifted[side]})
