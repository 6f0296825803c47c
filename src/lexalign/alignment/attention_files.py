"""Which attention aligns, on disk beside the model: `attention-layers.json`.

    {"naive-att": 3, "shift-att": [1, 4]}

A layer stands for the mean over its heads, a pair for a layer and one of its heads; both count from 1.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from lexalign.contracts.errors import LexalignError
from lexalign.storage import write_text

FILE_NAME = "attention-layers.json"

AttentionMethod = Literal["naive-att", "shift-att"]
AttentionPlace = tuple[int, int | None]  # a layer and, if not the mean over all, a head of it, from 0


def write_attention(folder: Path, places: Mapping[AttentionMethod, AttentionPlace]) -> None:
    content = {
        method: layer + 1 if head is None else [layer + 1, head + 1]
        for method, (layer, head) in places.items()
    }
    write_text(folder / FILE_NAME, json.dumps(content, indent=2) + "\n")


def read_attention(folder: Path) -> dict[AttentionMethod, AttentionPlace]:
    """The places of all methods that are known."""
    path = folder / FILE_NAME
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {method: _place(value) for method, value in content.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise LexalignError(f"{path}: not a table of layers ({error})") from None


def parse_place(text: str) -> AttentionPlace:
    """`3` is a layer, `3:1` the first head of it."""
    layer, colon, head = text.partition(":")
    try:
        return _place([int(layer), int(head)] if colon else int(layer))
    except ValueError:
        raise LexalignError(
            f"{text!r} is not a layer; write 3, or 3:1 for its first head, counted from 1"
        ) from None


def _place(value: object) -> AttentionPlace:
    numbers = value if isinstance(value, list) else [value]
    match numbers:
        case [int(layer)] if layer > 0:
            return layer - 1, None
        case [int(layer), int(head)] if layer > 0 and head > 0:
            return layer - 1, head - 1
    raise ValueError(f"{value!r} is not a layer, or a layer and a head")
