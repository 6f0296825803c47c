"""Which layer's attention aligns best, remembered beside a model: `attention-layers.json`.

{"naive-att": 3, "shift-att": 2}       layers count from 1, as people count them
"""

import json
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.storage import write_text

NAME = "attention-layers.json"


def write_attention_layers(folder: Path, layers: dict[str, int]) -> None:
    """Of each method, from 0."""
    content = {method: layer + 1 for method, layer in layers.items()}
    write_text(folder / NAME, json.dumps(content, indent=2) + "\n")


def read_attention_layer(folder: Path, method: str) -> int:
    """From 0."""
    path = folder / NAME
    if not path.is_file():
        raise LexalignError(
            f"{path} is missing: which layer's attention to read is not known; name it with --layer, "
            "or train a head, which chooses it"
        )
    try:
        return int(json.loads(path.read_text(encoding="utf-8"))[method]) - 1
    except (ValueError, KeyError, TypeError) as error:
        raise LexalignError(f"{path}: not a table of layers ({error})") from None
